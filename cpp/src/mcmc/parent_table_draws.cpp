#include <algorithm>
#include <cmath>
#include <numbers>

#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/mcmc/parent_table.hpp"
#include "dagathlon/stats/power_of_two.hpp"

namespace dagathlon {

namespace {

// Sets that are this much less probable than all together are never drawn: e^-45 is below the
// resolution of the draw.
constexpr double negligible = 45.0;
// A difference that is this much smaller than the whole has lost its digits.
constexpr double cancelled = 18.0;

}  // namespace

TabledSet ParentTable::best_set(const AllowedParents& allowed) const {
  const double* row = summaries_.data() + allowed.candidates * width_;
  std::size_t column = 0;
  const std::size_t free = free_.best([&](const auto& members) { return lets(allowed, members); });
  if (free != FreeSets::none && free_.score(free) == best(allowed)) return {0, width_ + free};
  for (std::size_t t = 1; t < width_; ++t)
    if (is_open(allowed, t) && row[t] > row[column]) column = t;
  for (std::uint32_t set = 0;; set = (set - allowed.candidates) & allowed.candidates)
    if (scores_[set * width_ + column] == row[column] || set == allowed.candidates) return {set, column};
}

std::size_t ParentTable::choose_column(const AllowedParents& allowed, Stream& random) const {
  const double* row = summaries_.data() + allowed.candidates * width_;
  double left = random.uniform() * row_sum(allowed);
  std::size_t last = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    if (!is_open(allowed, t) || row[t] == 0.0) continue;
    last = t;
    left -= row[t];
    if (left < 0) break;
  }
  return last;
}

TabledSet ParentTable::choose(const AllowedParents& allowed, Stream& random) const {
  if (summary_ == Summary::best) return best_set(allowed);
  return draw_from(
      tabled_sum(allowed), random, [&] { return draw_tabled(allowed, random); },
      [&](const auto& members) { return lets(allowed, members); });
}

TabledSet ParentTable::draw_outside(const AllowedParents& all, const AllowedParents& part, Stream& random) const {
  return draw_from(
      tabled_difference(all, part), random, [&] { return draw_tabled_outside(all, part, random); },
      [&](const auto& members) { return lets(all, members) && !lets(part, members); });
}

// From the table or from the free sets, as their sums are.
template <class Tabled, class Allowed>
TabledSet ParentTable::draw_from(double tabled, Stream& random, Tabled&& from_table, Allowed&& allowed) const {
  if (free_.empty()) return from_table();
  if (std::log(random.uniform()) < tabled - free_.log_sum(tabled, allowed)) return from_table();
  const double mass = free_.log_sum(minus_infinity, allowed);
  return {0, width_ + free_.draw(mass, random.uniform(), allowed)};
}

TabledSet ParentTable::draw_tabled(const AllowedParents& allowed, Stream& random) const {
  if (wide_[allowed.candidates])
    return draw_tabled_outside(allowed, {0, std::vector<double>(width_, closed_), {}}, random);
  const std::size_t t = choose_column(allowed, random);
  const double total =
      reference_[allowed.candidates] * std::numbers::ln2 + std::log(summaries_[allowed.candidates * width_ + t]);
  if (!low_sums_.empty()) return draw_by_halves(allowed, nullptr, t, total, random);
  LogDraw draw(total, random.uniform(), negligible);
  for (std::uint32_t set = allowed.candidates;; set = (set - 1) & allowed.candidates) {
    draw.offer(set * width_ + t, weight(set * width_ + t));
    if (set == 0) return set_at(draw.chosen());
  }
}

