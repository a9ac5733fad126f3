#include "dagathlon/test/gaussian_test.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "dagathlon/stats/tails.hpp"

namespace dagathlon {

namespace {

// Degrees of freedom as the statistics are reported with.
double degrees_of_freedom(std::size_t n, std::size_t k, GaussianStatistic statistic) {
  const double rest = static_cast<double>(n) - static_cast<double>(k);
  if (statistic == GaussianStatistic::fisher_z) return rest - 3;
  if (statistic == GaussianStatistic::correlation) return rest - 2;
  return 1;
}

bool enough_rows(std::size_t n, std::size_t k, GaussianStatistic statistic) {
  // The likelihood ratio needs rows for a residual; it has one degree of freedom whatever n is.
  if (statistic == GaussianStatistic::information || statistic == GaussianStatistic::shrunk) return n > k + 2;
  return degrees_of_freedom(n, k, statistic) > 0;
}

// The intensity with which correlations are shrunk towards 0 (Ledoit and Wolf 2004; Schäfer and
// Strimmer 2005): the summed variance of the covariances over their summed squares. For two variables
// the products are centred on the covariance with n-1, as bnlearn does.
double shrinkage(std::span<const ValueColumn> columns, Nodes rows, const Moments& m) {
  const auto n = static_cast<double>(rows.size());
  double variances = 0;
  double squares = 0;
  for (std::size_t i = 0; i < columns.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double scale = 1.0 / std::sqrt(m.scatter(i, i) * m.scatter(j, j));
      const double covariance = m.scatter(i, j) * scale;
      const double centre = covariance / (columns.size() == 2 ? n - 1 : n);
      double spread = 0;
      for (const std::size_t row : rows) {
        const double product = (columns[i][row] - m.means[i]) * (columns[j][row] - m.means[j]) * scale - centre;
        spread += product * product;
      }
      variances += spread;
      squares += covariance * covariance;
    }
  const double intensity = variances * n / (n - 1) / squares;
  // No correlation at all, or a constant column: nothing is lost by shrinking to the end.
  return intensity < 1.0 ? intensity : 1.0;
}

std::vector<double> diagonal_of(const SymmetricMatrix& matrix) {
  std::vector<double> diagonal(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) diagonal[i] = matrix(i, i);
  return diagonal;
}

}  // namespace

TestResult gaussian_result(const PartialCorrelation& r, std::size_t n, std::size_t k, const GaussianOptions& options) {
  const GaussianStatistic kind = options.statistic;
  const double df = degrees_of_freedom(n, k, kind);
  if (!r.defined || !enough_rows(n, k, kind)) return {0.0, std::max(df, 0.0), 1.0, false};
  if (kind == GaussianStatistic::correlation) return {r.value, df, correlation_two_sided(r.value, df)};
  if (kind == GaussianStatistic::fisher_z) {
    const double cut = std::clamp(r.value, -options.largest_correlation, options.largest_correlation);
    const double z = std::atanh(cut) * std::sqrt(df);
    return {z, df, normal_two_sided(z)};
  }
  const double statistic = -static_cast<double>(n) * std::log1p(-r.value * r.value);
  return {statistic, 1, chi_square_tail(statistic, 1)};
}

GaussianTest::GaussianTest(std::span<const ValueColumn> columns, std::size_t rows, GaussianOptions options)
    : GaussianTest(dagathlon::correlation(moments(columns, rows)), rows, options) {}

GaussianTest::GaussianTest(SymmetricMatrix correlation, std::size_t rows, GaussianOptions options)
    : GaussianTest(std::make_shared<const SymmetricMatrix>(std::move(correlation)), rows, options) {}

GaussianTest::GaussianTest(std::shared_ptr<const SymmetricMatrix> correlation, std::size_t rows,
                           GaussianOptions options)
    : shared_(std::move(correlation)),
      correlation_(*shared_),
      own_(diagonal_of(correlation_)),
      plain_variances_(std::ranges::all_of(own_, [](double variance) { return variance == 1.0 || variance == 0.0; })),
      rows_(rows),
      options_(options),
      partial_(correlation_, own_),
      critical_square_(rows, options) {}

std::unique_ptr<IndependenceTest> GaussianTest::make_twin() const {
  return std::unique_ptr<IndependenceTest>(new GaussianTest(shared_, rows_, options_));
}

TestResult GaussianTest::run(std::size_t x, std::size_t y, Nodes given) {
  // A variable given itself uses up a degree of freedom and changes nothing else, as with the
  // generalised inverse of the correlations.
  if (std::ranges::find(given, x) != given.end()) {
    std::vector<std::size_t> others;
    std::ranges::remove_copy(given, std::back_inserter(others), x);
    return gaussian_result(partial_(x, y, others), rows_, given.size(), options_);
  }
  return gaussian_result(partial_(x, y, given), rows_, given.size(), options_);
}

bool GaussianTest::accepts(std::size_t x, std::size_t y, Nodes given, double alpha) {
  if (given.empty()) return decide({correlation_(x, y), own_[x] > 0 && own_[y] > 0}, 0, alpha);
  return decide(partial_(x, y, given), given.size(), alpha);
}

TestResult GaussianTest::run_below(std::size_t x, std::size_t y, Nodes given, double alpha) {
  if (std::ranges::find(given, x) != given.end()) return run(x, y, given);
  const PartialCorrelation r = partial_(x, y, given);
  const double critical = critical_square_(given.size(), alpha);
  // So near to the limit the p-value itself decides.
  constexpr double surely = 1 - 1e-9;
  if (r.defined && r.value * r.value < critical * surely) return {r.value, 0.0, 1.0};
  return gaussian_result(r, rows_, given.size(), options_);
}

// The weakest correlation has the highest p-value: no other one is needed.
GivenOne GaussianTest::given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha) {
  constexpr double surely = 1 + 1e-9;
  const double critical = critical_square_(1, alpha);
  GivenOne found;
  PartialCorrelation weakest{0.0, false};
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const PartialCorrelation r = partial_(x, y, nodes.subspan(place, 1));
    if (r.defined && critical >= 0 && r.value * r.value > critical * surely) {
      pulse::beat();
      ++calls_;
      if (!weakest.defined || std::abs(r.value) < std::abs(weakest.value)) weakest = r;
      continue;
    }
    const double p_value = association(x, y, nodes.subspan(place, 1), alpha);
    if (p_value >= alpha) return {found.highest, place};
    found.highest = std::max(found.highest, p_value);
  }
  if (weakest.defined) found.highest = std::max(found.highest, gaussian_result(weakest, rows_, 1, options_).p_value);
  return found;
}

