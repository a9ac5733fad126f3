#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dagathlon/graphical_lasso.hpp"
#include "dagathlon/positive_inverse.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

using Members = std::vector<std::size_t>;

// Sets of variables that are joined by entries above a bound in this unit, each ascending.
std::vector<Members> components(MatrixView matrix, double unit, double bound) {
  const std::size_t n = matrix.size;
  std::vector<bool> seen(n, false);
  std::vector<Members> result;
  for (std::size_t start = 0; start < n; ++start) {
    if (seen[start]) continue;
    Members members{start};
    seen[start] = true;
    for (std::size_t at = 0; at < members.size(); ++at) {
      pulse::beat(n);
      const double* row = matrix.row(members[at]);
      for (std::size_t j = 0; j < n; ++j)
        if (!seen[j] && std::abs(row[j] / unit) > bound) {
          seen[j] = true;
          members.push_back(j);
        }
    }
    std::ranges::sort(members);
    result.push_back(std::move(members));
  }
  return result;
}

template <class Scale>
SquareMatrix part_of(MatrixView whole, const Members& members, Scale&& scale) {
  SquareMatrix result(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double* row = whole.row(members[i]);
    for (std::size_t j = 0; j < members.size(); ++j) result(i, j) = scale(row[members[j]]);
  }
  return result;
}

void put(SquareMatrix& whole, const SquareMatrix& part, const Members& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < places.size(); ++j) whole(places[i], places[j]) = part(i, j);
}

void shrink(SquareMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.size(); ++i)
    for (std::size_t j = 0; j < matrix.size(); ++j)
      if (i != j) matrix(i, j) /= 2;
}

double mean_variance(MatrixView covariance) {
  double sum = 0.0;
  for (std::size_t i = 0; i < covariance.size; ++i) sum += covariance.row(i)[i];
  const double mean = sum / static_cast<double>(std::max<std::size_t>(covariance.size, 1));
  return mean > 0.0 ? mean : 1.0;
}

}  // namespace

GraphicalLassoPath::GraphicalLassoPath(MatrixView covariance, const GraphicalLassoSettings& settings)
    : settings_(settings), covariance_(covariance), unit_(mean_variance(covariance)), block_of_(covariance.size),
      last_penalty_(-std::numeric_limits<double>::infinity()) {}

LassoProgress GraphicalLassoPath::solve(double penalty) {
  const double scaled = penalty / unit_;
  if (!(scaled <= last_penalty_)) begin(scaled);
  look_ahead(scaled);
  // Blocks are taken apart: if a beat throws, the next penalty begins anew.
  last_penalty_ = -std::numeric_limits<double>::infinity();
  LassoProgress progress;
  std::vector<Block> blocks;
  for (Members& members : components(covariance_, unit_, scaled)) {
    Block block = joined(std::move(members));
    if (block.members.size() > 1) {
      blocks.push_back(solved(std::move(block), scaled, settings_, progress));
    } else {
      blocks.push_back(alone(block.members.front(), scaled));
      blocks.back().before = std::move(block.precision);
    }
  }
  set_blocks(std::move(blocks));
  last_penalty_ = scaled;
  return progress;
}

void GraphicalLassoPath::look_ahead(double penalty) {
  const double way = last_penalty_ - penalty;
  // Far beyond what is known a guess is worth little.
  constexpr double farthest = 4.0;
  lead_ = last_way_ > 0.0 && way <= farthest * last_way_ ? way / last_way_ : 0.0;
  last_way_ = way;
}

// Solutions move nearly along lines from penalty to penalty; an entry that would change its sign is zero on the way.
SquareMatrix GraphicalLassoPath::guess(const Block& block) const {
  SquareMatrix result = block.precision;
  for (std::size_t k = 0; k < result.cells().size(); ++k) {
    const double last = result.cells()[k], next = last + lead_ * (last - block.before.cells()[k]);
    result.cells()[k] = next * last > 0.0 ? next : 0.0;
  }
  return result;
}

