// Decomposable scores of DAGs: a sum over nodes of a term for the node and its parents.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "dagathlon/data/covariance.hpp"
#include "dagathlon/graph/marked_graph.hpp"

namespace dagathlon {

class DiscreteData;
struct CellSum;
struct SetSums;

// How a term follows from two tables alone, that of a child with its parents and that of the parents.
class SetTerms {
 public:
  virtual ~SetTerms() = default;

  // What the tables are made of, and the sums over their cells that are needed.
  virtual const DiscreteData& data() const = 0;
  virtual std::vector<CellSum> sums() const = 0;

  // The ranks of both sets, and where each of sums() stands among those that were taken.
  struct Tables {
    const SetSums& all;
    std::size_t family;
    std::size_t parents;
    std::span<const std::size_t> place;
  };

  // The term, but for rounding.
  virtual double term(std::size_t child, Nodes parents, const Tables& tables) = 0;

  // The score's bound_above.
  virtual double bound(std::size_t child, Nodes parents, const Tables& tables) = 0;
};

// A capability of scores that have the terms of a child with all sets of parents in much less time than one by one.
// Terms stand at the ranks of sets: a bit of a rank stands for one of the other nodes, the lowest for the first; there
// are at most 32 nodes.
class AllFamilies {
 public:
  virtual void families(std::size_t child, std::span<double> scores) = 0;
  // The same, with bounds[r] as Score::bound_above() has it. How far both may be off by rounding; not a number where
  // there is no such way.
  virtual double families_with_bounds(std::size_t child, std::span<double> scores, std::span<double> bounds) = 0;

 protected:
  ~AllFamilies() = default;
};

// A score of one data set; larger is better. It has buffers of its own: one object per thread.
// Parents are always given in increasing order, so that a family has one value to the last digit.
class Score {
 public:
  virtual ~Score() = default;
  Score() = default;
  Score(const Score&) = delete;
  Score& operator=(const Score&) = delete;

  // Number of nodes.
  virtual std::size_t size() const = 0;

  // Another score of the same data, for another thread: the same terms. Null where there is none.
  virtual std::unique_ptr<Score> twin() const { return nullptr; }

  // The term of one node; minus infinity for a family that the data cannot or must not have.
  virtual double local(std::size_t child, Nodes parents) = 0;

  // scores[x]: the term with x as one more parent, for every x that is neither parent nor child.
  // The other places are left as they are.
  virtual void additions(std::size_t child, Nodes parents, std::span<double> scores);

  // scores[k]: the term without parents[k].
  void removals(std::size_t child, Nodes parents, std::span<double> scores);

  // scores[r]: the term with the r-th set of other nodes as parents, for all sets (see AllFamilies).
  void families(std::size_t child, std::span<double> scores);

  // At least the term of every family with these parents and others besides; with it an exact search
  // leaves out families that it never scored. Infinity where nothing is known.
  virtual double bound_above(std::size_t child, Nodes parents);

  // Capabilities; null where a score lacks them.
  virtual AllFamilies* all_families() { return nullptr; }
  // How terms follow from tables of sets of nodes.
  virtual SetTerms* by_sets() { return nullptr; }

 private:
  std::vector<std::size_t> family_;
};

// The score of a DAG.
double total(Score& score, const MarkedGraph& dag);

}  // namespace dagathlon
