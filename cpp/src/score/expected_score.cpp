#include "dagathlon/score/expected_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "dagathlon/stats/constants.hpp"
#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

struct ExpectedFamily {
  std::span<const double> cells;
  std::size_t levels;
  double configurations;

  // Calls visit(counts, total) for every configuration that may occur.
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t start = 0; start < cells.size(); start += levels) {
      const std::span<const double> counts = cells.subspan(start, levels);
      double total = 0;
      for (const double count : counts) total += count;
      if (total > 0) visit(counts, total);
    }
  }
};

class Penalised {
 public:
  explicit Penalised(double penalty) : penalty_(penalty) {}
  double operator()(const ExpectedFamily& family) const {
    double sum = 0;
    family.each([&](std::span<const double> counts, double total) {
      for (const double count : counts)
        if (count > 0) sum += count * std::log(count);
      sum -= total * std::log(total);
    });
    return sum - penalty_ * family.configurations * static_cast<double>(family.levels - 1);
  }

 private:
  double penalty_;
};

class Dirichlet {
 public:
  Dirichlet(Pseudocount kind, double size) : kind_(kind), size_(size) {}
  double operator()(const ExpectedFamily& family) const {
    const auto levels = static_cast<double>(family.levels);
    const double cell = kind_ == Pseudocount::cell ? size_ : size_ / (family.configurations * levels);
    const double row = cell * levels;
    const double of_cell = log_gamma(cell);
    const double of_row = log_gamma(row);
    double sum = 0;
    family.each([&](std::span<const double> counts, double total) {
      sum += of_row - log_gamma(row + total);
      for (const double count : counts)
        if (count > 0) sum += log_gamma(cell + count) - of_cell;
    });
    return sum;
  }

 private:
  Pseudocount kind_;
  double size_;
};

template <class Formula>
class ExpectedScore final : public Score {
 public:
  ExpectedScore(std::shared_ptr<ExpectedCounts> counts, Formula formula)
      : counts_(std::move(counts)), formula_(formula) {}

  std::size_t size() const override { return counts_->data().columns.size(); }

  double local(std::size_t child, Nodes parents) override {
    const IncompleteData& data = counts_->data();
    pulse::beat(data.rows);
    double configurations = 1;
    for (const std::size_t s : parents) configurations *= static_cast<double>(data.arities[s]);
    const std::size_t levels = data.arities[child];
    const double cells = configurations * static_cast<double>(levels);
    if (cells > most_family_cells) return minus_infinity;
    cells_.clear();
    try {
      fill(child, parents, static_cast<std::size_t>(cells));
    } catch (const TableTooLarge&) {
      return minus_infinity;
    }
    return formula_(ExpectedFamily{cells_, levels, configurations});
  }

 private:
  void fill(std::size_t child, Nodes parents, std::size_t cells) {
    if (cells > std::max<std::size_t>(4096, 8 * counts_->data().rows))
      return counts_->add_sparse_counts(child, parents, cells_);
    cells_.resize(cells, 0.0);
    counts_->add_counts(child, parents, cells_);
  }

  std::shared_ptr<ExpectedCounts> counts_;
  Formula formula_;
  std::vector<double> cells_;
};

}  // namespace

std::unique_ptr<Score> expected_likelihood(std::shared_ptr<ExpectedCounts> counts, double penalty) {
  return std::make_unique<ExpectedScore<Penalised>>(std::move(counts), Penalised(penalty));
}

std::unique_ptr<Score> expected_dirichlet(std::shared_ptr<ExpectedCounts> counts, Pseudocount kind, double size) {
  return std::make_unique<ExpectedScore<Dirichlet>>(std::move(counts), Dirichlet(kind, size));
}

}  // namespace dagathlon
