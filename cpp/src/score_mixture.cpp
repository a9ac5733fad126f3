#include "dagathlon/score_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dagathlon/log_gamma.hpp"
#include "dagathlon/pulse.hpp"
#include "dagathlon/random.hpp"

namespace dagathlon {

namespace {

constexpr double first_rate = 0.01;
constexpr double steps_at_first_rate = 10000.0;
constexpr double closest = 1e-10;

// The derivative of log Γ: the recurrence below 8, the asymptotic series above.
double digamma(double x) {
  double shift = 0.0;
  for (; x < 8.0; x += 1.0) shift += 1.0 / x;
  const double z = 1.0 / (x * x);
  const double series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z / 132))));
  return std::log(x) - 0.5 / x - series - shift;
}

double log_density(const PowerComponent& part, double log_distance) {
  return std::log(part.shape / (2.0 * part.scale)) - log_gamma(1.0 / part.shape) -
         std::exp(part.shape * log_distance);
}

// Where a score lies from a component, in logarithms of its scale.
double log_distance(const PowerComponent& part, double score) {
  return std::log(std::max(std::abs(score - part.location), closest) / part.scale);
}

// A step of one component up the gradient of its log density at the score.
void climb(PowerComponent& part, double score, double distance, double step) {
  const double power = std::exp(part.shape * distance);
  const double slope = part.shape / part.scale * std::exp((part.shape - 1.0) * distance);
  const double inverse = 1.0 / part.shape;
  const double by_shape = inverse + inverse * inverse * digamma(inverse) - power * distance;
  const double by_scale = (part.shape * power - 1.0) / part.scale;
  part.location = std::clamp(part.location + step * (score > part.location ? slope : -slope), -20.0, 40.0);
  part.scale = std::clamp(part.scale + step * by_scale, 0.1, 10.0);
  part.shape = std::clamp(part.shape + step * by_shape, 0.1, 10.0);
}

class Fit {
 public:
  explicit Fit(std::vector<PowerComponent> start)
      : parts_(std::move(start)), weights_(parts_.size()), owned_(parts_.size()), distances_(parts_.size()) {}

  void step(double score, double rate) {
    normalise();
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      distances_[k] = log_distance(parts_[k], score);
      owned_[k] = log_density(parts_[k], distances_[k]) + std::log(weights_[k]);
      largest = std::max(largest, owned_[k]);
    }
    double sum = 0.0;
    for (double& share : owned_) sum += share = std::exp(share - largest);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const double share = owned_[k] / sum;
      climb(parts_[k], score, distances_[k], rate * share);
      parts_[k].log_weight += rate * (share - weights_[k]);
    }
  }

  const std::vector<PowerComponent>& parts() const { return parts_; }

 private:
  void normalise() {
    double sum = 0.0;
    for (std::size_t k = 0; k < parts_.size(); ++k) sum += weights_[k] = std::exp(parts_[k].log_weight);
    for (double& weight : weights_) weight /= sum;
  }

  std::vector<PowerComponent> parts_;
  std::vector<double> weights_, owned_, distances_;
};

}  // namespace

std::vector<PowerComponent> fit_score_mixture(std::span<const double> scores, std::vector<PowerComponent> start,
                                              std::size_t epochs, std::uint64_t seed) {
  Stream random(seed, 0);
  Fit fit(std::move(start));
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  double steps = 0.0;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    pulse::progress(epoch, epochs);
    random.shuffle(std::span(order));
    for (const std::size_t place : order) {
      pulse::beat();
      steps += 1.0;
      fit.step(scores[place], first_rate * std::min(1.0, steps_at_first_rate / steps));
    }
  }
  return fit.parts();
}

}  // namespace dagathlon
