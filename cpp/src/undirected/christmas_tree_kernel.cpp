#include "dagathlon/undirected/christmas_tree_kernel.hpp"

#include <cmath>
#include <numbers>

#include "dagathlon/stats/log_weights.hpp"

namespace dagathlon {

namespace {

double as_double(std::size_t number) { return static_cast<double>(number); }

// Of the number of subsets, or of those that are not empty.
double log_subsets(std::size_t n, bool not_empty) {
  const double all = as_double(n) * std::numbers::ln2;
  return not_empty ? all + std::log1p(-std::exp2(-as_double(n))) : all;
}

// Calls visit(place, other) for each neighbour of the subtree that is not in it.
template <class Visit>
void for_each_boundary(const GrowingTree& tree, const Extension& extension, Visit&& visit) {
  BitSet inside(tree.nodes());
  for (const std::size_t clique : extension.cliques) inside.set(clique);
  for (std::size_t i = 0; i < extension.cliques.size(); ++i)
    for_each(tree.near(extension.cliques[i]), [&](std::size_t other) {
      if (!inside.test(other)) visit(i, other);
    });
}

// Grows a subtree from one clique; goes_on(from, to) decides for each edge.
template <class GoesOn>
void grow(const GrowingTree& tree, std::size_t start, Extension& extension, GoesOn&& goes_on) {
  extension.clear();
  extension.cliques.push_back(start);
  std::vector<std::size_t> origin{no_node};
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const std::size_t from = extension.cliques[i];
    for_each(tree.near(from), [&](std::size_t to) {
      if (to == origin[i] || !goes_on(from, to)) return;
      extension.cliques.push_back(to);
      origin.push_back(from);
    });
  }
}

double log_moves(const GrowingTree& tree, const Extension& extension) {
  std::size_t candidates = 0;
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const std::size_t clique = extension.cliques[i];
    if (std::ranges::equal(extension.part(i, tree.stride()), tree.clique(clique))) continue;
    for_each(tree.near(clique), [&](std::size_t other) { candidates += may_move(tree, extension, i, other); });
  }
  return -as_double(candidates) * std::numbers::ln2;
}

void random_subset(FreePart& part, Stream& random) {
  const BitSet all = part.free;
  do {
    part.free = all;
    for_each(all, [&](std::size_t i) {
      if (random.below(2) == 0) part.free.reset(i);
    });
  } while (part.needed && !any(part.free));
}

// Far from certain, so that no tree is out of reach.
double cautious(double log_odds) {
  constexpr double least = 0.02;
  const double probability = 1 / (1 + std::exp(-log_odds));
  return least + (1 - 2 * least) * probability;
}

}  // namespace

FreePart::FreePart(const GrowingTree& tree, const Extension& extension, std::size_t place)
    : shared(tree.nodes()), free(tree.nodes(), tree.clique(extension.cliques[place])), needed(true) {
  const ConstRow clique = tree.clique(extension.cliques[place]);
  BitSet separator(tree.nodes());
  std::size_t largest = 0;
  for (const std::size_t other : extension.cliques) {
    if (!test(tree.near(extension.cliques[place]), other)) continue;
    std::ranges::copy(clique, separator.row().begin());
    intersect(separator, tree.clique(other));
    largest = std::max(largest, count(separator));
    unite(shared, separator);
  }
  needed = extension.cliques.size() == 1 || count(shared) == largest;
  subtract(free, shared);
}

double log_forward(const SubtreeKernel& kernel, const GrowingTree& tree, std::size_t node, const Extension& extension) {
  const double one = kernel.log_density(tree, node, extension);
  if (extension.isolated()) return one;
  const double result = one + log_moves(tree, extension);
  const std::size_t other = twin(tree, extension);
  if (other == no_node) return result;
  Extension twin_extension = extension;
  twin_extension.cliques[0] = other;
  return log_add(result, kernel.log_density(tree, node, twin_extension) + log_moves(tree, twin_extension));
}

void BlindKernel::draw(const GrowingTree& tree, std::size_t, Extension& extension, Stream& random) const {
  extension.clear();
  if (!(random.uniform() < beta_)) return;
  grow(tree, random.below(tree.size()), extension, [&](std::size_t, std::size_t) { return random.uniform() < alpha_; });
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    FreePart part(tree, extension, i);
    random_subset(part, random);
    unite(part.shared, part.free);
    extension.parts.insert(extension.parts.end(), part.shared.row().begin(), part.shared.row().end());
  }
}

double BlindKernel::log_density(const GrowingTree& tree, std::size_t, const Extension& extension) const {
  if (extension.isolated()) return std::log1p(-beta_);
  const std::size_t n = extension.cliques.size();
  std::size_t boundary = 0;
  for_each_boundary(tree, extension, [&](std::size_t, std::size_t) { ++boundary; });
  double result = std::log(beta_ * as_double(n) / as_double(tree.size())) + as_double(n - 1) * std::log(alpha_) +
                  as_double(boundary) * std::log1p(-alpha_);
  for (std::size_t i = 0; i < n; ++i) {
    const FreePart part(tree, extension, i);
    result -= log_subsets(count(part.free), part.needed);
  }
  return result;
}

