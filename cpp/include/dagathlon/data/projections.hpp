// Few columns of data with many rows, equal rows kept once: searches ask for all tables of the same
// few columns, and the distinct rows of these are a small part of all.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <vector>

#include "dagathlon/data/discrete_data.hpp"
#include "dagathlon/data/row_groups.hpp"

namespace dagathlon {

class Counter;

struct Projection {
  // In increasing order.
  std::vector<std::size_t> columns;
  DiscreteData rows;
  // Counts tables of these rows.
  std::unique_ptr<Counter> counter;

  std::size_t place(std::size_t column) const;
  std::vector<std::size_t> places(Nodes nodes) const;
};

// What the questions at present are about: their columns, what their tables have cost so far, and
// from how much on a projection pays.
struct Subject {
  std::vector<std::size_t> columns;
  double spent = 0;
  double patience = 1;

  // A question about these columns, which is one of them or begins another subject. True when it is
  // time for a projection.
  bool asked(const std::vector<std::size_t>& about, bool goes_on, double cost, std::size_t rows);
  // There are too many distinct rows: not so soon again.
  void decline();
};

// Makes projections when they pay: when what the tables of some columns have cost would have paid for
// one.
class Projections {
 public:
  explicit Projections(const DiscreteData& data);
  ~Projections();
  Projections(Projections&&) noexcept;

  // Not with few rows, and not where rows with missing values are left out of some tables.
  bool pay() const { return pay_; }
  // A projection on columns among which are x, y and the given ones; none where there is none. A
  // table of all rows costs so many nanoseconds.
  Projection* covering(std::size_t x, std::size_t y, Nodes given, double cost);

 private:
  Projection* known();
  Projection* made(Subject& subject);

  const DiscreteData& data_;
  bool pay_;
  // The latest used first.
  std::list<Projection> known_;
  // Searches try the sets around one pair, or around one variable.
  Subject pair_;
  Subject target_;
  std::size_t x_ = no_node;
  std::size_t y_ = no_node;
  std::vector<std::size_t> columns_;
};

}  // namespace dagathlon
