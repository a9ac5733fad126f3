// Structure from multivariate information: 3off2 (Affeldt and Isambert 2015) and MIIC (Verny, Sella,
// Affeldt, Singh and Isambert 2017).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/test/corrected_information.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// A pair of variables with those that take information off it, in the order in which they were found.
// Where nothing is left the pair is no edge, and they separate it.
struct Explained {
  std::size_t x;
  std::size_t y;
  std::vector<std::size_t> contributors;
  double information;
  bool edge;
};

struct MiicSearch {
  // Whether only neighbours of x or y may contribute.
  bool neighbours_only = false;
  BitMatrix fixed_gaps;  // empty for none
  BitMatrix fixed_edges;
};

// For all pairs x < y: the variable that contributes most is taken into the set given, the most
// credible one of all pairs first, until none is more credible than not.
std::vector<Explained> explained_pairs(CorrectedInformation& information, const MiicSearch& search);

enum class TripleOrder : std::uint8_t {
  colliders_first,  // all colliders, then what follows from them, each by its information
  by_information,   // the unshielded triple of the most information on which a rule applies
  by_probability    // that of the most probable arrowhead
};

struct MiicDirections {
  TripleOrder order = TripleOrder::colliders_first;
  // Arrowheads at both ends of an edge stay; otherwise one is taken away.
  bool latent = false;
  // Edges that stay open are directed too, the first column first.
  bool whole = false;
  BitMatrix forbidden;  // directions; empty for none
  BitMatrix required;
};

struct MiicGraph {
  MarkedGraph graph;
  // Edges with arrowheads at both ends: a hidden common cause, or an error.
  std::vector<std::pair<std::size_t, std::size_t>> latent;
  // Row to column: the probability of an arrowhead at the column; one half where none was found.
  std::vector<double> heads;
};

MiicGraph directed_by_information(CorrectedInformation& information, const std::vector<Explained>& pairs,
                                  const MiicDirections& directions);

}  // namespace dagathlon
