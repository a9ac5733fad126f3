// A mixture of exponential power distributions, fitted to many scores by stochastic approximation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dagathlon {

// Density shape / (2 scale Γ(1/shape)) exp(-(|z - location| / scale)^shape); weights need not
// sum to one.
struct PowerComponent {
  double log_weight;
  double location;
  double scale;
  double shape;
};

// One pass over all scores, in an order of its own, per epoch; each score moves every component up the
// gradient of its log-likelihood (Liang and Zhang 2008). The steps have one length at first and then
// shrink as the inverse of their number.
std::vector<PowerComponent> fit_score_mixture(std::span<const double> scores, std::vector<PowerComponent> start,
                                              std::size_t epochs, std::uint64_t seed);

}  // namespace dagathlon
