#include "dagathlon/mcmc/parent_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/stats/power_of_two.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Sums of a row may be this much (in powers of 2) above its reference, and the terms below it by as
// much, before doubles overflow.
constexpr std::int32_t range = 865;
// From so many rows on a table keeps what makes draws quick.
constexpr std::size_t quick_draws = 64;

// Where the bits of the rows are halved: more of them are low, which are neighbours in memory.
std::size_t bit_of_half(std::size_t rows) { return std::size_t{1} << (std::countr_zero(rows) / 2 + 2); }

double log_power(std::int32_t power) { return power * std::numbers::ln2; }
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
  if (summary_ == Summary::best) maximise_subsets();
  else sum_subsets();
  const std::size_t largest = std::min({space_.free, space_.max_parents, FreeSets::most_members});
  free_ = FreeSets(score, child, {space_.candidates, space_.extras, space_.required, largest}, power_);
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

void ParentTable::maximise_subsets() {
  const std::size_t rows = summaries_.size() / width_;
  for (std::size_t bit = 1; bit < rows; bit <<= 1)
    for (std::size_t set = 0; set < rows; ++set) {
      if (!(set & bit)) continue;
      pulse::beat(width_);
      for (std::size_t t = 0; t < width_; ++t) {
        double& value = summaries_[set * width_ + t];
        value = std::max(value, summaries_[(set ^ bit) * width_ + t]);
      }
    }
}

// Numbers are a mantissa and a power of 2, so that no logarithm is taken in the loop.
void ParentTable::sum_subsets() {
  std::vector<std::int32_t> powers(summaries_.size(), lowest_power);
  for (std::size_t place = 0; place < summaries_.size(); ++place) {
    if (place % 64 == 0) pulse::beat();
    const double log2 = weight(place) / std::numbers::ln2, whole = std::floor(log2);
    const bool positive = whole > lowest_power;
    summaries_[place] = positive ? std::exp2(log2 - whole) : 0.0;
    if (positive) powers[place] = static_cast<std::int32_t>(whole);
  }
  const std::size_t rows = summaries_.size() / width_;
  // With extras only where there are free sets too: the draws of older search spaces stay what they were.
  const bool quick = (width_ == 1 || space_.free > 0) && rows >= quick_draws;
  const std::size_t split = quick ? bit_of_half(rows) : 0;
  for (std::size_t bit = 1; bit < rows; bit <<= 1) {
    if (bit == split) keep_low_sums(powers);
    for (std::size_t set = 0; set < rows; ++set) {
      if (!(set & bit)) continue;
      pulse::beat(width_);
      const std::size_t here = set * width_, there = (set ^ bit) * width_;
      for (std::size_t t = 0; t < width_; ++t)
        add_scaled(summaries_[here + t], powers[here + t], summaries_[there + t], powers[there + t]);
    }
  }
  scale_rows(powers);
}

void ParentTable::keep_low_sums(const std::vector<std::int32_t>& powers) {
  low_mask_ = static_cast<std::uint32_t>(bit_of_half(summaries_.size() / width_)) - 1;
  low_sums_.resize(summaries_.size());
  for (std::size_t place = 0; place < summaries_.size(); ++place) {
    if (place % 64 == 0) pulse::beat();
    const double sum = summaries_[place];
    low_sums_[place] = sum > 0 ? std::log(sum) + log_power(powers[place]) : minus_infinity;
  }
}

void ParentTable::scale_rows(const std::vector<std::int32_t>& powers) {
  const std::size_t rows = summaries_.size() / width_;
  reference_.assign(rows, lowest_power);
  wide_.assign(rows, false);
  for (std::size_t set = 0; set < rows; ++set) {
    pulse::beat(width_);
    const std::span row{summaries_.data() + set * width_, width_};
    const std::span power{powers.data() + set * width_, width_};
    const std::int32_t top = *std::ranges::max_element(power);
    reference_[set] = top == lowest_power ? top : std::max(power[0], top - range);
    wide_[set] = power[0] != lowest_power && power[0] < reference_[set] - range;
    for (std::size_t t = 0; t < width_; ++t) row[t] = row[t] > 0 ? std::ldexp(row[t], power[t] - reference_[set]) : 0.0;
  }
}

double ParentTable::weight(std::size_t place) const {
  return scores_[place] == minus_infinity ? minus_infinity : power_ * scores_[place];
}

AllowedParents ParentTable::none() const {
  AllowedParents result;
  clear(result);
  return result;
}

