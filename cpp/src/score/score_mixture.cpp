#include "dagathlon/score/score_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/random.hpp"

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

// A score as a component sees it.
struct View {
  double apart;         // from the location, never quite zero
  double log_distance;  // in scales
  double power;         // what the density falls by, in logarithms
};

View seen(const PowerComponent& part, double score) {
  const double from = score - part.location;
  const double apart = std::copysign(std::max(std::abs(from), closest), from);
  const double log_distance = std::log(std::abs(apart) / part.scale);
  return {apart, log_distance, std::exp(part.shape * log_distance)};
}

// With Γ(1/shape)/shape = Γ(1 + 1/shape).
double log_density(const PowerComponent& part, const View& view) {
  return -std::log(2.0 * part.scale) - log_gamma(1.0 + 1.0 / part.shape) - view.power;
}

// Up the gradient of the log density.
void climb(PowerComponent& part, const View& view, double step) {
  const double pull = part.shape * view.power;
  const double wider = digamma(1.0 + 1.0 / part.shape) / (part.shape * part.shape);
  part.location = std::clamp(part.location + step * pull / view.apart, -20.0, 40.0);
  part.scale = std::clamp(part.scale + step * (pull - 1.0) / part.scale, 0.1, 10.0);
  part.shape = std::clamp(part.shape + step * (wider - view.power * view.log_distance), 0.1, 10.0);
}

// Logarithms up to a constant become shares of one.
void to_shares(std::vector<double>& values) {
  const double largest = *std::ranges::max_element(values);
  double sum = 0.0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
}

class Fit {
 public:
  explicit Fit(std::vector<PowerComponent> start)
      : parts_(std::move(start)), views_(parts_.size()), weights_(parts_.size()), shares_(parts_.size()) {}

  void step(double score, double rate) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      views_[k] = seen(parts_[k], score);
      weights_[k] = parts_[k].log_weight;
      shares_[k] = weights_[k] + log_density(parts_[k], views_[k]);
    }
    to_shares(weights_);
    to_shares(shares_);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      climb(parts_[k], views_[k], rate * shares_[k]);
      parts_[k].log_weight += rate * (shares_[k] - weights_[k]);
    }
  }

  const std::vector<PowerComponent>& parts() const { return parts_; }

 private:
  std::vector<PowerComponent> parts_;
  std::vector<View> views_;
  std::vector<double> weights_, shares_;
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
