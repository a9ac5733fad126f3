// Random forests whose leaves lend values to gaps.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dagathlon/data/imputation.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Rows = std::vector<std::size_t>;

// A node of fewer rows than this is a leaf.
constexpr std::size_t smallest_split = 5;
constexpr std::size_t deepest = 60;

struct Split {
  std::size_t column = 0;
  double value = 0;
  double purity = 0;
};

// The rows on one side of a split: how alike their values are.
class Side {
 public:
  // Without levels, the values are numbers.
  explicit Side(std::size_t levels) : counts_(levels) {}
  void change(double value, double by) {
    rows_ += by;
    if (counts_.empty()) {
      sum_ += by * value;
    } else {
      double& count = counts_[static_cast<std::size_t>(value)];
      squares_ += by * (2 * count + by);
      count += by;
    }
  }
  // What a split makes as large as it can: the squares of counts, or of the sum, over the rows.
  double purity() const { return rows_ > 0 ? (counts_.empty() ? sum_ * sum_ : squares_) / rows_ : 0.0; }

 private:
  std::vector<double> counts_;
  double rows_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

class Forest {
 public:
  Forest(std::vector<ImputedColumn>& columns, std::size_t target, const ForestOptions& options, Stream& random)
      : columns_(columns), target_(target), options_(options), random_(random), levels_(columns[target].levels) {
    if (!columns[target].discrete) levels_ = 0;
    const auto others = static_cast<double>(columns.size() - 1);
    tried_ = options.all_columns ? columns.size() - 1 : static_cast<std::size_t>(std::max(1.0, std::sqrt(others)));
  }

  void run() {
    ImputedColumn& column = columns_[target_];
    observed_ = observed_rows(column);
    for (const std::size_t row : observed_)
      if (levels_ == 0) centre_ += column.values[row] / static_cast<double>(observed_.size());
    // The gaps are filled when all trees have been asked, since trees read no gap of their own column.
    lent_.assign(column.values.size(), 0.0);
    donors_.assign(column.values.size(), 0.0);
    for (std::size_t tree = 0; tree < options_.trees; ++tree) {
      Rows sample;
      for (std::size_t k = 0; k < observed_.size(); ++k) sample.push_back(observed_[random_.below(observed_.size())]);
      grow(sample, column.gaps, 0);
    }
    for (const std::size_t row : column.gaps) column.values[row] = lent_[row];
  }

 private:
  double value(std::size_t row) const { return columns_[target_].values[row]; }

  // The value as a side of a split counts it: far from 0, squares of sums would drown the differences.
  double counted(std::size_t row) const { return value(row) - centre_; }

  bool goes_left(const Split& split, std::size_t row) const {
    const double found = columns_[split.column].values[row];
    return columns_[split.column].discrete ? found == split.value : found <= split.value;
  }

  void grow(const Rows& sample, const Rows& gaps, std::size_t depth) {
    if (gaps.empty()) return;
    const std::optional<Split> split = depth < deepest ? best_split(sample) : std::nullopt;
    if (!split) {
      for (const std::size_t row : gaps) lend(row, sample);
      return;
    }
    const auto part = [&](const Rows& rows, bool left) {
      Rows result;
      for (const std::size_t row : rows)
        if (goes_left(*split, row) == left) result.push_back(row);
      return result;
    };
    grow(part(sample, true), part(gaps, true), depth + 1);
    grow(part(sample, false), part(gaps, false), depth + 1);
  }

  // One of all donors so far, each with the same chance.
  void lend(std::size_t row, const Rows& sample) {
    const auto added = static_cast<double>(sample.size());
    donors_[row] += added;
    if (random_.uniform() * donors_[row] < added) lent_[row] = value(sample[random_.below(sample.size())]);
  }

  std::optional<Split> best_split(const Rows& sample) {
    if (sample.size() < smallest_split) return std::nullopt;
    Side all(levels_);
    for (const std::size_t row : sample) all.change(counted(row), 1);
    Split best{0, 0, all.purity() + 1e-9 * (1 + std::abs(all.purity()))};
    bool found = false;
    for (const std::size_t j : tried_columns()) {
      pulse::beat(4 * sample.size());
      const Split split = columns_[j].discrete ? best_level(j, sample) : best_threshold(j, sample);
      if (split.purity <= best.purity) continue;
      best = split;
      found = true;
    }
    return found ? std::optional(best) : std::nullopt;
  }

  Rows tried_columns() {
    Rows others;
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (j != target_) others.push_back(j);
    if (tried_ >= others.size()) return others;
    for (std::size_t k = 0; k < tried_; ++k) std::swap(others[k], others[k + random_.below(others.size() - k)]);
    others.resize(tried_);
    return others;
  }

  Split best_level(std::size_t j, const Rows& sample) const {
    Split best{j, 0, -1};
    const std::size_t levels = columns_[j].levels;
    for (std::size_t level = levels == 2 ? 1 : 0; level < levels; ++level) {
      Side left(levels_);
      Side right(levels_);
      std::size_t n_left = 0;
      for (const std::size_t row : sample) {
        const bool in = columns_[j].values[row] == static_cast<double>(level);
        n_left += in ? 1 : 0;
        (in ? left : right).change(counted(row), 1);
      }
      if (n_left == 0 || n_left == sample.size()) continue;
      const double purity = left.purity() + right.purity();
      if (purity > best.purity) best = {j, static_cast<double>(level), purity};
    }
    return best;
  }

  Split best_threshold(std::size_t j, const Rows& sample) const {
    // Pairs side by side are sorted much faster than row numbers.
    std::vector<std::pair<double, double>> sorted;
    sorted.reserve(sample.size());
    for (const std::size_t row : sample) sorted.emplace_back(columns_[j].values[row], counted(row));
    std::ranges::sort(sorted);
    Side left(levels_);
    Side right(levels_);
    for (const auto& [_, value] : sorted) right.change(value, 1);
    Split best{j, 0, -1};
    for (std::size_t k = 0; k + 1 < sorted.size(); ++k) {
      left.change(sorted[k].second, 1);
      right.change(sorted[k].second, -1);
      if (sorted[k].first == sorted[k + 1].first) continue;
      const double purity = left.purity() + right.purity();
      if (purity > best.purity) best = {j, sorted[k].first, purity};
    }
    return best;
  }

  std::vector<ImputedColumn>& columns_;
  std::size_t target_;
  ForestOptions options_;
  Stream& random_;
  std::size_t levels_;
  std::size_t tried_ = 1;
  double centre_ = 0;
  Rows observed_;
  std::vector<double> lent_;
  std::vector<double> donors_;
};

}  // namespace

void impute_by_forest(std::vector<ImputedColumn>& columns, std::size_t target, const ForestOptions& options,
                      Stream& random) {
  Forest(columns, target, options, random).run();
}

}  // namespace dagathlon