void ParentTable::clear(AllowedParents& allowed) const {
  allowed.candidates = 0;
  allowed.nodes = {};
  allowed.open.assign(width_ == 1 ? 0 : width_, closed_);
  if (width_ > 1) allowed.open[0] = open_;
}

void ParentTable::admit(AllowedParents& allowed, std::size_t node) const {
  if (!free_.empty()) set(allowed.nodes, node);
  const std::size_t slot = slots_[node], k = space_.candidates.size();
  if (slot < k) allowed.candidates |= std::uint32_t{1} << slot;
  else if (slot != no_slot) allowed.open[slot - k] = open_;
}

void ParentTable::bar(AllowedParents& allowed, std::size_t node) const {
  if (!free_.empty()) reset(allowed.nodes, node);
  const std::size_t slot = slots_[node], k = space_.candidates.size();
  if (slot < k) allowed.candidates &= ~(std::uint32_t{1} << slot);
  else if (slot != no_slot) allowed.open[slot - k] = closed_;
}

double ParentTable::row_sum(const AllowedParents& allowed) const {
  if (width_ == 1) return summaries_[allowed.candidates];
  return dot(summaries_.data() + allowed.candidates * width_, allowed.open);
}

double ParentTable::value(const AllowedParents& allowed) const {
  if (summary_ == Summary::best) return power_ * best(allowed);
  return free_.log_sum(tabled_sum(allowed), [&](const auto& members) { return lets(allowed, members); });
}

double ParentTable::tabled_sum(const AllowedParents& allowed) const {
  if (wide_[allowed.candidates]) return slow_log_sum(allowed);
  return log_power(reference_[allowed.candidates]) + std::log(row_sum(allowed));
}

double ParentTable::log_difference(const AllowedParents& all, const AllowedParents& part) const {
  return free_.log_sum(tabled_difference(all, part),
                       [&](const auto& members) { return lets(all, members) && !lets(part, members); });
}

double ParentTable::tabled_difference(const AllowedParents& all, const AllowedParents& part) const {
  // Where little is left of the difference, its digits are lost and the sets are summed one by one.
  constexpr double least_share = 1e-8;
  if (wide_[all.candidates] || wide_[part.candidates]) return slow_difference(all, part);
  const double whole = row_sum(all);
  if (width_ == 1 && whole == 0.0) return minus_infinity;
  // Powers of a part are never larger than those of the whole.
  const double scale = power_of_two(reference_[part.candidates] - reference_[all.candidates]);
  const double left = whole - row_sum(part) * scale;
  if (!(left > least_share * whole)) return slow_difference(all, part);
  return log_power(reference_[all.candidates]) + std::log(left);
}

double ParentTable::best(const AllowedParents& allowed) const {
  const double* row = summaries_.data() + allowed.candidates * width_;
  const double found = width_ == 1 ? row[0] : top(row, allowed.open);
  const std::size_t free = free_.best([&](const auto& members) { return lets(allowed, members); });
  return free == FreeSets::none ? found : std::max(found, free_.score(free));
}

bool ParentTable::is_allowed(std::size_t place, const AllowedParents& allowed) const {
  return !(place / width_ & ~std::size_t{allowed.candidates}) && is_open(allowed, place % width_);
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

TabledSet ParentTable::find(std::span<const std::size_t> parents) const {
  TabledSet result;
  const std::size_t k = space_.candidates.size();
  for (const std::size_t node : parents) {
    const std::size_t slot = slots_[node];
    if (slot == no_slot) return {0, no_slot};
    if (slot > k && result.column != 0) return find_free(parents);
    if (slot < k) result.candidates |= std::uint32_t{1} << slot;
    else result.column = slot - k;
  }
  return score(result) == minus_infinity ? TabledSet{0, no_slot} : result;
}

TabledSet ParentTable::find_free(std::span<const std::size_t> parents) const {
  const std::size_t item = free_.find(parents);
  return item == FreeSets::none ? TabledSet{0, no_slot} : TabledSet{0, width_ + item};
}

std::vector<std::size_t> ParentTable::parents(const TabledSet& set) const {
  if (set.column >= width_) return free_.members(set.column - width_);
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < space_.candidates.size(); ++c)
    if (set.candidates >> c & 1U) result.push_back(space_.candidates[c]);
  if (set.column) result.push_back(space_.extras[set.column - 1]);
  std::ranges::sort(result);
  return result;
}

}  // namespace dagathlon
