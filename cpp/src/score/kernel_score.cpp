#include "dagathlon/score/kernel_score.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// The authors' share of variance on its own, and their number of folds.
constexpr double own_variance = 0.01;
constexpr std::size_t most_folds = 10;
// With fewer there is nothing to leave out, and no family is better than another.
constexpr std::size_t fewest_rows = 4;
// Rows whose distances give the width of a kernel.
constexpr std::size_t rows_for_width = 1000;
// A factor ends when what is left of a kernel's mean diagonal is below this, or with so many features.
constexpr double smallest_rest = 1e-6;
constexpr std::size_t most_features = 100;

// Row after row, without padding.
struct Matrix {
  Matrix(std::size_t rows, std::size_t columns) : height(rows), width(columns), cells(rows * columns) {}
  double& operator()(std::size_t i, std::size_t j) { return cells[i * width + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells[i * width + j]; }
  double* row(std::size_t i) { return cells.data() + i * width; }
  const double* row(std::size_t i) const { return cells.data() + i * width; }

  std::size_t height;
  std::size_t width;
  std::vector<double> cells;
};

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// The lower triangular factor, in place of a positive definite matrix.
void factorise(Matrix& a) {
  for (std::size_t i = 0; i < a.height; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double rest = a(i, j) - dot(a.row(i), a.row(j), j);
      a(i, j) = i == j ? std::sqrt(std::max(rest, 1e-300)) : rest / a(j, j);
    }
}

double log_determinant(const Matrix& factor) {
  double sum = 0;
  for (std::size_t i = 0; i < factor.height; ++i) sum += 2 * std::log(factor(i, i));
  return sum;
}

// Solves factor·x = b for the columns of b, in place.
void forward(const Matrix& factor, Matrix& b) {
  for (std::size_t i = 0; i < factor.height; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      for (std::size_t c = 0; c < b.width; ++c) b(i, c) -= factor(i, k) * b(k, c);
    for (std::size_t c = 0; c < b.width; ++c) b(i, c) /= factor(i, i);
  }
}

void backward(const Matrix& factor, Matrix& b) {
  for (std::size_t i = factor.height; i-- > 0;) {
    for (std::size_t k = i + 1; k < factor.height; ++k)
      for (std::size_t c = 0; c < b.width; ++c) b(i, c) -= factor(k, i) * b(k, c);
    for (std::size_t c = 0; c < b.width; ++c) b(i, c) /= factor(i, i);
  }
}

// out += sign · a'·b
void add_product(const Matrix& a, const Matrix& b, double sign, Matrix& out) {
  for (std::size_t k = 0; k < a.height; ++k)
    for (std::size_t i = 0; i < a.width; ++i) {
      const double factor = sign * a(k, i);
      for (std::size_t j = 0; j < b.width; ++j) out(i, j) += factor * b(k, j);
    }
}

// Products of features over some rows.
struct Products {
  Products(std::size_t q, std::size_t m) : parents(q, q), both(q, m), child(m, m) {}
  Matrix parents;
  Matrix both;
  Matrix child;
};

// What is left of the child's products after regression with these coefficients.
Matrix left_over(const Products& of, const Matrix& coefficients) {
  Matrix rest = of.child;
  add_product(coefficients, of.both, -1, rest);
  add_product(of.both, coefficients, -1, rest);
  Matrix half(of.parents.height, coefficients.width);
  add_product(of.parents, coefficients, 1, half);
  add_product(coefficients, half, 1, rest);
  return rest;
}

class KernelScore : public Score {
 public:
  KernelScore(std::vector<KernelColumn> columns, double ridge)
      : columns_(std::move(columns)),
        ridge_(ridge),
        rows_(columns_.empty() ? 0 : columns_[0].values.size()),
        folds_(std::max<std::size_t>(2, std::min(most_folds, rows_ / 2))),
        precisions_(columns_.size()),
        own_(columns_.size(), Matrix(0, 0)) {
    for (std::size_t j = 0; j < columns_.size(); ++j) precisions_[j] = precision(j);
  }

  std::size_t size() const override { return columns_.size(); }

  double local(std::size_t child, Nodes parents) override {
    if (rows_ < fewest_rows) return 0;
    const Matrix& x = own(child);
    if (parents.empty()) return judged(x, Matrix(0, rows_));
    if (parents.size() == 1) return judged(x, own(parents[0]));
    return judged(x, features(parents));
  }

 private:
  // One over the square of the kernel's width: twice the median of the squared distances.
  double precision(std::size_t column) const {
    const std::vector<double>& v = columns_[column].values;
    const std::size_t n = std::min(rows_, rows_for_width);
    std::vector<double> apart;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        if (const double d = (v[i] - v[j]) * (v[i] - v[j]); d > 0) apart.push_back(d);
    if (apart.empty()) return 1;
    const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
    std::ranges::nth_element(apart, middle);
    return 1 / (2 * *middle);
  }

  const Matrix& own(std::size_t column) {
    if (own_[column].height == 0) {
      const std::size_t one[] = {column};
      own_[column] = features(one);
    }
    return own_[column];
  }

