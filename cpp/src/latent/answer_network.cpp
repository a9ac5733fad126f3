#include "dagathlon/latent/answer_network.hpp"

#include <algorithm>
#include <bit>

#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Gains below this are rounding.
constexpr double smallest_gain = 1e-9;

// What counts add to BDeu where the parents have so many configurations.
struct Terms {
  std::vector<double> level;
  std::vector<double> configuration;

  Terms(std::size_t samples, double configurations, double iss) {
    const double prior = iss / configurations;
    for (std::size_t n = 0; n <= samples; ++n) {
      level.push_back(log_gamma(static_cast<double>(n) + prior / 2) - log_gamma(prior / 2));
      configuration.push_back(log_gamma(static_cast<double>(n) + prior) - log_gamma(prior));
    }
  }

  double operator()(std::size_t yes, std::size_t total) const {
    return level[yes] + level[total - yes] - configuration[total];
  }
};

class AnswerNetwork {
 public:
  AnswerNetwork(const std::vector<BitSet>& answers, std::size_t samples, std::size_t max_parents, double iss)
      : answers_(answers), samples_(samples) {
    double configurations = 1;
    for (std::size_t k = 0; k <= max_parents; ++k, configurations *= 2)
      terms_.emplace_back(samples, configurations, iss);
  }

  std::vector<std::size_t> parents(std::size_t child) const {
    std::vector<std::size_t> found;
    BitSet all(samples_);
    for (std::size_t s = 0; s < samples_; ++s) all.set(s);
    std::vector<BitSet> parts{all};
    double score = terms_[0](count(answers_[child].row()), samples_);
    while (found.size() + 1 < terms_.size()) {
      std::size_t best = no_node;
      double best_score = score + smallest_gain;
      for (std::size_t other = 0; other < child; ++other) {
        if (std::ranges::find(found, other) != found.end()) continue;
        const double with = split_score(child, parts, other, terms_[found.size() + 1]);
        if (with <= best_score) continue;
        best = other;
        best_score = with;
      }
      if (best == no_node) break;
      found.push_back(best);
      score = best_score;
      parts = split(parts, answers_[best]);
    }
    return found;
  }

 private:
  double split_score(std::size_t child, const std::vector<BitSet>& parts, std::size_t other, const Terms& terms) const {
    double sum = 0;
    for (const BitSet& part : parts) {
      std::size_t total = 0, yes = 0, other_total = 0, both = 0;
      for (std::size_t k = 0; k < part.row().size(); ++k) {
        const Word in = part.row()[k], child_in = in & answers_[child].row()[k],
                   other_in = in & answers_[other].row()[k];
        total += static_cast<std::size_t>(std::popcount(in));
        yes += static_cast<std::size_t>(std::popcount(child_in));
        other_total += static_cast<std::size_t>(std::popcount(other_in));
        both += static_cast<std::size_t>(std::popcount(child_in & other_in));
      }
      sum += terms(both, other_total) + terms(yes - both, total - other_total);
    }
    return sum;
  }

  static std::vector<BitSet> split(const std::vector<BitSet>& parts, const BitSet& answer) {
    std::vector<BitSet> result;
    for (const BitSet& part : parts) {
      result.push_back(part);
      intersect(result.back(), answer);
      result.push_back(part);
      subtract(result.back(), answer);
    }
    return result;
  }

  const std::vector<BitSet>& answers_;
  std::size_t samples_;
  std::vector<Terms> terms_;
};

}  // namespace

std::vector<std::vector<std::size_t>> answer_parents(const std::vector<BitSet>& answers, std::size_t samples,
                                                     std::size_t max_parents, double iss) {
  const AnswerNetwork network(answers, samples, max_parents, iss);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t child = 0; child < answers.size(); ++child) {
    pulse::progress(child, answers.size());
    pulse::beat(child);
    result.push_back(network.parents(child));
  }
  return result;
}

}  // namespace dagathlon
