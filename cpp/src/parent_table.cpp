#include "dagathlon/parent_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "dagathlon/log_weights.hpp"
#include "dagathlon/pulse.hpp"

namespace dagathlon {

namespace {

// Sums of a row may be this much (in logarithms) above its reference, and the terms below it by as
// much, before doubles overflow.
constexpr double log_range = 600.0;
// Sets that are this much less probable than all together are never drawn: e^-45 is below the
// resolution of the draw.
constexpr double negligible = 45.0;

// Four independent sums, so that the processor does not wait for each addition.
double dot(const double* values, const std::vector<double>& open) {
  double sums[4] = {0, 0, 0, 0};
  const std::size_t n = open.size();
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t r = 0; r < 4; ++r) sums[r] += values[k + r] * open[k + r];
  for (; k < n; ++k) sums[0] += values[k] * open[k];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The largest sum of two numbers, in four strands as well.
double top(const double* values, const std::vector<double>& open) {
  double tops[4] = {minus_infinity, minus_infinity, minus_infinity, minus_infinity};
  const auto take = [](double& best, double found) { best = found > best ? found : best; };
  const std::size_t n = open.size();
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t r = 0; r < 4; ++r) take(tops[r], values[k + r] + open[k + r]);
  for (; k < n; ++k) take(tops[0], values[k] + open[k]);
  return std::max(std::max(tops[0], tops[1]), std::max(tops[2], tops[3]));
}

}  // namespace

ParentTable::ParentTable(Score& score, std::size_t child, NodeSpace space, double power, Summary summary)
    : space_(std::move(space)),
      power_(power),
      summary_(summary),
      open_(summary == Summary::sum ? 1.0 : 0.0),
      closed_(summary == Summary::sum ? 0.0 : minus_infinity),
      width_(1 + space_.extras.size()),
      slots_(score.size(), no_slot) {
  const std::size_t k = space_.candidates.size();
  for (std::size_t c = 0; c < k; ++c) slots_[space_.candidates[c]] = c;
  for (std::size_t e = 0; e + 1 < width_; ++e) slots_[space_.extras[e]] = k + 1 + e;
  scores_.assign((std::size_t{1} << k) * width_, minus_infinity);
  fill_scores(score, child);
  keep_to_limits();
  summaries_ = scores_;
  if (summary_ == Summary::best) {
    combine_subsets([](double a, double b) { return std::max(a, b); });
    return;
  }
  for (std::size_t place = 0; place < summaries_.size(); ++place) summaries_[place] = weight(place);
  combine_subsets(log_add);
  scale_rows();
}

// A family's score comes from the additions to the set without its first candidate, so that each set
// is factorised, or counted, once for all that it grows into.
void ParentTable::fill_scores(Score& score, std::size_t child) {
  const std::size_t k = space_.candidates.size();
  std::vector<double> found(score.size());
  std::vector<std::size_t> parents;
  scores_[0] = score.local(child, parents);
  for (std::uint32_t set = 0; set < std::uint32_t{1} << k; ++set) {
    const std::size_t lowest = set ? static_cast<std::size_t>(std::countr_zero(set)) : k;
    if (width_ == 1 && lowest == 0) continue;
    pulse::beat();
    parents.clear();
    for (std::size_t c = 0; c < k; ++c)
      if (set >> c & 1U) parents.push_back(space_.candidates[c]);
    score.additions(child, parents, found);
    for (std::size_t e = 0; e + 1 < width_; ++e) scores_[set * width_ + 1 + e] = found[space_.extras[e]];
    for (std::size_t c = 0; c < lowest; ++c)
      scores_[(set | std::uint32_t{1} << c) * width_] = found[space_.candidates[c]];
  }
}

