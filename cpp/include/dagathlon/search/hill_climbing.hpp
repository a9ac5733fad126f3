// Greedy search over DAGs: hill climbing with random restarts, and tabu search.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dagathlon/search/arc_moves.hpp"
#include "dagathlon/graph/marked_graph.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct SearchResult {
  MarkedGraph dag;
  double score;
  std::size_t steps;
  // Families that were scored.
  std::size_t evaluations;
};

struct HillClimbing {
  // Largest number of steps of one climb.
  std::size_t max_steps;
  std::size_t restarts;
  // Random moves before each restart, which begins at the best DAG so far.
  std::size_t perturbations;
  std::uint64_t seed;
};

struct TabuSearch {
  std::size_t max_steps;
  // Number of DAGs, the present one among them, that are not to be visited again.
  std::size_t memory;
  // Steps down since the best DAG after which the search ends where no step leads up.
  std::size_t patience;
};

// The start must keep to the limits: no forbidden arc, every required one.
SearchResult hill_climb(Score& score, const SearchLimits& limits, const MarkedGraph& start, const HillClimbing& how);
SearchResult tabu_search(Score& score, const SearchLimits& limits, const MarkedGraph& start, const TabuSearch& how);

}  // namespace dagathlon
