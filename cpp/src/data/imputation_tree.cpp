// Classification trees that are grown only where a gap needs them.
#include <algorithm>
#include <functional>
#include <optional>

#include "dagathlon/data/imputation.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Rows = std::vector<std::size_t>;

constexpr std::size_t smallest_leaf = 5;
// Thresholds that are tried for a continuous column in each node.
constexpr std::size_t n_thresholds = 8;

struct LevelSplit {
  std::size_t column;
  double value;
  // Rows with this level, or up to this value, go left.
  bool left(const std::vector<ImputedColumn>& columns, std::size_t row) const {
    const double found = columns[column].values[row];
    return columns[column].discrete ? found == value : found <= value;
  }
};

class TreeImputation {
 public:
  TreeImputation(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random)
      : columns_(columns), target_(target), random_(random) {}

  void run() {
    const Rows observed = observed_rows(columns_[target_]);
    Rows sample;
    for (std::size_t k = 0; k < observed.size(); ++k) sample.push_back(observed[random_.below(observed.size())]);
    grow(sample, columns_[target_].gaps);
  }

 private:
  std::vector<double>& values() { return columns_[target_].values; }

  void grow(const Rows& sample, const Rows& gaps) {
    if (gaps.empty()) return;
    const std::optional<LevelSplit> split = best_split(sample);
    if (!split) {
      for (const std::size_t row : gaps) values()[row] = values()[sample[random_.below(sample.size())]];
      return;
    }
    const auto part = [&](const Rows& rows, bool left) {
      Rows result;
      for (const std::size_t row : rows)
        if (split->left(columns_, row) == left) result.push_back(row);
      return result;
    };
    grow(part(sample, true), part(gaps, true));
    grow(part(sample, false), part(gaps, false));
  }

  // The split with the largest fall of Gini's impurity; none where no split leaves enough rows on both
  // sides and makes the sides purer.
  std::optional<LevelSplit> best_split(const Rows& sample) {
    std::optional<LevelSplit> best;
    double best_purity = purity(counts(sample)) * (1 + 1e-9);
    if (sample.size() < 2 * smallest_leaf) return best;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (j == target_) continue;
      for (const double value : places(j, sample)) {
        pulse::beat(sample.size());
        const double found = purity_after({j, value}, sample);
        if (found > best_purity) {
          best_purity = found;
          best = LevelSplit{j, value};
        }
      }
    }
    return best;
  }

  std::vector<double> places(std::size_t j, const Rows& sample) {
    std::vector<double> result;
    const ImputedColumn& column = columns_[j];
    // Two levels make one split, not two.
    for (std::size_t level = column.levels == 2 ? 1 : 0; column.discrete && level < column.levels; ++level)
      result.push_back(static_cast<double>(level));
    for (std::size_t k = 0; !column.discrete && k < n_thresholds; ++k)
      result.push_back(column.values[sample[random_.below(sample.size())]]);
    return result;
  }

  std::vector<double> counts(const Rows& rows) {
    std::vector<double> result(columns_[target_].levels);
    for (const std::size_t row : rows) result[static_cast<std::size_t>(values()[row])] += 1;
    return result;
  }

  // The sum of squared counts over the number of rows.
  static double purity(const std::vector<double>& counts) {
    double rows = 0;
    double squares = 0;
    for (const double count : counts) {
      rows += count;
      squares += count * count;
    }
    return rows > 0 ? squares / rows : 0.0;
  }

  double purity_after(const LevelSplit& split, const Rows& sample) {
    std::vector<double> left(columns_[target_].levels);
    std::vector<double> right = left;
    std::size_t n_left = 0;
    for (const std::size_t row : sample) {
      const bool goes_left = split.left(columns_, row);
      n_left += goes_left ? 1 : 0;
      (goes_left ? left : right)[static_cast<std::size_t>(values()[row])] += 1;
    }
    if (n_left < smallest_leaf || sample.size() - n_left < smallest_leaf) return -1.0;
    return purity(left) + purity(right);
  }

  std::vector<ImputedColumn>& columns_;
  std::size_t target_;
  Stream& random_;
};

}  // namespace

void impute_by_tree(std::vector<ImputedColumn>& columns, std::size_t target, Stream& random) {
  TreeImputation(columns, target, random).run();
}

}  // namespace dagathlon
