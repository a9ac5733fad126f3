#include "dagathlon/graph/packed_graphs.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "dagathlon/run/dispatch.hpp"

namespace dagathlon {

namespace {

// Counters of 16 bits, one bit of all of them in each plane: a row of words is added at once.
constexpr std::size_t planes = 16;
constexpr std::size_t rows_at_once = 8;
constexpr std::size_t first_group_plane = 3;
constexpr std::size_t most_counted = (std::size_t{1} << planes) - 1;

struct Sum {
  Word carry;
  Word low;
};

inline Sum add(Word a, Word b, Word c) {
  const Word either = a ^ b;
  return {(a & b) | (either & c), either ^ c};
}

// Adds eight rows to the counters; planes 0 to 2 hold what is left below eight.
DAGATHLON_WIDE_CLONES void add_group(const Word* rows, std::size_t words, Word* counters) {
  Word* ones = counters;
  Word* twos = counters + words;
  Word* fours = counters + 2 * words;
  for (std::size_t w = 0; w < words; ++w) {
    const Word* x = rows + w;
    const Sum a = add(ones[w], x[0], x[words]);
    const Sum b = add(a.low, x[2 * words], x[3 * words]);
    const Sum c = add(b.low, x[4 * words], x[5 * words]);
    const Sum d = add(c.low, x[6 * words], x[7 * words]);
    ones[w] = d.low;
    const Sum e = add(twos[w], a.carry, b.carry);
    const Sum f = add(e.low, c.carry, d.carry);
    twos[w] = f.low;
    const Sum g = add(fours[w], e.carry, f.carry);
    fours[w] = g.low;
    Word carry = g.carry;
    for (std::size_t k = first_group_plane; k < planes; ++k) {
      const Word before = counters[k * words + w];
      counters[k * words + w] = before ^ carry;
      carry &= before;
    }
  }
}

void add_row(ConstRow row, Word* counters) {
  for (std::size_t w = 0; w < row.size(); ++w) {
    Word carry = row[w];
    for (std::size_t k = 0; carry != 0; ++k) {
      Word& plane = counters[k * row.size() + w];
      const Word before = plane;
      plane ^= carry;
      carry &= before;
    }
  }
}

void flush(std::vector<Word>& counters, std::size_t words, std::vector<std::int64_t>& total) {
  for (std::size_t k = 0; k < planes; ++k)
    for (std::size_t w = 0; w < words; ++w)
      for (Word rest = counters[k * words + w]; rest != 0; rest &= rest - 1)
        total[w * word_bits + static_cast<std::size_t>(std::countr_zero(rest))] += std::int64_t{1} << k;
  std::fill(counters.begin(), counters.end(), Word{0});
}

Word hash_of(ConstRow row) {
  Word hash = 0x9e3779b97f4a7c15U;
  for (const Word w : row) {
    hash = (hash ^ w) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32U;
  }
  return hash;
}

// Directed edges of one row at a time: children of each node as bits, and an order of the nodes.
class ArcRow {
 public:
  explicit ArcRow(std::size_t nodes) : n_(nodes), words_(words_for(nodes)), reached_(nodes * words_), waiting_(nodes) {}

