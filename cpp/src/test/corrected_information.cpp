#include "dagathlon/test/corrected_information.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

std::size_t CorrectedInformation::Hash::operator()(const std::vector<std::uint32_t>& key) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (const std::uint32_t part : key) hash = (hash ^ part) * 0x100000001B3U + (hash >> 29);
  return hash;
}

CorrectedInformation::CorrectedInformation(DiscreteData data, Complexity complexity)
    : data_(std::move(data)), complexity_(complexity), counter_(data_), logs_(data_.observations()) {}

double CorrectedInformation::operator()(std::size_t x, std::size_t y, std::vector<std::size_t> given) {
  std::ranges::sort(given);
  if (y < x) std::swap(x, y);
  std::vector<std::uint32_t> key{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)};
  for (const std::size_t z : given) key.push_back(static_cast<std::uint32_t>(z));
  const auto place = known_.find(key);
  if (place != known_.end()) return place->second;
  pulse::beat();
  const double value = computed(x, y, given);
  known_.emplace(std::move(key), value);
  return value;
}

double CorrectedInformation::computed(std::size_t x, std::size_t y, Nodes given) {
  const bool regrets = complexity_ == Complexity::normalised_likelihood;
  double sum = 0;
  counter_.slices(x, y, given, [&](const Slice& slice) {
    sum += slice_information(slice, logs_);
    if (regrets) sum -= regret(slice);
  });
  if (complexity_ != Complexity::description_length) return sum;
  return sum - description_length(x, y, given);
}

// Half the regret of y in each level of x beyond that of y alone, and the same with x and y exchanged.
double CorrectedInformation::regret(const Slice& slice) {
  const auto x_levels = static_cast<double>(slice.x_levels), y_levels = static_cast<double>(slice.y_levels);
  double sum = -regret_(slice.total, x_levels) - regret_(slice.total, y_levels);
  for (std::size_t a = 0; a < slice.x_levels; ++a) sum += regret_(slice.x_margin[a], y_levels);
  for (std::size_t b = 0; b < slice.y_levels; ++b) sum += regret_(slice.y_margin[b], x_levels);
  return 0.5 * sum;
}

double CorrectedInformation::description_length(std::size_t x, std::size_t y, Nodes given) const {
  const auto free_x = static_cast<double>(data_.arity(x) - 1), free_y = static_cast<double>(data_.arity(y) - 1);
  double parameters = free_x * free_y;
  for (const std::size_t z : given) parameters *= static_cast<double>(data_.arity(z));
  return 0.5 * parameters * std::log(static_cast<double>(data_.observations()));
}

}  // namespace dagathlon
