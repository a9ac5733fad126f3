// Arcs without which a part of a graph would fall apart.
#pragma once

#include <cstddef>
#include <vector>

#include "dagathlon/graph/acyclic_rows.hpp"
#include "dagathlon/graph/bits.hpp"

namespace dagathlon {

class Bridges {
 public:
  explicit Bridges(const AcyclicRows& dag);

  bool has(std::size_t a, std::size_t b) const { return found_.test(a, b); }

 private:
  struct Visit {
    std::size_t node;
    std::size_t before;
    std::vector<std::size_t> others;
  };

  void search(std::size_t root);
  Visit visit(std::size_t node, std::size_t before);
  void leave(const Visit& done);

  const AcyclicRows& dag_;
  // When a depth-first search met a node, 0 for not yet, and the earliest that one can come back to from there.
  std::vector<std::size_t> met_;
  std::vector<std::size_t> earliest_;
  std::size_t time_ = 0;
  BitMatrix found_;
};

}  // namespace dagathlon
