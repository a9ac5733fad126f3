// What the searches for a PAG share: their options, the state before orientation, knowledge.
#pragma once

#include <cstddef>

#include "dagathlon/graph/bits.hpp"
#include "dagathlon/constraint/colliders.hpp"
#include "dagathlon/latent/orientation.hpp"
#include "dagathlon/constraint/skeleton.hpp"

namespace dagathlon {

struct PagOptions {
  SkeletonOptions skeleton;
  ColliderRule colliders = ColliderRule::separating_set;
  RuleSet rules = all_rules;
  // Whether rule 4 asks tests given the inner nodes of a discriminating path before it asks the
  // separating set of its ends.
  bool test_paths = false;
  // Directed edges that must not, and must, be there, from row to column; empty for none.
  BitMatrix forbidden;
  BitMatrix required;

  bool is_fixed(std::size_t x, std::size_t y) const {
    return skeleton.fixed_edges.size() != 0 && skeleton.fixed_edges.test(x, y);
  }
};

struct LearnedPag {
  MarkedGraph graph;
  // Triples that the rule for colliders left open.
  std::size_t ambiguous = 0;
};

// All edges o-o.
MarkedGraph circles(const BitMatrix& adjacent);

// A pair that no test separated says nothing about the nodes between. Refers to its argument.
SeparatorLookup separator_lookup(const SeparatingSets& separating);

// A forbidden edge has an arrow at its start, a required one is directed.
void direct_knowledge(MarkedGraph& graph, const PagOptions& options);

// The rules as pcalg applies them, which leave what knowledge says.
OrientationOptions pcalg_rules(const PagOptions& options, RuleTurns turns);

// Takes an edge out of the skeleton and keeps the set that separated its ends.
void separate(Skeleton& skeleton, std::size_t x, std::size_t y, Nodes set);

std::vector<std::size_t> members_without(ConstRow row, std::size_t node);

}  // namespace dagathlon
