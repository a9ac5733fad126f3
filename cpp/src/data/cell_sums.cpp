#include "dagathlon/data/cell_sums.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr std::size_t numbers_per_vector = 4;

}  // namespace

CellTable::CellTable(std::vector<CellSum> sums, std::size_t observations, std::size_t longest)
    : sums_(std::move(sums)),
      lanes_((std::max<std::size_t>(sums_.size(), 1) + numbers_per_vector - 1) / numbers_per_vector *
             numbers_per_vector),
      limit_(std::min(observations + 1, longest)) {}

const double* CellTable::of_cells(double cells) {
  if (const auto found = tables_.find(cells); found != tables_.end()) return found->second.data();
  std::vector<double> table(limit_ * lanes_, 0.0);
  for (std::size_t count = 1; count < limit_; ++count) {
    if (count % 64 == 0) pulse::beat();
    evaluate(count, cells, table.data() + count * lanes_);
  }
  return tables_.emplace(cells, std::move(table)).first->second.data();
}

void CellTable::evaluate(std::size_t count, double cells, double* values) {
  for (std::size_t k = 0; k < sums_.size(); ++k) values[k] = value(sums_[k], count, cells);
}

double CellTable::value(const CellSum& sum, std::size_t count, double cells) {
  if (count == 0) return 0;
  const auto n = static_cast<double>(count);
  switch (sum.kind) {
    case CellSum::Kind::entropy: return n * std::log(n);
    case CellSum::Kind::spread: return log_gamma(n + sum.parameter / cells) - log_gamma(sum.parameter / cells);
    case CellSum::Kind::cell: return log_gamma(n + sum.parameter) - log_gamma(sum.parameter);
    case CellSum::Kind::regret: return regret_(count, sum.parameter);
    default: return 1;
  }
}

}  // namespace dagathlon
