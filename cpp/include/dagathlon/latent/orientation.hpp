// The orientation rules of ancestral graphs (Zhang 2008), for graphs whose ends are still circles.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

// in_separating_set(a, c, b): whether c is in the set that separated a and b.
using SeparatorLookup = std::function<bool(std::size_t, std::size_t, std::size_t)>;

// A set of rules; bit k stands for rule k, from 1 to 10. Rules 5 to 7 find selection effects only.
using RuleSet = std::uint16_t;
constexpr RuleSet rule(unsigned k) { return static_cast<RuleSet>(1U << k); }
inline constexpr RuleSet all_rules = 0b111'1111'1110;

// Replaces every mark by a circle: the state before any orientation.
MarkedGraph all_circles(const MarkedGraph& graph);

// Row i: the nodes j with i o-o j.
BitMatrix circle_rows(const MarkedGraph& graph);

// Rule 0: arrows at b on a–b–c where a and c are not adjacent and b did not separate them.
void orient_colliders(MarkedGraph& graph, const SeparatorLookup& in_separating_set);

// Which rules take turns until they change nothing.
enum class RuleTurns : std::uint8_t {
  arrows_first,  // rules 1 to 4, then one turn of the others, and so on
  in_groups,     // rules 1 to 4, then 5 to 7, then 8 to 10, and no way back
  all            // all ten
};

struct OrientationOptions {
  RuleSet rules = all_rules;
  RuleTurns turns = RuleTurns::arrows_first;
  // On contradictory separating sets: rules 1 and 2 visit edges by the node of the mark, and rules 1 and 4 replace
  // any mark, as pcalg does. Otherwise only circles are ever replaced.
  bool as_pcalg = false;
  // Pairs whose marks are known and not replaced; of no size for none.
  BitMatrix known;
  // ambiguous(a, b, c): whether it is open that b is a collider on a–b–c; such triples tell nothing.
  std::function<bool(std::size_t, std::size_t, std::size_t)> ambiguous = nullptr;
  // Asked before rule 4 uses the path d, …, b, c; false if it has taken an edge out of the graph instead.
  std::function<bool(std::span<const std::size_t>)> confirm_path = nullptr;
  // Whether b belongs to what separates d and c on the path d, …, b, c; by default the set that did decides.
  std::function<bool(std::span<const std::size_t>)> separates_ends = nullptr;
};

// Applies the rules until none changes the graph. Every change replaces a circle, so the rules end even on
// contradictory separating sets.
void orient(MarkedGraph& graph, const SeparatorLookup& in_separating_set, const OrientationOptions& options = {});

}  // namespace dagathlon