  double kernel(Nodes columns, std::size_t i, std::size_t j) const {
    double exponent = 0;
    for (const std::size_t c : columns) {
      const double apart = columns_[c].values[i] - columns_[c].values[j];
      if (columns_[c].is_discrete && apart != 0) return 0;
      exponent += 0.5 * precisions_[c] * apart * apart;
    }
    return std::exp(-exponent);
  }

  // Features whose products are the kernel of these columns, each with mean zero: a factor with pivots.
  Matrix features(Nodes columns) const {
    std::vector<double> rest(rows_, 1);
    std::vector<std::vector<double>> found;
    while (found.size() < std::min(most_features, rows_)) {
      pulse::beat(rows_);
      const auto pivot = static_cast<std::size_t>(std::ranges::max_element(rest) - rest.begin());
      if (std::accumulate(rest.begin(), rest.end(), 0.0) <= smallest_rest * static_cast<double>(rows_)) break;
      if (!(rest[pivot] > 0)) break;
      const double scale = 1 / std::sqrt(rest[pivot]);
      std::vector<double> next(rows_);
      for (std::size_t i = 0; i < rows_; ++i) next[i] = kernel(columns, i, pivot);
      for (const std::vector<double>& before : found)
        for (std::size_t i = 0; i < rows_; ++i) next[i] -= before[i] * before[pivot];
      for (std::size_t i = 0; i < rows_; ++i) {
        next[i] *= scale;
        rest[i] = std::max(0.0, rest[i] - next[i] * next[i]);
      }
      rest[pivot] = 0;
      found.push_back(std::move(next));
    }
    Matrix result(found.size(), rows_);
    for (std::size_t f = 0; f < found.size(); ++f) {
      const double mean = std::accumulate(found[f].begin(), found[f].end(), 0.0) / static_cast<double>(rows_);
      // Folds side by side, so that the rows of one are together.
      std::size_t place = 0;
      for (std::size_t fold = 0; fold < folds_; ++fold)
        for (std::size_t i = fold; i < rows_; i += folds_) result(f, place++) = found[f][i] - mean;
    }
    return result;
  }

  Products products(const Matrix& x, const Matrix& z, std::size_t first, std::size_t count) const {
    Products found(z.height, x.height);
    pulse::beat(count * (x.height + z.height));
    for (std::size_t a = 0; a < z.height; ++a) {
      for (std::size_t b = 0; b <= a; ++b)
        found.parents(a, b) = found.parents(b, a) = dot(z.row(a) + first, z.row(b) + first, count);
      for (std::size_t b = 0; b < x.height; ++b) found.both(a, b) = dot(z.row(a) + first, x.row(b) + first, count);
    }
    for (std::size_t a = 0; a < x.height; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        found.child(a, b) = found.child(b, a) = dot(x.row(a) + first, x.row(b) + first, count);
    return found;
  }

  double judged(const Matrix& x, const Matrix& z) const {
    const Products all = products(x, z, 0, rows_);
    double sum = 0;
    std::size_t first = 0;
    for (std::size_t fold = 0; fold < folds_; ++fold) {
      const std::size_t count = (rows_ - fold + folds_ - 1) / folds_;
      sum += held_out(all, products(x, z, first, count), count);
      first += count;
    }
    return sum;
  }

  double held_out(const Products& all, const Products& test, std::size_t count) const {
    Products train = all;
    for (std::size_t k = 0; k < train.parents.cells.size(); ++k) train.parents.cells[k] -= test.parents.cells[k];
    for (std::size_t k = 0; k < train.both.cells.size(); ++k) train.both.cells[k] -= test.both.cells[k];
    for (std::size_t k = 0; k < train.child.cells.size(); ++k) train.child.cells[k] -= test.child.cells[k];
    const auto n = static_cast<double>(rows_ - count);
    Matrix penalised = train.parents;
    for (std::size_t a = 0; a < penalised.height; ++a) penalised(a, a) += n * ridge_;
    factorise(penalised);
    Matrix coefficients = train.both;
    forward(penalised, coefficients);
    backward(penalised, coefficients);
    Matrix spread = left_over(train, coefficients);
    for (double& cell : spread.cells) cell /= n * own_variance;
    for (std::size_t a = 0; a < spread.height; ++a) spread(a, a) += 1;
    factorise(spread);
    Matrix errors = left_over(test, coefficients);
    forward(spread, errors);
    backward(spread, errors);
    double trace = 0;
    for (std::size_t a = 0; a < errors.height; ++a) trace += errors(a, a);
    return -0.5 * (static_cast<double>(count) * log_determinant(spread) + trace / own_variance);
  }

  std::vector<KernelColumn> columns_;
  double ridge_;
  std::size_t rows_;
  std::size_t folds_;
  std::vector<double> precisions_;
  std::vector<Matrix> own_;
};

}  // namespace

std::unique_ptr<Score> kernel_score(std::vector<KernelColumn> columns, double ridge) {
  return std::make_unique<KernelScore>(std::move(columns), ridge);
}

}  // namespace dagathlon
