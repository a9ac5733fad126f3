// Meek's rules on graphs whose directions may contradict each other.
#pragma once

#include "dagathlon/constraint/colliders.hpp"
#include "dagathlon/constraint/orientation_state.hpp"

namespace dagathlon {

// A rule proposes a direction for an undirected edge and changes nothing; these options say what becomes
// of the proposals.
struct RuleOptions {
  // Proposals of both directions make the edge a conflict. Otherwise the first one directs it.
  bool mark_conflicts = false;
  // No edge is directed against a directed path.
  bool acyclic = false;
  // Meek's fourth rule, which only knowledge makes necessary.
  bool fourth = false;
  // As bnlearn applies them, for colliders that may contradict each other: no proposal makes a new
  // collider; an edge follows a directed path of any length between its ends first, then the other
  // rules look at one and the same graph.
  bool no_new_colliders = false;
};

// Meek's rules by turns, each over all edges, until nothing changes. No rule takes an ambiguous triple for
// a non-collider.
void apply_rules(OrientationState& graph, const AmbiguousTriples& ambiguous, const RuleOptions& options);

}  // namespace dagathlon
