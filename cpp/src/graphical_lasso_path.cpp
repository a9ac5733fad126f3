#include <algorithm>
#include <cmath>
#include <limits>

#include "dagathlon/graphical_lasso.hpp"
#include "dagathlon/positive_inverse.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// Sets of variables that are joined by entries above a bound, each ascending.
std::vector<std::vector<std::size_t>> components(const SquareMatrix& matrix, double bound) {
  const std::size_t n = matrix.size();
  std::vector<bool> seen(n, false);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t start = 0; start < n; ++start) {
    if (seen[start]) continue;
    std::vector<std::size_t> members{start};
    seen[start] = true;
    for (std::size_t at = 0; at < members.size(); ++at) {
      pulse::beat(n);
      const double* row = matrix.row(members[at]);
      for (std::size_t j = 0; j < n; ++j)
        if (!seen[j] && std::abs(row[j]) > bound) {
          seen[j] = true;
          members.push_back(j);
        }
    }
    std::ranges::sort(members);
    result.push_back(std::move(members));
  }
  return result;
}

SquareMatrix part_of(const SquareMatrix& whole, const std::vector<std::size_t>& members) {
  SquareMatrix result(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double* row = whole.row(members[i]);
    for (std::size_t j = 0; j < members.size(); ++j) result(i, j) = row[members[j]];
  }
  return result;
}

void put_back(SquareMatrix& whole, const SquareMatrix& part, const std::vector<std::size_t>& members) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < members.size(); ++j) whole(members[i], members[j]) = part(i, j);
}

void shrink(SquareMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j)
      if (i != j) matrix(i, j) /= 2;
}

double mean_variance(const SquareMatrix& covariance) {
  const double mean = trace(covariance) / static_cast<double>(std::max<std::size_t>(covariance.size(), 1));
  return mean > 0.0 ? mean : 1.0;
}

}  // namespace

GraphicalLassoPath::GraphicalLassoPath(SquareMatrix covariance, const GraphicalLassoSettings& settings)
    : settings_(settings), unit_(mean_variance(covariance)), size_(covariance.size()),
      covariance_(std::move(covariance)), precision_(size_), inverse_(size_), before_(size_), guess_(size_),
      log_determinants_(size_), last_penalty_(-std::numeric_limits<double>::infinity()) {
  for (double& value : covariance_.cells()) value /= unit_;
}

LassoProgress GraphicalLassoPath::solve(double penalty) {
  const double scaled = penalty / unit_;
  if (!(scaled <= last_penalty_)) begin(scaled);
  look_ahead(scaled);
  last_penalty_ = scaled;
  LassoProgress progress;
  for (const auto& members : components(covariance_, scaled)) {
    if (members.size() == 1)
      solve_alone(members.front(), scaled);
    else
      solve_members(members, scaled, settings_, progress);
  }
  return progress;
}

// Solutions move nearly along lines from penalty to penalty; an entry that would change its sign is zero on the way.
void GraphicalLassoPath::look_ahead(double penalty) {
  const double way = last_penalty_ - penalty;
  // Far beyond what is known a guess is worth little.
  constexpr double farthest = 4.0;
  lead_ = last_way_ > 0.0 && way <= farthest * last_way_ ? way / last_way_ : 0.0;
  last_way_ = way;
  for (std::size_t k = 0; k < precision_.cells().size(); ++k) {
    const double last = precision_.cells()[k], next = last + lead_ * (last - before_.cells()[k]);
    guess_.cells()[k] = next * last > 0.0 ? next : 0.0;
  }
  before_ = precision_;
}

LassoProgress GraphicalLassoPath::refit(const SquareMatrix& start) {
  begin_at(start);
  lead_ = 0.0;
  GraphicalLassoSettings settings = settings_;
  settings.keep_zeros = true;
  // Where there is a maximum Newton's method finds it soon; where there is none it never ends.
  settings.max_steps = std::min<std::size_t>(settings.max_steps, 40);
  LassoProgress progress;
  for (const auto& members : components(precision_, 0.0)) solve_members(members, 0.0, settings, progress);
  // The next penalty begins anew.
  last_penalty_ = -std::numeric_limits<double>::infinity();
  return progress;
}

void GraphicalLassoPath::begin_at(const SquareMatrix& start) {
  precision_ = start;
  for (double& value : precision_.cells()) value *= unit_;
  std::ranges::fill(inverse_.cells(), 0.0);
  std::ranges::fill(log_determinants_, 0.0);
  PositiveInverse invert;
  for (const auto& members : components(precision_, 0.0)) {
    SquareMatrix part = part_of(precision_, members), inverse(members.size());
    auto log_determinant = invert(part, inverse);
    for (; !log_determinant; log_determinant = invert(part, inverse)) shrink(part);
    put_back(precision_, part, members);
    put_back(inverse_, inverse, members);
    log_determinants_[members.front()] = *log_determinant;
  }
}

void GraphicalLassoPath::begin(double penalty) {
  last_penalty_ = penalty;
  last_way_ = 0.0;
  std::ranges::fill(precision_.cells(), 0.0);
  std::ranges::fill(inverse_.cells(), 0.0);
  for (std::size_t i = 0; i < covariance_.size(); ++i) solve_alone(i, penalty);
}

void GraphicalLassoPath::solve_alone(std::size_t node, double penalty) {
  inverse_(node, node) = covariance_(node, node) + (settings_.penalise_diagonal ? penalty : 0.0);
  precision_(node, node) = 1.0 / inverse_(node, node);
  log_determinants_[node] = -std::log(inverse_(node, node));
}

void GraphicalLassoPath::solve_members(const std::vector<std::size_t>& members, double penalty,
                                       const GraphicalLassoSettings& settings, LassoProgress& progress) {
  LassoComponent part = take_part(members);
  const LassoProgress mine = solve_component(part, penalty, settings);
  put_part(part, members);
  progress.steps = std::max(progress.steps, mine.steps);
  progress.violation = std::max(progress.violation, mine.violation);
}

// Where all variables are one component its matrices are lent, not copied.
LassoComponent GraphicalLassoPath::take_part(const std::vector<std::size_t>& members) {
  double log_determinant = 0.0;
  for (const std::size_t node : members) log_determinant += log_determinants_[node];
  const auto take = [&](SquareMatrix& whole) {
    return members.size() == size_ ? std::move(whole) : part_of(whole, members);
  };
  LassoComponent part{take(covariance_), take(precision_), take(inverse_), log_determinant, {}};
  if (lead_ > 0.0) part.guess = take(guess_);
  return part;
}

void GraphicalLassoPath::put_part(LassoComponent& part, const std::vector<std::size_t>& members) {
  if (members.size() == size_) {
    covariance_ = std::move(part.covariance);
    precision_ = std::move(part.precision);
    inverse_ = std::move(part.inverse);
    if (part.guess) guess_ = std::move(*part.guess);
  } else {
    put_back(precision_, part.precision, members);
    put_back(inverse_, part.inverse, members);
  }
  for (const std::size_t node : members) log_determinants_[node] = 0.0;
  log_determinants_[members.front()] = part.log_determinant;
}

SquareMatrix GraphicalLassoPath::precision() const {
  SquareMatrix result = precision_;
  for (double& value : result.cells()) value /= unit_;
  return result;
}

}  // namespace dagathlon
