#include "dagathlon/undirected/bdgraph_chain.hpp"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "dagathlon/undirected/constant_ratio.hpp"
#include "dagathlon/undirected/g_wishart.hpp"
#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/stats/sum_tree.hpp"

namespace dagathlon {

namespace {

class BdgraphState {
 public:
  BdgraphState(const BitMatrix& start, const BdgraphRules& rules, const BdgraphData& data, Stream& random)
      : rules_(rules),
        data_(data),
        n_(start.size()),
        log_odds_(std::log(rules.edge_probability) - std::log1p(-rules.edge_probability)),
        prior_factor_(upper_factor(n_, 1.0)),
        rates_(n_ * (n_ - (n_ > 0)) / 2) {
    for (std::size_t j = 1; j < n_; ++j)
      for (std::size_t i = 0; i < j; ++i) pairs_.emplace_back(i, j);
    replace(data.scatter);
    sampler_.draw(start, rules_.b + data_.rows, factor_, random, state_);
  }

  void step(UndirectedLog& log, Stream& random) {
    pulse::beat(n_ * n_ * n_);
    renew_latents(random);
    if (pairs_.empty()) return log.stay(rules_.births ? 1.0 : 0.0);
    if (rules_.auxiliary) sampler_.draw(log.graph(), rules_.b, prior_factor_, random, prior_);
    if (rules_.births) be_born_or_die(log, random);
    else propose(log, random);
    sampler_.draw(log.graph(), rules_.b + data_.rows, factor_, random, state_);
  }

 private:
  void replace(std::span<const double> scatter) {
    scale_ = SquareMatrix(scatter, n_);
    for (std::size_t i = 0; i < n_; ++i) scale_(i, i) += 1;
    factor_ = upper_factor(scale_);
  }

  void renew_latents(Stream& random) {
    if (data_.copula) replace(data_.copula->renewed(state_.precision, random));
  }

  void be_born_or_die(UndirectedLog& log, Stream& random) {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double gain = log_rate(k, log.graph());
      rates_.set(k, gain < 0 ? std::exp(gain) : 1.0);
    }
    const double time = 1 / rates_.total();
    log.stay(rules_.late_times && time_before_ > 0 ? time_before_ : time);
    time_before_ = time;
    for (std::size_t turned = 0; turned < rules_.jumps && rates_.total() > 0; ++turned) {
      const std::size_t k = rates_.find(random.uniform() * rates_.total());
      log.toggle(pairs_[k].first, pairs_[k].second);
      rates_.set(k, 0.0);
    }
  }

  void propose(UndirectedLog& log, Stream& random) {
    const std::size_t k = random.below(pairs_.size());
    if (std::log(1 - random.uniform()) < log_rate(k, log.graph())) log.toggle(pairs_[k].first, pairs_[k].second);
  }

  // Of turning a pair.
  double log_rate(std::size_t k, const BitMatrix& graph) const {
    const auto [i, j] = pairs_[k];
    const double constant = rules_.auxiliary ? log_integral(prior_, i, j, 0.0, 1.0) : log_ratio(graph, i, j);
    const double birth = log_odds_ + log_integral(state_, i, j, scale_(i, j), scale_(j, j)) - constant;
    return graph.test(i, j) ? -birth : birth;
  }

  static double log_integral(const Precision& at, std::size_t i, std::size_t j, double scale, double own) {
    const SquareMatrix& covariance = at.covariance;
    return log_pair_integral({at.precision(i, j), covariance(i, j), covariance(i, i), covariance(j, j), scale, own});
  }

  double log_ratio(const BitMatrix& graph, std::size_t i, std::size_t j) const {
    std::size_t common = 0;
    for (std::size_t w = 0; w < graph[i].size(); ++w)
      common += static_cast<std::size_t>(std::popcount(graph[i][w] & graph[j][w]));
    const double half = std::floor((rules_.b + static_cast<double>(common)) / 2);
    return std::log(2 * std::sqrt(std::numbers::pi)) + log_gamma(half + 0.5) - log_gamma(half);
  }

  BdgraphRules rules_;
  BdgraphData data_;
  std::size_t n_;
  double log_odds_;
  SquareMatrix scale_, factor_, prior_factor_;
  Precision state_, prior_;
  GWishartSampler sampler_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  SumTree rates_;
  double time_before_ = 0;
};

}  // namespace

UndirectedLog bdgraph_chain(const BitMatrix& start, const BdgraphRules& rules, const BdgraphData& data,
                            const ChainLength& length, Stream random) {
  using Time = UndirectedLog::Time;
  UndirectedLog log(start.size(), length.saved() + 1, UndirectedLog::Means::yes,
                    rules.births ? Time::continuous : Time::steps);
  log.become(start);
  BdgraphState state(start, rules, data, random);
  return run_undirected(
      std::move(log), length, [&](std::size_t, UndirectedLog& to) { state.step(to, random); }, [] { return 0.0; });
}

}  // namespace dagathlon
