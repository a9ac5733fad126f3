// Levels from logistic regressions: multinomial, or with proportional odds.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "dagathlon/data/imputation.hpp"
#include "dagathlon/data/imputation_design.hpp"
#include "dagathlon/linalg/cholesky.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

constexpr int most_steps = 40;
constexpr int most_halvings = 20;
constexpr double small_decrement = 1e-9;
constexpr double least_probability = 1e-12;

double expit(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// Rows of standardised predictors, each with a leading 1, with levels and weights.
struct LevelRows {
  std::size_t width = 1;
  std::size_t levels = 0;
  std::vector<double> x;
  std::vector<std::size_t> y;
  std::vector<double> weights;
  std::span<const double> row(std::size_t i) const { return std::span(x).subspan(i * width, width); }
};

// What is climbed to the best fit: the log-likelihood, its slope, and minus the expected curvature.
struct Climb {
  std::vector<double> slope;
  std::vector<double> information;
};

class Multinomial {
 public:
  explicit Multinomial(const LevelRows& rows) : rows_(rows) {}
  std::size_t size() const { return (rows_.levels - 1) * rows_.width; }
  std::vector<double> start() const { return std::vector<double>(size()); }
  static void mend(std::vector<double>&, std::size_t) {}

  // The first level has the linear predictor 0.
  void probabilities(const std::vector<double>& at, std::span<const double> x, std::vector<double>& p) const {
    p.assign(rows_.levels, 0.0);
    for (std::size_t k = 1; k < rows_.levels; ++k)
      p[k] = std::inner_product(x.begin(), x.end(), at.begin() + static_cast<std::ptrdiff_t>((k - 1) * x.size()), 0.0);
    const double top = *std::ranges::max_element(p);
    double sum = 0;
    for (double& one : p) {
      one = std::exp(one - top);
      sum += one;
    }
    for (double& one : p) one /= sum;
  }

  void add(std::size_t i, const std::vector<double>& p, Climb& climb) const {
    const std::span<const double> x = rows_.row(i);
    const std::size_t e = x.size();
    const double w = rows_.weights[i];
    for (std::size_t k = 0; k + 1 < rows_.levels; ++k) {
      const double miss = w * ((rows_.y[i] == k + 1 ? 1.0 : 0.0) - p[k + 1]);
      for (std::size_t a = 0; a < e; ++a) climb.slope[k * e + a] += miss * x[a];
      for (std::size_t l = 0; l <= k; ++l) add_block(k, l, w * p[k + 1] * ((k == l ? 1.0 : 0.0) - p[l + 1]), x, climb);
    }
  }

 private:
  void add_block(std::size_t k, std::size_t l, double weight, std::span<const double> x, Climb& climb) const {
    const std::size_t e = x.size();
    for (std::size_t a = 0; a < e; ++a) {
      const double scaled = weight * x[a];
      double* place = climb.information.data() + (k * e + a) * size() + l * e;
      const std::size_t end = k == l ? a + 1 : e;
      for (std::size_t b = 0; b < end; ++b) place[b] += scaled * x[b];
    }
  }

  const LevelRows& rows_;
};

// The probability of at most level k is expit(threshold k − slopes·x).
class ProportionalOdds {
 public:
  explicit ProportionalOdds(const LevelRows& rows) : rows_(rows), thresholds_(rows.levels - 1) {}
  std::size_t size() const { return thresholds_ + rows_.width - 1; }

  std::vector<double> start() const {
    std::vector<double> at(size());
    std::vector<double> counts(rows_.levels, 1e-3);
    for (std::size_t i = 0; i < rows_.y.size(); ++i) counts[rows_.y[i]] += rows_.weights[i];
    const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
    double below = 0;
    for (std::size_t k = 0; k < thresholds_; ++k) {
      below += counts[k];
      at[k] = std::log(below / (all - below));
    }
    return at;
  }

  // Thresholds of a draw that have passed each other.
  static void mend(std::vector<double>& at, std::size_t levels) {
    std::sort(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(levels - 1));
  }

  void probabilities(const std::vector<double>& at, std::span<const double> x, std::vector<double>& p) const {
    const double eta = predictor(at, x);
    p.assign(rows_.levels, 0.0);
    double below = 0;
    for (std::size_t k = 0; k < thresholds_; ++k) {
      const double up_to = expit(at[k] - eta);
      p[k] = up_to - below;
      below = up_to;
    }
    p[thresholds_] = 1 - below;
  }

  void add(std::size_t i, const std::vector<double>& p, Climb& climb) const {
    // Densities at the thresholds, from the probabilities up to them.
    std::vector<double> density(thresholds_ + 1);
    double up_to = 0;
    for (std::size_t k = 0; k < thresholds_; ++k) {
      up_to += p[k];
      density[k] = up_to * (1 - up_to);
    }
    for (std::size_t k = 0; k < rows_.levels; ++k) {
      const double before = k > 0 ? density[k - 1] : 0.0;
      const double after = k < thresholds_ ? density[k] : 0.0;
      add_level(i, k, before, after, std::max(p[k], least_probability), climb);
    }
  }

 private:
  double predictor(const std::vector<double>& at, std::span<const double> x) const {
    return std::inner_product(x.begin() + 1, x.end(), at.begin() + static_cast<std::ptrdiff_t>(thresholds_), 0.0);
  }

  // Slopes of one level's probability: along the threshold above, the one below, and the predictor.
  void add_level(std::size_t i, std::size_t k, double before, double after, double p, Climb& climb) const {
    const std::span<const double> x = rows_.row(i);
    const double w = rows_.weights[i];
    const double along = before - after;
    const double scale = rows_.y[i] == k ? w / p : 0.0;
    const double weight = w / p;
    const std::size_t q = size();
    if (k < thresholds_) {
      climb.slope[k] += scale * after;
      climb.information[k * q + k] += weight * after * after;
      if (k > 0) climb.information[k * q + k - 1] -= weight * after * before;
    }
    if (k > 0) {
      climb.slope[k - 1] -= scale * before;
      climb.information[(k - 1) * q + k - 1] += weight * before * before;
    }
    for (std::size_t a = 1; a < x.size(); ++a) {
      const std::size_t row = thresholds_ + a - 1;
      climb.slope[row] += scale * along * x[a];
      double* place = climb.information.data() + row * q;
      if (k < thresholds_) place[k] += weight * along * after * x[a];
      if (k > 0) place[k - 1] -= weight * along * before * x[a];
      const double scaled = weight * along * along * x[a];
      for (std::size_t b = 1; b <= a; ++b) place[thresholds_ + b - 1] += scaled * x[b];
    }
  }

  const LevelRows& rows_;
  std::size_t thresholds_;
};

template <class Model>
double log_likelihood(const Model& model, const LevelRows& rows, const std::vector<double>& at) {
  double sum = 0;
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    pulse::beat(rows.width * rows.levels);
    model.probabilities(at, rows.row(i), p);
    if (!(p[rows.y[i]] > 0)) return -std::numeric_limits<double>::infinity();
    sum += rows.weights[i] * std::log(p[rows.y[i]]);
  }
  return sum;
}

