// The kernel test in blocks of similar rows (after Schacht and Huang, FastKCI).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dagathlon/test/kernel_test.hpp"

namespace dagathlon {

// Rows are put into blocks by the given variables alone, at random around random centres, so that
// independence given them is independence in every block. The statistics of the blocks are added, and
// those of several such partitions averaged. With nothing given, blocks are any rows.
class BlockKernelTest : public IndependenceTest {
 public:
  BlockKernelTest(std::span<const ValueColumn> columns, std::size_t rows, std::uint64_t seed);

  std::size_t size() const override { return size_; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  using Blocks = std::vector<std::vector<std::size_t>>;

  Blocks blocks(Nodes given, std::size_t partition) const;
  KernelStatistic in_blocks(std::size_t x, std::size_t y, Nodes given, const Blocks& blocks) const;

  std::size_t rows_;
  std::uint64_t seed_;
  std::size_t size_;
  std::vector<double> scaled_;
};

}  // namespace dagathlon