bool GaussianTest::passes(const PartialCorrelation& r, std::size_t k, double alpha) {
  ++calls_;
  return decide(r, k, alpha);
}

bool GaussianTest::decide(const PartialCorrelation& r, std::size_t k, double alpha) {
  const double critical = critical_square_(k, alpha);
  if (!r.defined || critical < 0) return unanswered();
  return r.value * r.value <= critical;
}

double CriticalSquares::operator()(std::size_t k, double alpha) {
  if (alpha != alpha_) known_.clear();
  alpha_ = alpha;
  for (std::size_t j = known_.size(); j <= k; ++j) {
    const double df = degrees_of_freedom(rows_, j, options_.statistic);
    double critical = -1;
    if (!enough_rows(rows_, j, options_.statistic)) critical = -1;
    else if (alpha <= 0) critical = 1;
    else if (options_.statistic == GaussianStatistic::correlation)
      critical = std::pow(correlation_critical(alpha, df), 2);
    else if (options_.statistic == GaussianStatistic::fisher_z)
      critical = std::pow(std::tanh(normal_critical(alpha) / std::sqrt(df)), 2);
    else critical = alpha < 1 ? -std::expm1(-chi_square_critical(alpha, 1) / static_cast<double>(rows_)) : 0.0;
    known_.push_back(critical);
  }
  return known_[k];
}

RowwiseGaussianTest::RowwiseGaussianTest(std::span<const ValueColumn> columns, std::size_t rows,
                                         GaussianOptions options)
    : rows_(rows), options_(options) {
  values_.reserve(columns.size() * rows);
  for (const ValueColumn& source : columns) {
    BitSet& missing = missing_.emplace_back(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      values_.push_back(source[i]);
      if (std::isnan(source[i])) missing.set(i);
    }
  }
}

TestResult RowwiseGaussianTest::run(std::size_t x, std::size_t y, Nodes given) {
  std::vector<ValueColumn> columns{column(x), column(y)};
  BitSet incomplete = missing_[x];
  unite(incomplete, missing_[y]);
  for (const std::size_t z : given) {
    columns.push_back(column(z));
    unite(incomplete, missing_[z]);
  }
  complete_.clear();
  for (std::size_t i = 0; i < rows_; ++i)
    if (!incomplete.test(i)) complete_.push_back(i);
  const Moments m = moments(columns, complete_);
  SymmetricMatrix r = correlation(m);
  if (options_.statistic == GaussianStatistic::shrunk) {
    const double keep = complete_.size() > 1 ? 1.0 - shrinkage(columns, complete_, m) : 0.0;
    for (std::size_t i = 0; i < r.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) r.set(i, j, keep * r(i, j));
  }
  std::vector<std::size_t> places(given.size());
  for (std::size_t k = 0; k < places.size(); ++k) places[k] = k + 2;
  return gaussian_result(PartialCorrelations(r)(0, 1, places), complete_.size(), given.size(), options_);
}

}  // namespace dagathlon