template <class Model>
Climb climb_of(const Model& model, const LevelRows& rows, const std::vector<double>& at) {
  const std::size_t q = model.size();
  Climb climb{std::vector<double>(q), std::vector<double>(q * q)};
  std::vector<double> p;
  for (std::size_t i = 0; i < rows.y.size(); ++i) {
    pulse::beat(q * rows.width);
    model.probabilities(at, rows.row(i), p);
    model.add(i, p, climb);
  }
  return climb;
}

// The lower Cholesky factor in place of a matrix with a ridge, of which the lower half is read.
void factor_in_place(std::vector<double>& matrix, std::size_t q) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    const double value = matrix[i * q + j];
    if (i != j) return value;
    pulse::beat(q * (i + 1));
    return value + (imputation_ridge * value + 1e-12);
  };
  cholesky::factorise(matrix, q, entry, cholesky::RaiseTo{1e-12});
}

// A draw from the normal approximation of the posterior, found by Fisher's scoring.
template <class Model>
std::vector<double> drawn(const Model& model, const LevelRows& rows, Stream& random) {
  const std::size_t q = model.size();
  std::vector<double> at = model.start();
  double height = log_likelihood(model, rows, at);
  std::vector<double> factor;
  for (int step = 0; step < most_steps; ++step) {
    Climb climb = climb_of(model, rows, at);
    factor = std::move(climb.information);
    factor_in_place(factor, q);
    std::vector<double>& way = climb.slope;
    double decrement = 0;
    for (std::size_t i = 0; i < q; ++i) {
      for (std::size_t l = 0; l < i; ++l) way[i] -= factor[i * q + l] * way[l];
      way[i] /= factor[i * q + i];
      decrement += way[i] * way[i];
    }
    if (decrement < small_decrement * static_cast<double>(rows.y.size())) break;
    cholesky::solve_upper(factor, way);
    std::vector<double> next(q);
    double length = 1;
    double reached = 0;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      for (std::size_t i = 0; i < q; ++i) next[i] = at[i] + length * way[i];
      reached = log_likelihood(model, rows, next);
      if (reached >= height) break;
    }
    if (!(reached > height)) break;
    at = next;
    height = reached;
  }
  std::vector<double> noise(q);
  for (double& one : noise) one = random.normal();
  cholesky::solve_upper(factor, noise);
  for (std::size_t i = 0; i < q; ++i) at[i] += noise[i];
  Model::mend(at, rows.levels);
  return at;
}