TabledSet ParentTable::draw_tabled_outside(const AllowedParents& all, const AllowedParents& part,
                                           Stream& random) const {
  const double total = tabled_difference(all, part);
  if (width_ == 1 && !low_sums_.empty()) return draw_by_halves(all, &part, 0, total, random);
  const bool little = wide_[all.candidates] || wide_[part.candidates] ||
                      !(total > reference_[all.candidates] * std::numbers::ln2 + std::log(row_sum(all)) - cancelled);
  if (!low_sums_.empty() && !little) return draw_by_columns(all, part, random);
  LogDraw draw(total, random.uniform(), negligible);
  for_each_allowed(all, [&](std::size_t place, double w) {
    if (!is_allowed(place, part)) draw.offer(place, w);
  });
  return set_at(draw.chosen());
}

TabledSet ParentTable::draw_by_columns(const AllowedParents& all, const AllowedParents& part, Stream& random) const {
  const double* whole = summaries_.data() + all.candidates * width_;
  const double* less = summaries_.data() + part.candidates * width_;
  const double scale = power_of_two(reference_[part.candidates] - reference_[all.candidates]);
  const auto sum = [&](std::size_t t) {
    if (!is_open(all, t)) return 0.0;
    return std::max(whole[t] - (is_open(part, t) ? less[t] * scale : 0.0), 0.0);
  };
  double total = 0;
  for (std::size_t t = 0; t < width_; ++t) total += sum(t);
  double left = random.uniform() * total;
  std::size_t column = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    const double here = sum(t);
    if (here > 0) column = t;
    if ((left -= here) < 0) break;
  }
  const double log_total = reference_[all.candidates] * std::numbers::ln2 + std::log(sum(column));
  return draw_by_halves(all, is_open(part, column) ? &part : nullptr, column, log_total, random);
}

// Sets come in the same order as in a walk over all of them, so that a draw is the same: first whole
// groups of sets with the same high bits are passed over, then sets of the group in which it falls.
TabledSet ParentTable::draw_by_halves(const AllowedParents& all, const AllowedParents* part, std::size_t column,
                                      double log_total, Stream& random) const {
  const std::uint32_t high_all = all.candidates & ~low_mask_, low_all = all.candidates & low_mask_;
  const std::uint32_t excluded = part ? part->candidates : 0;
  const auto share = [&](double log_weight) {
    return log_weight > log_total - negligible ? std::exp(log_weight - log_total) : 0.0;
  };
  double left = random.uniform();
  std::uint32_t group = high_all, last = high_all;
  for (;; group = (group - 1) & high_all) {
    double mass = share(low_sums_[(group | low_all) * width_ + column]);
    if (part && !(group & ~excluded)) mass -= share(low_sums_[(group | (excluded & low_all)) * width_ + column]);
    if (mass > 0) last = group;
    if (mass > left || group == 0) break;
    left -= std::max(mass, 0.0);
  }
  LogDraw draw(log_total, left, negligible);
  for (std::uint32_t low = low_all;; low = (low - 1) & low_all) {
    const std::uint32_t set = last | low;
    const std::size_t place = set * width_ + column;
    if (!part || (set & ~excluded)) draw.offer(place, weight(place));
    if (low == 0) return set_at(draw.chosen());
  }
}

void ParentTable::add_shares(const AllowedParents& all, const AllowedParents* part, double share, double* shares,
                             std::size_t stride) const {
  const auto without = [&](const AllowedParents& fewer, const AllowedParents* excluded) {
    return excluded ? log_difference(fewer, *excluded) : value(fewer);
  };
  const double total = without(all, part);
  AllowedParents fewer = all, excluded = part ? *part : AllowedParents{};
  const auto note = [&](std::size_t node) {
    bar(fewer, node);
    if (part) bar(excluded, node);
    shares[node * stride] += share * -std::expm1(std::min(without(fewer, part ? &excluded : nullptr) - total, 0.0));
    fewer = all;
    if (part) excluded = *part;
  };
  for (std::size_t c = 0; c < space_.candidates.size(); ++c)
    if (all.candidates >> c & 1U) note(space_.candidates[c]);
  for (std::size_t e = 0; e + 1 < width_; ++e)
    if (is_open(all, e + 1)) note(space_.extras[e]);
}

}  // namespace dagathlon