  // Whether the directed edges have no cycle; `undirected()` then says if there are other edges.
  bool load(ConstRow row) {
    std::fill(reached_.begin(), reached_.end(), Word{0});
    std::fill(waiting_.begin(), waiting_.end(), 0U);
    undirected_ = false;
    for (std::size_t w = 0; w < row.size(); ++w)
      for (Word rest = row[w]; rest != 0; rest &= rest - 1)
        read(row, w * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
    return sort();
  }

  bool undirected() const { return undirected_; }

  // Nodes that directed edges reach from a node.
  ConstRow reached(std::size_t i) const { return {reached_.data() + i * words_, words_}; }

  void close(bool acyclic) {
    if (!acyclic) return close_cycles();
    for (std::size_t k = order_.size(); k-- > 0;) {
      const Row mine = children(order_[k]);
      direct_.assign(mine.begin(), mine.end());
      for_each(ConstRow(direct_), [&](std::size_t child) { unite(mine, reached(child)); });
    }
  }

 private:
  Row children(std::size_t i) { return {reached_.data() + i * words_, words_}; }

  std::size_t place(std::size_t i, std::size_t j) const { return i * (n_ - 1) + j - (j > i ? 1 : 0); }

  void read(ConstRow row, std::size_t bit) {
    const std::size_t i = bit / (n_ - 1);
    const std::size_t rank = bit % (n_ - 1);
    const std::size_t j = rank + (rank >= i ? 1 : 0);
    if (test(row, place(j, i))) {
      undirected_ = true;
      return;
    }
    set(children(i), j);
    ++waiting_[j];
  }

  // Parents before children, as far as there is no cycle.
  bool sort() {
    order_.clear();
    for (std::size_t j = 0; j < n_; ++j)
      if (waiting_[j] == 0) order_.push_back(j);
    for (std::size_t k = 0; k < order_.size(); ++k)
      for_each(reached(order_[k]), [&](std::size_t child) {
        if (--waiting_[child] == 0) order_.push_back(child);
      });
    return order_.size() == n_;
  }

  void close_cycles() {
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t i = 0; i < n_; ++i)
        if (test(reached(i), k)) unite(children(i), reached(k));
  }

  std::size_t n_;
  std::size_t words_;
  std::vector<Word> reached_;
  std::vector<unsigned> waiting_;
  std::vector<Word> direct_;
  std::vector<std::size_t> order_;
  bool undirected_ = false;
};

}  // namespace

std::vector<std::int64_t> bit_counts(const PackedRows& rows) {
  const std::size_t words = rows.words;
  std::vector<std::int64_t> total(words * word_bits, 0);
  std::vector<Word> counters(planes * words, 0);
  std::size_t counted = 0;
  std::size_t k = 0;
  for (; k + rows_at_once <= rows.count; k += rows_at_once) {
    if (counted + rows_at_once > most_counted) {
      flush(counters, words, total);
      counted = 0;
    }
    add_group(rows.bits.data() + k * words, words, counters.data());
    counted += rows_at_once;
  }
  flush(counters, words, total);
  for (; k < rows.count; ++k) add_row(rows.row(k), counters.data());
  flush(counters, words, total);
  return total;
}

std::vector<double> bit_sums(const PackedRows& rows, std::span<const double> weights) {
  std::vector<double> total(rows.words * word_bits, 0.0);
  for (std::size_t k = 0; k < rows.count; ++k)
    for_each(rows.row(k), [&](std::size_t bit) { total[bit] += weights[k]; });
  return total;
}

std::vector<std::int64_t> graph_numbers(const PackedRows& rows) {
  const std::size_t size = std::bit_ceil(2 * rows.count + 1);
  std::vector<std::int64_t> first(size, -1);  // an open table of rows, by hash
  std::vector<std::int64_t> number(rows.count);
  std::int64_t known = 0;
  for (std::size_t k = 0; k < rows.count; ++k) {
    const ConstRow mine = rows.row(k);
    std::size_t slot = hash_of(mine) & (size - 1);
    while (first[slot] >= 0 && !std::ranges::equal(rows.row(static_cast<std::size_t>(first[slot])), mine))
      slot = (slot + 1) & (size - 1);
    if (first[slot] < 0) {
      first[slot] = static_cast<std::int64_t>(k);
      number[k] = known++;
    } else {
      number[k] = number[static_cast<std::size_t>(first[slot])];
    }
  }
  return number;
}

std::vector<double> path_sums(const PackedRows& rows, std::size_t nodes, std::span<const double> weights) {
  std::vector<double> total(nodes * nodes, 0.0);
  ArcRow arcs(nodes);
  for (std::size_t k = 0; k < rows.count; ++k) {
    if (weights[k] == 0.0) continue;
    arcs.close(arcs.load(rows.row(k)));
    for (std::size_t i = 0; i < nodes; ++i)
      for_each(arcs.reached(i), [&](std::size_t j) { total[i * nodes + j] += weights[k]; });
  }
  return total;
}

std::size_t first_non_dag(const PackedRows& rows, std::size_t nodes) {
  ArcRow arcs(nodes);
  for (std::size_t k = 0; k < rows.count; ++k)
    if (!arcs.load(rows.row(k)) || arcs.undirected()) return k;
  return rows.count;
}

}  // namespace dagathlon