void ParentTable::keep_to_limits() {
  std::uint32_t required = 0;
  for (const std::size_t node : space_.required) required |= std::uint32_t{1} << slots_[node];
  for (std::uint32_t set = 0; set * width_ < scores_.size(); ++set) {
    pulse::beat(width_);
    const auto size = static_cast<std::size_t>(std::popcount(set));
    for (std::size_t t = 0; t < width_; ++t)
      if ((required & ~set) || size + (t > 0) > space_.max_parents) scores_[set * width_ + t] = minus_infinity;
  }
}

template <class Combine>
void ParentTable::combine_subsets(Combine&& combine) {
  const std::size_t rows = summaries_.size() / width_;
  for (std::size_t bit = 1; bit < rows; bit <<= 1)
    for (std::size_t set = 0; set < rows; ++set) {
      if (!(set & bit)) continue;
      pulse::beat(width_);
      for (std::size_t t = 0; t < width_; ++t) {
        double& value = summaries_[set * width_ + t];
        value = combine(value, summaries_[(set ^ bit) * width_ + t]);
      }
    }
}

void ParentTable::scale_rows() {
  const std::size_t rows = summaries_.size() / width_;
  reference_.assign(rows, 0.0);
  wide_.assign(rows, false);
  for (std::size_t set = 0; set < rows; ++set) {
    pulse::beat(width_);
    const std::span<double> row{summaries_.data() + set * width_, width_};
    const double top = *std::ranges::max_element(row);
    if (top != minus_infinity) reference_[set] = std::max(row[0], top - log_range);
    wide_[set] = row[0] != minus_infinity && row[0] < reference_[set] - log_range;
    for (double& value : row) value = std::exp(value - reference_[set]);
  }
}

double ParentTable::weight(std::size_t place) const {
  return scores_[place] == minus_infinity ? minus_infinity : power_ * scores_[place];
}

AllowedParents ParentTable::none() const {
  AllowedParents result{0, std::vector<double>(width_)};
  clear(result);
  return result;
}

void ParentTable::clear(AllowedParents& allowed) const {
  allowed.candidates = 0;
  std::ranges::fill(allowed.open, closed_);
  allowed.open[0] = open_;
}

void ParentTable::admit(AllowedParents& allowed, std::size_t node) const {
  const std::size_t slot = slots_[node], k = space_.candidates.size();
  if (slot < k) allowed.candidates |= std::uint32_t{1} << slot;
  else if (slot != no_slot) allowed.open[slot - k] = open_;
}

void ParentTable::bar(AllowedParents& allowed, std::size_t node) const {
  const std::size_t slot = slots_[node], k = space_.candidates.size();
  if (slot < k) allowed.candidates &= ~(std::uint32_t{1} << slot);
  else if (slot != no_slot) allowed.open[slot - k] = closed_;
}

double ParentTable::row_sum(const AllowedParents& allowed) const {
  return dot(summaries_.data() + allowed.candidates * width_, allowed.open);
}

double ParentTable::value(const AllowedParents& allowed) const {
  return summary_ == Summary::sum ? log_sum(allowed) : power_ * best(allowed);
}

double ParentTable::log_sum(const AllowedParents& allowed) const {
  if (wide_[allowed.candidates]) return slow_log_sum(allowed);
  return reference_[allowed.candidates] + std::log(row_sum(allowed));
}

double ParentTable::log_difference(const AllowedParents& all, const AllowedParents& part) const {
  // Where little is left of the difference, its digits are lost and the sets are summed one by one.
  constexpr double least_share = 1e-8;
  if (wide_[all.candidates] || wide_[part.candidates]) return slow_difference(all, part);
  const double whole = row_sum(all);
  const double scale = std::exp(reference_[part.candidates] - reference_[all.candidates]);
  const double left = whole - row_sum(part) * scale;
  if (!(left > least_share * whole)) return slow_difference(all, part);
  return reference_[all.candidates] + std::log(left);
}

double ParentTable::best(const AllowedParents& allowed) const {
  return top(summaries_.data() + allowed.candidates * width_, allowed.open);
}

