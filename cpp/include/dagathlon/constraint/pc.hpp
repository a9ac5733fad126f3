// The PC algorithm and its relatives: a skeleton, colliders, Meek's rules.
#pragma once

#include <cstdint>
#include <vector>

#include "dagathlon/constraint/colliders.hpp"
#include "dagathlon/test/gaussian_test.hpp"
#include "dagathlon/constraint/skeleton.hpp"

namespace dagathlon {

// What to do with colliders that contradict each other so that no DAG has them all.
enum class Contradiction : std::uint8_t {
  keep,    // leave the graph as the rules made it
  random,  // give the CPDAG of a random DAG with the same skeleton
  retry    // try other orders of the colliders first
};

struct PcOptions {
  SkeletonOptions skeleton;
  ColliderRule rule = ColliderRule::separating_set;
  ColliderOrder order = ColliderOrder::by_node;
  Contradiction contradiction = Contradiction::keep;
  bool acyclic = false;
  // Whether Meek's rules take triples that are left open for non-colliders.
  bool open_as_noncolliders = false;
  std::uint64_t seed = 0;
  // Directed edges that must not, and must, be there, from row to column.
  BitMatrix forbidden;
  BitMatrix required;
  // Asked in place of the test once the skeleton is there, and about its doubtful edges again.
  IndependenceTest* correction = nullptr;
};

struct PcResult {
  MarkedGraph graph;
  std::vector<std::size_t> tests;  // of each level of the skeleton search
  std::size_t ambiguous;           // triples left open
};

PcResult learn_pc(IndependenceTest& test, const PcOptions& options);

struct DualPcOptions {
  double alpha = 0.05;
  std::size_t max_order = no_node;
  // Rows beyond those that conditioning uses up, below which a dual test is left out.
  std::size_t min_rows = 3;
  // Whether to search as the authors' program does, its separating sets included, instead of ending the search for a
  // pair with the first set that separates.
  bool as_program = false;
};

// Tests each set of neighbours of x and, at the same time, the set of all other neighbours of x
// (Giudice, Kuipers and Moffa 2022); the second comes from the inverse of the correlations of x and
// its neighbours.
Skeleton find_dual_skeleton(GaussianTest& test, const DualPcOptions& options);

}  // namespace dagathlon
