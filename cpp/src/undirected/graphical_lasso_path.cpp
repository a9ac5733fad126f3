#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <utility>

#include "dagathlon/undirected/graphical_lasso.hpp"
#include "dagathlon/linalg/positive_inverse.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

namespace {

using Members = std::vector<std::size_t>;

// Sets of variables that are joined, each ascending; join(i, take) calls take(j) for all j that are joined with i.
template <class Join>
std::vector<Members> components(std::size_t n, Join&& join) {
  std::vector<bool> seen(n, false);
  std::vector<Members> result;
  for (std::size_t start = 0; start < n; ++start) {
    if (seen[start]) continue;
    Members members{start};
    seen[start] = true;
    for (std::size_t at = 0; at < members.size(); ++at)
      join(members[at], [&](std::size_t j) {
        if (seen[j]) return;
        seen[j] = true;
        members.push_back(j);
      });
    std::ranges::sort(members);
    result.push_back(std::move(members));
  }
  return result;
}

// Entries by rows.
class EntryRows {
 public:
  EntryRows(std::span<const MatrixEntry> entries, std::size_t size)
      : entries_(entries), size_(size), begins_(size + 1) {
    for (const MatrixEntry& entry : entries) ++begins_[entry.place / size + 1];
    for (std::size_t i = 0; i < size; ++i) begins_[i + 1] += begins_[i];
  }

  // Calls use(column, value) for all of a row.
  template <class Use>
  void for_each(std::size_t row, Use&& use) const {
    for (const MatrixEntry& entry : entries_.subspan(begins_[row], begins_[row + 1] - begins_[row]))
      use(entry.place % size_, entry.value);
  }

 private:
  std::span<const MatrixEntry> entries_;
  std::size_t size_;
  std::vector<std::size_t> begins_;
};

std::size_t place_of(std::size_t node, const Members& members) {
  return static_cast<std::size_t>(std::ranges::lower_bound(members, node) - members.begin());
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
    : settings_(settings),
      covariance_(covariance),
      unit_(mean_variance(covariance)),
      block_of_(covariance.size),
      last_penalty_(-std::numeric_limits<double>::infinity()) {}

LassoProgress GraphicalLassoPath::solve(double penalty) {
  const double scaled = penalty / unit_;
  if (!(scaled <= last_penalty_)) begin(scaled);
  look_ahead(scaled);
  // Blocks are taken apart: if a beat throws, the next penalty begins anew.
  last_penalty_ = -std::numeric_limits<double>::infinity();
  std::vector<Block> blocks;
  for (Members& members : correlated(scaled)) {
    blocks.push_back(joined(std::move(members)));
    Block& block = blocks.back();
    if (block.members.size() > 1) continue;
    SquareMatrix before = std::move(block.precision);
    block = alone(block.members.front(), scaled);
    block.before = std::move(before);
  }
  const LassoProgress progress = solve_all(blocks, scaled, settings_);
  set_blocks(std::move(blocks));
  last_penalty_ = scaled;
  return progress;
}

// The largest begins first, so that no thread waits long for the last.
LassoProgress GraphicalLassoPath::solve_all(std::vector<Block>& blocks, double penalty,
                                            const GraphicalLassoSettings& settings) const {
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (settings.keep_zeros || blocks[k].members.size() > 1) places.push_back(k);
  std::ranges::stable_sort(places, std::greater<>(), [&](std::size_t k) { return blocks[k].members.size(); });
  std::vector<LassoProgress> found(places.size());
  Team team(places.size());
  team.each(places.size(), [&](std::size_t k, std::size_t) {
    blocks[places[k]] = solved(std::move(blocks[places[k]]), penalty, settings, found[k]);
  });
  LassoProgress progress;
  for (const LassoProgress& mine : found) {
    progress.steps = std::max(progress.steps, mine.steps);
    progress.violation = std::max(progress.violation, mine.violation);
  }
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

LassoProgress GraphicalLassoPath::refit(std::span<const MatrixEntry> start) {
  begin_at(start);
  lead_ = 0.0;
  GraphicalLassoSettings settings = settings_;
  settings.keep_zeros = true;
  // Where there is a maximum Newton's method finds it soon; where there is none it never ends.
  settings.max_steps = std::min<std::size_t>(settings.max_steps, 40);
  const LassoProgress progress = solve_all(blocks_, 0.0, settings);
  // The next penalty begins anew.
  last_penalty_ = -std::numeric_limits<double>::infinity();
  return progress;
}

void GraphicalLassoPath::begin_at(std::span<const MatrixEntry> start) {
  const EntryRows rows(start, size());
  PositiveInverse invert;
  std::vector<Block> blocks;
  const auto join = [&](std::size_t i, auto&& take) {
    pulse::beat();
    rows.for_each(i, [&](std::size_t j, double) { take(j); });
  };
  for (Members& members : components(size(), join)) {
    SquareMatrix part(members.size()), inverse(members.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      rows.for_each(members[i], [&](std::size_t j, double value) { part(i, place_of(j, members)) = value * unit_; });
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
    for (const std::size_t member : part.members) places.push_back(place_of(member, members));
    put(result.precision, part.precision, places);
    put(result.inverse, part.inverse, places);
    put(result.before, part.before, places);
    result.log_determinant += part.log_determinant;
  }
  return result;
}

GraphicalLassoPath::Block GraphicalLassoPath::solved(Block block, double penalty,
                                                     const GraphicalLassoSettings& settings,
                                                     LassoProgress& progress) const {
  std::optional<SquareMatrix> ahead;
  if (lead_ > 0.0) ahead = guess(block);
  block.before = block.precision;
  LassoComponent part{covariance_of(block.members), std::move(block.precision), std::move(block.inverse),
                      block.log_determinant, std::move(ahead)};
  progress = solve_component(part, penalty, settings);
  return {std::move(block.members), std::move(part.precision), std::move(part.inverse), std::move(block.before),
          part.log_determinant};
}

std::vector<std::vector<std::size_t>> GraphicalLassoPath::correlated(double bound) const {
  return components(size(), [&](std::size_t i, auto&& take) {
    pulse::beat(size());
    const double* row = covariance_.row(i);
    for (std::size_t j = 0; j < size(); ++j)
      if (std::abs(row[j] / unit_) > bound) take(j);
  });
}

SquareMatrix GraphicalLassoPath::covariance_of(const Members& members) const {
  SquareMatrix result(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const double* row = covariance_.row(members[i]);
    for (std::size_t j = 0; j < members.size(); ++j) result(i, j) = row[members[j]] / unit_;
  }
  return result;
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
