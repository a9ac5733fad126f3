#include "dagathlon/undirected/christmas_tree_particles.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "dagathlon/undirected/decomposable_chain.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Every decomposable graph is equally probable.
class NoData final : public CliqueScore {
 public:
  explicit NoData(std::size_t n) : n_(n) {}
  std::size_t size() const override { return n_; }

 private:
  double compute(Nodes) const override { return 0; }
  std::size_t n_;
};

}  // namespace

std::unique_ptr<SubtreeKernel> kernel_for(const DecomposableTarget& target, const ParticleOptions& options) {
  if (options.informed) return std::make_unique<InformedKernel>(target);
  return std::make_unique<BlindKernel>(options.alpha, options.beta);
}

double TreeGrowth::clique(ConstRow members) const {
  list_.clear();
  for_each(members, [&](std::size_t i) { list_.push_back(i); });
  return target_->clique(list_);
}

double TreeGrowth::separator(ConstRow members) const {
  list_.clear();
  for_each(members, [&](std::size_t i) { list_.push_back(i); });
  return target_->separator(list_);
}

CountedTree TreeGrowth::seed(std::size_t node) const {
  CountedTree state{GrowingTree(size())};
  BitSet alone(size());
  alone.set(node);
  state.tree.add(alone);
  return state;
}

CountedTree TreeGrowth::empty(Stream& random) const {
  CountedTree state{GrowingTree(size())};
  BitSet alone(size());
  for (std::size_t node = 0; node < size(); ++node) {
    alone.clear();
    alone.set(node);
    state.tree.add(alone);
  }
  reconnect(state.tree, random);
  state.log_trees = log_tree_count(state.tree);
  return state;
}

double TreeGrowth::log_gain(const GrowingTree& tree, std::size_t node, const Extension& extension) const {
  BitSet set(size());
  if (extension.isolated()) {
    set.set(node);
    return clique(set);
  }
  double gain = 0;
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const ConstRow part = extension.part(i, tree.stride());
    std::ranges::copy(part, set.row().begin());
    const bool whole = std::ranges::equal(part, tree.clique(extension.cliques[i]));
    gain -= whole ? clique(set) : separator(set);
    set.set(node);
    gain += clique(set);
  }
  for_each_inner_edge(tree, extension, [&](std::size_t i, std::size_t j) {
    std::ranges::copy(tree.clique(extension.cliques[i]), set.row().begin());
    intersect(set, tree.clique(extension.cliques[j]));
    gain += separator(set);
    set.set(node);
    gain -= separator(set);
  });
  return gain;
}

double TreeGrowth::log_weight(const CountedTree& before, std::size_t node, const Extension& extension,
                              const CountedTree& after) const {
  const double gain = log_gain(before.tree, node, extension);
  const double forward = log_forward(*kernel_, before.tree, node, extension);
  // Both ways then draw all that the numbers of trees differ by.
  if (extension.isolated()) return gain - forward;
  return gain - (after.log_trees - before.log_trees) + log_backward(before.tree, extension) - forward;
}

double TreeGrowth::grow(const CountedTree& before, CountedTree& after, std::size_t node, Stream& random) {
  kernel_->draw(before.tree, node, extension_, random);
  draw_moves(before.tree, extension_, random);
  after = before;
  extend(after.tree, node, extension_, random);
  after.log_trees = log_tree_count(after.tree);
  return log_weight(before, node, extension_, after);
}

double TreeGrowth::shrink(CountedTree& state, std::size_t node, Stream& random) {
  CountedTree before = state;
  const Extension extension = collapse(before.tree, node, random);
  before.log_trees = log_tree_count(before.tree);
  const double weight = log_weight(before, node, extension, state);
  state = std::move(before);
  return weight;
}

bool TreeGrowth::move(CountedTree& state, std::size_t node, Stream& random) {
  CountedTree without = state;
  const double old_weight = shrink(without, node, random);
  CountedTree changed{GrowingTree(size())};
  const double weight = grow(without, changed, node, random);
  if (!(std::log(random.uniform()) < weight - old_weight)) return false;
  state = std::move(changed);
  return true;
}

double TreeGrowth::log_posterior(const GrowingTree& tree) const {
  double result = 0;
  for (std::size_t k = 0; k < tree.size(); ++k) result += clique(tree.clique(k));
  BitSet shared(size());
  tree.for_each_edge([&](std::size_t a, std::size_t b) {
    std::ranges::copy(tree.clique(a), shared.row().begin());
    intersect(shared, tree.clique(b));
    result -= separator(shared);
  });
  return result;
}

void Particles::normalise() {
  cumulative_.resize(log_weights_.size());
  const double top = *std::ranges::max_element(log_weights_);
  double sum = 0;
  for (std::size_t i = 0; i < cumulative_.size(); ++i) cumulative_[i] = sum += std::exp(log_weights_[i] - top);
  for (double& share : cumulative_) share /= sum;
}

