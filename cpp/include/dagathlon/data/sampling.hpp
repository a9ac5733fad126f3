// Samples of a Bayesian network: discrete tables, Gaussian and conditional Gaussian nodes.
//
// The draw of a node in a row is a function of (seed, node, row) alone, so the first rows of a long
// sample are the short sample, and no split of the work can be seen in the result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagathlon {

// The discrete parents of a node: a row of its table is found by sum(column code × stride).
struct TableAddress {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> strides;
};

struct DiscreteNode {
  std::uint64_t stream;
  std::size_t column;
  TableAddress address;
  std::size_t levels;
  std::vector<double> thresholds;  // levels-1 per parent configuration: a draw's level is how many it reaches
};

struct GaussianNode {
  std::uint64_t stream;
  std::size_t column;
  TableAddress address;
  std::vector<std::size_t> continuous_parents;
  std::vector<double> parameters;  // per configuration: intercept, one coefficient per parent, sd
};

// Cumulative probabilities of each row, such that a level of probability 0 is never drawn and the
// rounding of the sum cannot lead beyond the last possible level.
std::vector<double> thresholds(std::span<const double> probabilities, std::size_t levels);

// Where the samples of one kind go: column after column, `rows` values each.
template <class T>
struct Columns {
  T* data;
  std::size_t rows;
  T* at(std::size_t column, std::size_t row) const { return data + column * rows + row; }
};

// A network as a list of nodes, parents before children.
class NetworkSampler {
 public:
  void add(DiscreteNode node);
  void add(GaussianNode node);

  template <class Code>
  void sample(std::uint64_t seed, Columns<Code> codes, Columns<double> values) const;

 private:
  struct Step {
    bool discrete;
    std::size_t index;
  };
  std::vector<DiscreteNode> discrete_;
  std::vector<GaussianNode> gaussian_;
  std::vector<Step> order_;
};

}  // namespace dagathlon