template <class Visit>
void ParentTable::for_each_allowed(const AllowedParents& allowed, Visit&& visit) const {
  for (std::uint32_t set = allowed.candidates;; set = (set - 1) & allowed.candidates) {
    for (std::size_t t = 0; t < width_; ++t)
      if (allowed.open[t] == open_) visit(set * width_ + t, weight(set * width_ + t));
    if (set == 0) return;
  }
}

bool ParentTable::is_allowed(std::size_t place, const AllowedParents& allowed) const {
  return !(place / width_ & ~std::size_t{allowed.candidates}) && allowed.open[place % width_] == open_;
}

double ParentTable::slow_log_sum(const AllowedParents& allowed) const {
  LogSum sum;
  for_each_allowed(allowed, [&](std::size_t, double w) { sum.add(w); });
  return sum.value();
}

double ParentTable::slow_difference(const AllowedParents& all, const AllowedParents& part) const {
  LogSum sum;
  for_each_allowed(all, [&](std::size_t place, double w) {
    if (!is_allowed(place, part)) sum.add(w);
  });
  return sum.value();
}

TabledSet ParentTable::best_set(const AllowedParents& allowed) const {
  const double* row = summaries_.data() + allowed.candidates * width_;
  std::size_t column = 0;
  for (std::size_t t = 1; t < width_; ++t)
    if (allowed.open[t] == open_ && row[t] > row[column]) column = t;
  for (std::uint32_t set = 0;; set = (set - allowed.candidates) & allowed.candidates)
    if (scores_[set * width_ + column] == row[column] || set == allowed.candidates) return {set, column};
}

std::size_t ParentTable::choose_column(const AllowedParents& allowed, Stream& random) const {
  const double* row = summaries_.data() + allowed.candidates * width_;
  double left = random.uniform() * row_sum(allowed);
  std::size_t last = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    if (allowed.open[t] != open_ || row[t] == 0.0) continue;
    last = t;
    left -= row[t];
    if (left < 0) break;
  }
  return last;
}

TabledSet ParentTable::choose(const AllowedParents& allowed, Stream& random) const {
  if (summary_ == Summary::best) return best_set(allowed);
  if (wide_[allowed.candidates]) return draw_outside(allowed, {0, std::vector<double>(width_, closed_)}, random);
  const std::size_t t = choose_column(allowed, random);
  const double total = reference_[allowed.candidates] + std::log(summaries_[allowed.candidates * width_ + t]);
  LogDraw draw(total, random.uniform(), negligible);
  for (std::uint32_t set = allowed.candidates;; set = (set - 1) & allowed.candidates) {
    draw.offer(set * width_ + t, weight(set * width_ + t));
    if (set == 0) return set_at(draw.chosen());
  }
}

TabledSet ParentTable::draw_outside(const AllowedParents& all, const AllowedParents& part, Stream& random) const {
  LogDraw draw(log_difference(all, part), random.uniform(), negligible);
  for_each_allowed(all, [&](std::size_t place, double w) {
    if (!is_allowed(place, part)) draw.offer(place, w);
  });
  return set_at(draw.chosen());
}

TabledSet ParentTable::find(std::span<const std::size_t> parents) const {
  TabledSet result;
  const std::size_t k = space_.candidates.size();
  for (const std::size_t node : parents) {
    const std::size_t slot = slots_[node];
    if (slot == no_slot || (slot > k && result.column != 0)) return {0, no_slot};
    if (slot < k) result.candidates |= std::uint32_t{1} << slot;
    else result.column = slot - k;
  }
  return score(result) == minus_infinity ? TabledSet{0, no_slot} : result;
}

std::vector<std::size_t> ParentTable::parents(const TabledSet& set) const {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < space_.candidates.size(); ++c)
    if (set.candidates >> c & 1U) result.push_back(space_.candidates[c]);
  if (set.column) result.push_back(space_.extras[set.column - 1]);
  std::ranges::sort(result);
  return result;
}

}  // namespace dagathlon
