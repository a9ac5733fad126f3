#include "dagathlon/undirected/undirected_log.hpp"

#include <algorithm>

namespace dagathlon {

namespace {

// Stretches of a chain with means of their own, so that a burn-in can be left out: fewer of large matrices.
std::size_t stretches_for(std::size_t n, std::size_t states) {
  constexpr std::size_t most = 50, cells = std::size_t{1} << 22;
  return std::min(states, std::clamp(cells / std::max<std::size_t>(n * n, 1), std::size_t{2}, most));
}

}  // namespace

UndirectedLog::UndirectedLog(std::size_t n, std::size_t states, Means means, Time time)
    : states_(states), time_(time), now_(n), saved_(n), touched_(n) {
  if (means == Means::no) return;
  stretches_ = stretches_for(n, states);
  since_.resize(n * n);
  lasted_.resize(n * n);
}

void UndirectedLog::toggle(std::size_t i, std::size_t j) {
  const bool there = now_.test(i, j);
  if (stretches_ > 0) {
    const std::size_t pair = cell(i, j);
    if (there) lasted_[pair] += clock_ - since_[pair];
    else since_[pair] = clock_;
  }
  for (const auto& [a, b] : {std::pair(i, j), std::pair(j, i)})
    if (there) now_.reset(a, b);
    else now_.set(a, b);
  const auto [low, high] = std::minmax(i, j);
  if (touched_.test(low, high)) return;
  touched_.set(low, high);
  turned_.emplace_back(low, high);
}

void UndirectedLog::become(const BitMatrix& adjacent) {
  std::vector<std::size_t> differ;
  for (std::size_t i = 0; i < size(); ++i) {
    differ.clear();
    for (std::size_t j = 0; j < i; ++j)
      if (adjacent.test(i, j) != now_.test(i, j)) differ.push_back(j);
    for (const std::size_t j : differ) toggle(i, j);
  }
}

void UndirectedLog::start() {
  clock_ = 0;
  std::ranges::fill(since_, 0.0);
  std::ranges::fill(lasted_, 0.0);
}

void UndirectedLog::record(std::size_t index, double score) {
  length_ = index + 1;
  if (stretches_ > 0 && length_ > 1 && (length_ - 1) * stretches_ >= (lengths_.size() + 1) * (states_ - 1))
    end_stretch();
  const std::size_t before = added_.size() + removed_.size();
  for (const auto& [i, j] : turned_) {
    touched_.reset(i, j);
    const bool there = now_.test(i, j);
    if (there == saved_.test(i, j)) continue;
    std::vector<std::int32_t>& edges = there ? added_ : removed_;
    edges.push_back(static_cast<std::int32_t>(i));
    edges.push_back(static_cast<std::int32_t>(j));
    if (there) saved_.set(i, j);
    else saved_.reset(i, j);
  }
  turned_.clear();
  if (!index_.empty() && added_.size() + removed_.size() == before) return;
  index_.push_back(static_cast<std::int64_t>(index));
  score_.push_back(score);
  if (continuous()) times_.push_back(clock_);
  added_starts_.push_back(static_cast<std::int64_t>(added_.size() / 2));
  removed_starts_.push_back(static_cast<std::int64_t>(removed_.size() / 2));
}

void UndirectedLog::close() {
  if (stretches_ > 0 && clock_ > stretch_start_) end_stretch();
}

void UndirectedLog::end_stretch() {
  const double lasts = clock_ - stretch_start_;
  if (!(lasts > 0)) return;
  const std::size_t n = size(), first = means_.size();
  means_.resize(first + n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::size_t pair = cell(i, j);
      const double there = lasted_[pair] + (now_.test(i, j) ? clock_ - since_[pair] : 0);
      means_[first + i * n + j] = means_[first + j * n + i] = std::clamp(there / lasts, 0.0, 1.0);
      lasted_[pair] = 0;
      since_[pair] = clock_;
    }
  const std::size_t saved = std::max<std::size_t>(length_, 1) - 1;
  lengths_.push_back(continuous() ? lasts : static_cast<double>(saved - stretch_states_));
  stretch_start_ = clock_;
  stretch_states_ = saved;
}

}  // namespace dagathlon
