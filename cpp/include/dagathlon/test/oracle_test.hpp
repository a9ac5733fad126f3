// The test that knows the true graph.
#pragma once

#include "dagathlon/test/independence.hpp"
#include "dagathlon/graph/separation.hpp"

namespace dagathlon {

// Independence is separation in a graph; the p-value is 1 or 0.
class OracleTest : public IndependenceTest {
 public:
  explicit OracleTest(const MarkedGraph& graph) : oracle_(graph) {}
  std::size_t size() const override { return oracle_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override {
    const bool separated = oracle_.separated(x, y, given);
    return {separated ? 0.0 : 1.0, 0.0, separated ? 1.0 : 0.0};
  }

 private:
  SeparationOracle oracle_;
};

}  // namespace dagathlon