LassoProgress GraphicalLassoPath::refit(MatrixView start) {
  begin_at(start);
  lead_ = 0.0;
  GraphicalLassoSettings settings = settings_;
  settings.keep_zeros = true;
  // Where there is a maximum Newton's method finds it soon; where there is none it never ends.
  settings.max_steps = std::min<std::size_t>(settings.max_steps, 40);
  LassoProgress progress;
  for (Block& block : blocks_) block = solved(std::move(block), 0.0, settings, progress);
  // The next penalty begins anew.
  last_penalty_ = -std::numeric_limits<double>::infinity();
  return progress;
}

void GraphicalLassoPath::begin_at(MatrixView start) {
  PositiveInverse invert;
  std::vector<Block> blocks;
  for (Members& members : components(start, 1.0, 0.0)) {
    SquareMatrix part = part_of(start, members, [&](double value) { return value * unit_; });
    SquareMatrix inverse(members.size());
    auto log_determinant = invert(part, inverse);
    for (; !log_determinant; log_determinant = invert(part, inverse)) shrink(part);
    blocks.push_back({std::move(members), std::move(part), std::move(inverse), SquareMatrix(), *log_determinant});
  }
  set_blocks(std::move(blocks));
}

void GraphicalLassoPath::begin(double penalty) {
  last_penalty_ = penalty;
  last_way_ = 0.0;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < size(); ++i) blocks.push_back(alone(i, penalty));
  set_blocks(std::move(blocks));
}

GraphicalLassoPath::Block GraphicalLassoPath::alone(std::size_t node, double penalty) const {
  const double variance = covariance_.row(node)[node] / unit_ + (settings_.penalise_diagonal ? penalty : 0.0);
  Block result{{node}, SquareMatrix(1), SquareMatrix(1), SquareMatrix(1), -std::log(variance)};
  result.inverse(0, 0) = variance;
  result.precision(0, 0) = 1.0 / variance;
  return result;
}

GraphicalLassoPath::Block GraphicalLassoPath::joined(Members members) {
  Block& first = blocks_[block_of_[members.front()]];
  if (first.members.size() == members.size()) return std::move(first);
  const std::size_t n = members.size();
  Block result{members, SquareMatrix(n), SquareMatrix(n), SquareMatrix(n), 0.0};
  Members places;
  for (const std::size_t node : members) {
    const Block& part = blocks_[block_of_[node]];
    if (part.members.front() != node) continue;
    places.clear();
    for (const std::size_t member : part.members)
      places.push_back(static_cast<std::size_t>(std::ranges::lower_bound(members, member) - members.begin()));
    put(result.precision, part.precision, places);
    put(result.inverse, part.inverse, places);
    put(result.before, part.before, places);
    result.log_determinant += part.log_determinant;
  }
  return result;
}

GraphicalLassoPath::Block GraphicalLassoPath::solved(Block block, double penalty, const GraphicalLassoSettings& settings,
                                                     LassoProgress& progress) const {
  std::optional<SquareMatrix> ahead;
  if (lead_ > 0.0) ahead = guess(block);
  block.before = block.precision;
  LassoComponent part{covariance_of(block.members), std::move(block.precision), std::move(block.inverse),
                      block.log_determinant, std::move(ahead)};
  const LassoProgress mine = solve_component(part, penalty, settings);
  progress.steps = std::max(progress.steps, mine.steps);
  progress.violation = std::max(progress.violation, mine.violation);
  return {std::move(block.members), std::move(part.precision), std::move(part.inverse), std::move(block.before),
          part.log_determinant};
}

SquareMatrix GraphicalLassoPath::covariance_of(const Members& members) const {
  return part_of(covariance_, members, [&](double value) { return value / unit_; });
}

void GraphicalLassoPath::set_blocks(std::vector<Block> blocks) {
  blocks_ = std::move(blocks);
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    for (const std::size_t node : blocks_[k].members) block_of_[node] = k;
}

std::vector<MatrixEntry> GraphicalLassoPath::entries() const {
  std::vector<MatrixEntry> result;
  for (const Block& block : blocks_)
    for (std::size_t i = 0; i < block.members.size(); ++i)
      for (std::size_t j = 0; j < block.members.size(); ++j)
        if (block.precision(i, j) != 0.0)
          result.push_back({block.members[i] * size() + block.members[j], block.precision(i, j) / unit_});
  std::ranges::sort(result, {}, &MatrixEntry::place);
  return result;
}

}  // namespace dagathlon