// The predictors in units of their standard deviation; constant ones are left out.
LevelRows standardised(const Design& design, std::size_t n) {
  LevelRows all;
  std::vector<std::vector<double>> kept;
  for (std::size_t k = 1; k < design.width(); ++k) {
    std::vector<double> column = design.predictor(k);
    const double mean = std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(n);
    double squares = 0;
    for (double& value : column) {
      value -= mean;
      squares += value * value;
    }
    const double spread = std::sqrt(squares / static_cast<double>(n));
    if (!(spread > 1e-12 * (1 + std::abs(mean)))) continue;
    for (double& value : column) value /= spread;
    kept.push_back(std::move(column));
  }
  all.width = kept.size() + 1;
  all.x.resize(n * all.width);
  for (std::size_t i = 0; i < n; ++i) {
    all.x[i * all.width] = 1;
    for (std::size_t k = 0; k < kept.size(); ++k) all.x[i * all.width + k + 1] = kept[k][i];
  }
  return all;
}

// Rows that keep a fit finite where a predictor tells the level for sure (White, Daniel and Royston 2010):
// half a standard deviation to either side of the mean of each predictor, with the levels as often as they
// were observed, and the weight of one row per parameter in all.
void augment(LevelRows& rows, const std::vector<double>& shares) {
  const std::size_t predictors = rows.width - 1;
  for (std::size_t k = 1; k <= predictors; ++k)
    for (const double side : {-0.5, 0.5})
      for (std::size_t level = 0; level < rows.levels; ++level) {
        std::vector<double> x(rows.width);
        x[0] = 1;
        x[k] = side;
        rows.x.insert(rows.x.end(), x.begin(), x.end());
        rows.y.push_back(level);
        rows.weights.push_back(static_cast<double>(rows.width) * shares[level] / static_cast<double>(2 * predictors));
      }
}

template <class Model>
void fill(ImputedColumn& column, const LevelRows& fitted, const LevelRows& all, const std::vector<double>& values,
          Stream& random) {
  const Model model(fitted);
  const std::vector<double> at = drawn(model, fitted, random);
  std::vector<double> p;
  for (const std::size_t row : column.gaps) {
    model.probabilities(at, all.row(row), p);
    double rest = random.uniform();
    std::size_t level = 0;
    while (level + 1 < p.size() && rest >= p[level]) rest -= p[level++];
    column.values[row] = values[level];
  }
}

}  // namespace

void impute_by_levels(std::vector<ImputedColumn>& columns, std::size_t target, bool ordered, Stream& random) {
  ImputedColumn& column = columns[target];
  const LevelRows all = standardised(Design(columns, target), column.values.size());
  const std::vector<std::size_t> observed = observed_rows(column);
  std::vector<double> shares(column.levels);
  for (const std::size_t row : observed)
    shares[static_cast<std::size_t>(column.values[row])] += 1 / static_cast<double>(observed.size());
  // Levels that nobody has seen are never drawn.
  std::vector<double> values;
  std::vector<std::size_t> place(column.levels);
  for (std::size_t level = 0; level < column.levels; ++level) {
    place[level] = values.size();
    if (shares[level] > 0) values.push_back(static_cast<double>(level));
  }
  std::erase(shares, 0.0);
  if (values.size() < 2) {
    for (const std::size_t row : column.gaps) column.values[row] = values[0];
    return;
  }
  LevelRows rows;
  rows.width = all.width;
  rows.levels = values.size();
  for (const std::size_t row : observed) {
    rows.x.insert(rows.x.end(), all.row(row).begin(), all.row(row).end());
    rows.y.push_back(place[static_cast<std::size_t>(column.values[row])]);
    rows.weights.push_back(1);
  }
  augment(rows, shares);
  if (ordered) fill<ProportionalOdds>(column, rows, all, values, random);
  else fill<Multinomial>(column, rows, all, values, random);
}

}  // namespace dagathlon