std::size_t Particles::drawn(Stream& random) const {
  const auto place = std::ranges::upper_bound(cumulative_, random.uniform());
  return std::min(static_cast<std::size_t>(place - cumulative_.begin()), cumulative_.size() - 1);
}

void Particles::advance(std::size_t node, std::size_t kept, Stream& random) {
  std::swap(now_, before_);
  now_.resize(number_, before_.front());
  for (std::size_t i = kept; i < number_; ++i) {
    pulse::beat();
    log_weights_[i] = growth_->grow(before_[drawn(random)], now_[i], node, random);
  }
}

double Particles::run(const std::vector<std::size_t>& order, Stream& random) {
  now_.assign(number_, growth_->seed(order.front()));
  log_weights_.assign(number_, 0.0);
  double result = growth_->log_posterior(now_.front().tree);
  for (std::size_t m = 1; m < order.size(); ++m) {
    normalise();
    advance(order[m], 0, random);
    LogSum sum;
    for (const double weight : log_weights_) sum.add(weight);
    result += sum.value() - std::log(static_cast<double>(number_));
  }
  return result;
}

bool Particles::run_through(CountedTree& tree, std::span<const std::size_t> late, Stream& random) {
  std::vector<CountedTree> way(late.size() + 1, tree);
  std::vector<double> weights(late.size());
  for (std::size_t m = late.size(); m-- > 0;) {
    way[m] = way[m + 1];
    weights[m] = growth_->shrink(way[m], late[m], random);
  }
  now_.assign(number_, way.front());
  log_weights_.assign(number_, 0.0);
  for (std::size_t m = 0; m < late.size(); ++m) {
    normalise();
    advance(late[m], 1, random);
    now_.front() = way[m + 1];
    log_weights_.front() = weights[m];
  }
  normalise();
  const std::size_t chosen = drawn(random);
  tree = now_[chosen];
  return chosen > 0;
}

CountedTree Particles::sampled(Stream& random) {
  normalise();
  return now_[drawn(random)];
}

std::vector<std::size_t> nearby_order(std::size_t n, std::size_t radius, Stream& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (radius >= n) {
    random.shuffle(std::span(order));
    return order;
  }
  // Before `done` are those that were drawn, from there to `close` those within the radius of one of them.
  std::size_t close = n;
  for (std::size_t done = 0; done < n; ++done) {
    std::swap(order[done], order[done + random.below(close - done)]);
    if (done == 0) close = 1;
    const auto within = [&](std::size_t other) {
      return (other > order[done] ? other - order[done] : order[done] - other) <= radius;
    };
    for (std::size_t i = close; i < n; ++i)
      if (within(order[i])) std::swap(order[i], order[close++]);
  }
  return order;
}

std::vector<double> decomposable_counts(std::size_t n, const ParticleOptions& options, std::size_t estimates,
                                        std::uint64_t seed) {
  const DecomposableTarget target(std::make_shared<NoData>(n), {});
  const auto kernel = kernel_for(target, options);
  TreeGrowth growth(target, *kernel);
  Particles particles(growth, options.particles);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<double> result;
  for (std::size_t k = 0; k < estimates; ++k) {
    pulse::progress(k, estimates);
    Stream random(seed, k);
    result.push_back(n == 0 ? 0.0 : particles.run(order, random));
  }
  return result;
}

UndirectedLog particle_gibbs(const DecomposableTarget& target, const ParticleOptions& options, ChainLength length,
                             Stream random) {
  const std::size_t n = target.size();
  UndirectedLog log(n, length.saved() + 1, UndirectedLog::Means::yes);
  const auto kernel = kernel_for(target, options);
  TreeGrowth growth(target, *kernel);
  Particles particles(growth, options.particles);
  CountedTree tree = growth.empty(random);
  if (n > 1 && pulse::until_deadline([&] { particles.run(nearby_order(n, options.radius, random), random); })) {
    CountedTree grown = particles.sampled(random);
    // Where only small cliques are possible no particle may be left.
    if (std::isfinite(growth.log_posterior(grown.tree))) {
      tree = std::move(grown);
      log.become(graph_of(tree.tree));
    }
  }
  const std::size_t kept = n - std::min(options.block, n > 0 ? n - 1 : 0);
  const auto step = [&](std::size_t, UndirectedLog& chain) {
    if (n < 2) return;
    const std::vector<std::size_t> order = nearby_order(n, options.radius, random);
    if (particles.run_through(tree, std::span(order).subspan(kept), random)) chain.become(graph_of(tree.tree));
  };
  return run_undirected(std::move(log), length, step, [&] { return settled(growth.log_posterior(tree.tree)); });
}

}  // namespace dagathlon