InformedKernel::InformedKernel(const DecomposableTarget& target)
    : target_(&target), n_(target.size()), pairs_(n_ * n_) {
  std::vector<double> alone;
  for (std::size_t i = 0; i < n_; ++i) alone.push_back(target.clique(std::vector{i}));
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = i + 1; j < n_; ++j)
      pairs_[i * n_ + j] = pairs_[j * n_ + i] = target.clique(std::vector{i, j}) - alone[i] - alone[j];
}

double InformedKernel::weight(ConstRow members) const {
  list_.clear();
  for_each(members, [&](std::size_t i) { list_.push_back(i); });
  return target_->clique(list_);
}

void InformedKernel::starts(const GrowingTree& tree, std::size_t node) const {
  constexpr double anywhere = 0.1;
  starts_.assign(tree.size() + 1, 0.0);
  double top = 0;
  for (std::size_t k = 0; k < tree.size(); ++k) {
    starts_[k] = minus_infinity;
    for_each(tree.clique(k), [&](std::size_t i) { starts_[k] = std::max(starts_[k], pairs_[i * n_ + node]); });
    top = std::max(top, starts_[k]);
  }
  double sum = 0;
  for (double& start : starts_) sum += start = std::exp(start - top);
  for (double& start : starts_) start = (1 - anywhere) * start / sum + anywhere / as_double(starts_.size());
}

double InformedKernel::goes_on(const GrowingTree& tree, std::size_t node, std::size_t from, std::size_t to) const {
  BitSet set(n_, tree.clique(from));
  intersect(set, tree.clique(to));
  BitSet others(n_, tree.clique(to));
  subtract(others, set);
  double best = minus_infinity;
  if (!any(set)) {
    for_each(others, [&](std::size_t i) { best = std::max(best, pairs_[i * n_ + node]); });
    return cautious(best);
  }
  const double without = weight(set);
  set.set(node);
  const double with_node = weight(set);
  for_each(others, [&](std::size_t i) {
    set.set(i);
    const double with_both = weight(set);
    set.reset(node);
    best = std::max(best, with_both - weight(set) - with_node + without);
    set.set(node);
    set.reset(i);
  });
  return cautious(best);
}

double InformedKernel::stays(ConstRow members, std::size_t node, std::size_t member) const {
  BitSet set(n_, members);
  const double all = weight(set);
  set.set(node);
  const double all_node = weight(set);
  set.reset(member);
  const double rest_node = weight(set);
  set.reset(node);
  return cautious(all_node - all - rest_node + weight(set));
}

void InformedKernel::draw(const GrowingTree& tree, std::size_t node, Extension& extension, Stream& random) const {
  starts(tree, node);
  std::size_t start = 0;
  for (double left = random.uniform() - starts_[0]; left >= 0 && start < tree.size(); left -= starts_[start]) ++start;
  extension.clear();
  if (start == tree.size()) return;
  grow(tree, start, extension,
       [&](std::size_t from, std::size_t to) { return random.uniform() < goes_on(tree, node, from, to); });
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const FreePart part(tree, extension, i);
    BitSet kept(n_, tree.clique(extension.cliques[i]));
    std::size_t left = count(part.free);
    bool has_one = !part.needed;
    for_each(part.free, [&](std::size_t member) {
      // The last one cannot go where one is needed.
      const bool must = --left == 0 && !has_one;
      if (must || random.uniform() < stays(kept, node, member)) has_one = true;
      else kept.reset(member);
    });
    extension.parts.insert(extension.parts.end(), kept.row().begin(), kept.row().end());
  }
}

double InformedKernel::log_start(const GrowingTree& tree, std::size_t node, const Extension& extension) const {
  starts(tree, node);
  const auto& cliques = extension.cliques;
  // As if it had started at the first; from any other one the edges between are crossed the other way.
  std::vector<double> turned(cliques.size());
  std::vector<bool> seen(cliques.size());
  std::vector<std::size_t> stack{0};
  seen[0] = true;
  double crossed = 0;
  LogSum sum;
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    stack.pop_back();
    sum.add(turned[i] + std::log(starts_[cliques[i]]));
    for (std::size_t j = 0; j < cliques.size(); ++j) {
      if (seen[j] || !test(tree.near(cliques[i]), cliques[j])) continue;
      const double away = std::log(goes_on(tree, node, cliques[i], cliques[j]));
      crossed += away;
      turned[j] = turned[i] + std::log(goes_on(tree, node, cliques[j], cliques[i])) - away;
      seen[j] = true;
      stack.push_back(j);
    }
  }
  return sum.value() + crossed;
}

double InformedKernel::log_density(const GrowingTree& tree, std::size_t node, const Extension& extension) const {
  if (extension.isolated()) {
    starts(tree, node);
    return std::log(starts_.back());
  }
  double result = log_start(tree, node, extension);
  for_each_boundary(tree, extension, [&](std::size_t i, std::size_t other) {
    result += std::log1p(-goes_on(tree, node, extension.cliques[i], other));
  });
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const FreePart part(tree, extension, i);
    const ConstRow chosen = extension.part(i, tree.stride());
    BitSet kept(n_, tree.clique(extension.cliques[i]));
    std::size_t left = count(part.free);
    bool has_one = !part.needed;
    for_each(part.free, [&](std::size_t member) {
      const bool must = --left == 0 && !has_one;
      const double probability = must ? 1.0 : stays(kept, node, member);
      if (test(chosen, member)) {
        result += std::log(probability);
        has_one = true;
      } else {
        result += std::log1p(-probability);
        kept.reset(member);
      }
    });
  }
  return result;
}

}  // namespace dagathlon
