#include "dagathlon/data/block_moments.hpp"

#include <stdexcept>
#include <utility>

namespace dagathlon {

BlockMoments::BlockMoments(std::size_t columns) : sums_(columns), means_(columns), products_(columns) {}

BlockMoments::BlockMoments(std::vector<double> means, std::size_t rows)
    : pass_(Pass::rests), rows_(rows), sums_(means.size()), means_(std::move(means)), products_(means_.size()) {}

void BlockMoments::add(std::span<const ValueColumn> columns, std::size_t rows) {
  if (pass_ == Pass::over || ended_) throw std::logic_error("no block follows the last");
  const std::size_t p = columns.size();
  if (p != means_.size()) throw std::invalid_argument("a block has all columns");
  Team team(p * p * rows < worth_splitting ? 1 : products_.most_members());
  if (pass_ == Pass::products) {
    products_.add(team, means_, rows, [&](std::size_t j, std::size_t i) { return columns[j][i]; });
  } else {
    // In the first pass the means are 0.
    team.each(p, [&](std::size_t j, std::size_t) {
      pulse::beat(rows);
      sums_[j].add(rows, [&](std::size_t i) { return columns[j][i] - means_[j]; });
    });
  }
  ended_ = rows % rows_of_block != 0;
  passed_ += rows;
}

bool BlockMoments::next_pass() {
  if (pass_ == Pass::sums) rows_ = passed_;
  if (passed_ != rows_ || rows_ == 0) throw std::invalid_argument("every pass has the same rows");
  passed_ = 0;
  ended_ = false;
  if (pass_ == Pass::sums || pass_ == Pass::rests) {
    const auto n = static_cast<double>(rows_);
    for (std::size_t j = 0; j < means_.size(); ++j) means_[j] += sums_[j].total() / n;
    sums_.assign(sums_.size(), LaneSum());
  }
  pass_ = static_cast<Pass>(static_cast<std::uint8_t>(pass_) + 1);
  return pass_ != Pass::over;
}

Moments BlockMoments::finished() const {
  if (pass_ != Pass::over) throw std::logic_error("a pass is missing");
  Moments result{rows_, means_, SymmetricMatrix(means_.size())};
  products_.write(result.scatter);
  return result;
}

Moments selected(const Moments& moments, Nodes columns) {
  Moments result{moments.rows, {}, SymmetricMatrix(columns.size())};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    result.means.push_back(moments.means[columns[i]]);
    for (std::size_t j = 0; j <= i; ++j) result.scatter.set(i, j, moments.scatter(columns[i], columns[j]));
  }
  return result;
}

}  // namespace dagathlon
