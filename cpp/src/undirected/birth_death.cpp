#include "dagathlon/undirected/birth_death.hpp"

#include <algorithm>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The mean rate forgets what is so many sweeps ago.
constexpr double memory = 200;

}  // namespace

void BirthDeath::find_rates(const GaussianGraph& graph) {
  n_ = graph.size();
  rates_.resize(n_ * n_);
  rows_.assign(n_, 0.0);
  total_ = 0;
  pulse::beat(n_ * n_ * 32);
  for (std::size_t i = 0; i < n_; ++i) {
    const std::span<double> row(rates_.data() + i * n_, n_);
    graph.odds_of_row(i, row);
    for (std::size_t j = i + 1; j < n_; ++j) {
      row[j] = std::min(1.0, graph.adjacent().test(i, j) ? 1 / row[j] : row[j]);
      rows_[i] += row[j];
    }
    total_ += rows_[i];
  }
}

void BirthDeath::note_rate() {
  ++tuned_;
  // Later sweeps weigh more: rates are high as long as a chain is far from the graphs it is to visit.
  const double weight = 2 / (std::min(static_cast<double>(tuned_), memory) + 1);
  mean_rate_ += weight * (std::max(total_, 1e-12) - mean_rate_);
}

std::pair<std::size_t, std::size_t> BirthDeath::choose(Stream& random) const {
  double left = random.uniform() * total_;
  // Rounding may leave a rest after the last pair: then it is the last one that has a rate.
  std::pair<std::size_t, std::size_t> last{0, 0};
  for (std::size_t i = 0; i < n_; ++i) {
    if (rows_[i] > 0) last.first = i;
    if (left < rows_[i]) break;
    left -= rows_[i];
  }
  const double* row = &rates_[last.first * n_];
  for (std::size_t j = last.first + 1; j < n_; ++j) {
    if (row[j] > 0) last.second = j;
    if (left < row[j]) break;
    left -= row[j];
  }
  return last;
}

void ReversibleJump::sweep(GaussianGraph& graph, Stream& random) {
  const std::size_t n = graph.size();
  for (std::size_t k = 0; k < proposals_ && n > 1; ++k) {
    pulse::beat();
    const std::size_t a = random.below(n), other = random.below(n - 1), c = other + (other >= a);
    const std::size_t i = std::min(a, c), j = std::max(a, c);
    const double odds = graph.log_odds(i, j);
    if (std::log(1 - random.uniform()) < (graph.adjacent().test(i, j) ? -odds : odds)) graph.change(i, j, random);
  }
  graph.refresh(random);
}

}  // namespace dagathlon
