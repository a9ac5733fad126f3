// Which unshielded triples are colliders, and in which order they are directed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/constraint/orientation_state.hpp"
#include "dagathlon/constraint/skeleton.hpp"

namespace dagathlon {

// x – middle – y with x and y not adjacent and x < y.
using Triple = std::array<std::size_t, 3>;
std::vector<Triple> unshielded_triples(const BitMatrix& adjacent);

// Triples whose middle node is neither surely a collider nor surely none.
using AmbiguousTriples = std::set<Triple>;
bool is_ambiguous(const AmbiguousTriples& triples, std::size_t a, std::size_t b, std::size_t c);

enum class ColliderRule : std::uint8_t {
  separating_set,  // a collider when it is not in the set that separated the ends
  conservative,    // in none of the sets of neighbours that separate the ends; ambiguous if in some
  majority,        // in less than half of them; ambiguous if in half
  highest_p        // not in the set of neighbours with the highest p-value
};

// Which sets have a vote.
enum class Votes : std::uint8_t {
  by_end,     // those of the neighbours of either end; sets of common neighbours have one for each end
  with_known  // the same, one for each set, and the set that separated the ends: with latent variables it
              // may be the only one
};

// Tries the sets of neighbours of the ends of all unshielded triples, and changes the separating sets
// so that they say what the rule decides. Returns the triples that it leaves open.
AmbiguousTriples check_triples(IndependenceTest& test, Skeleton& skeleton, const SkeletonOptions& options,
                               ColliderRule rule, Votes votes);

enum class ColliderOrder : std::uint8_t {
  by_node,          // in the order of the nodes; a later collider overturns an earlier one
  with_conflicts,   // the same, but an edge that is directed both ways becomes a conflict
  by_p_value,       // lowest p-value of the separation first; a later one that contradicts is left out
  by_high_p_value,  // highest p-value first
  by_separation,    // in the order in which their ends were separated; each edge keeps its first direction
  bidirected,       // as with_conflicts, which rules do not add to; then as then_confirmed
  existing,         // in the order of the ends; one that contradicts an earlier one, or closes a cycle, is left out
  then_confirmed    // as by_node; then arrows that are part of no collider any more are taken back
};

struct ColliderTurns {
  ColliderOrder order = ColliderOrder::by_node;
  // All nodes in the order of which `existing` speaks; empty for that of the columns.
  std::vector<std::size_t> sequence;
};

void orient_colliders(OrientationState& graph, IndependenceTest& test, const SeparatingSets& separating,
                      const AmbiguousTriples& ambiguous, const ColliderTurns& turns);

// Directs both edges into the middle, unless that contradicts a direction or closes a cycle.
void direct_collider(OrientationState& graph, const Triple& triple);

}  // namespace dagathlon
