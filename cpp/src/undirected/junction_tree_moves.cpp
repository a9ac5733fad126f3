#include "dagathlon/undirected/junction_tree_moves.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/stats/log_gamma.hpp"

namespace dagathlon {

namespace {

double log_of(std::size_t number) { return std::log(static_cast<double>(number)); }
double log_of(std::size_t number, int more) { return std::log(static_cast<double>(number) + more); }

}  // namespace

RandomParts::RandomParts(std::size_t nodes) {
  for (std::size_t k = 0; k <= nodes; ++k) log_factorial_.push_back(log_gamma(static_cast<double>(k) + 1));
}

void RandomParts::pick(std::size_t first, std::size_t many, BitSet& part, Stream& random) {
  part.clear();
  for (std::size_t k = first; k < first + many; ++k) {
    std::swap(nodes_[k], nodes_[k + random.below(nodes_.size() - k)]);
    part.set(nodes_[k]);
  }
}

void RandomParts::draw_part(ConstRow set, bool several, BitSet& part, Stream& random) {
  nodes_.clear();
  for_each(set, [&](std::size_t node) { nodes_.push_back(node); });
  pick(0, several ? 1 + random.below(nodes_.size()) : 1, part, random);
}

double RandomParts::log_part(std::size_t of, std::size_t part, bool several) const {
  return several ? -log_of(of) - log_choices(of, part) : -log_of(of);
}

void RandomParts::draw_pair(ConstRow set, bool several, BitSet& x, BitSet& y, Stream& random) {
  nodes_.clear();
  for_each(set, [&](std::size_t node) { nodes_.push_back(node); });
  const std::size_t c = nodes_.size();
  const std::size_t of_x = several ? 1 + random.below(c - 1) : 1;
  const std::size_t of_y = several ? 1 + random.below(c - of_x) : 1;
  pick(0, of_x, x, random);
  pick(of_x, of_y, y, random);
}

// Either of the two may have been drawn first.
double RandomParts::log_pair(std::size_t of, std::size_t x, std::size_t y, bool several) const {
  if (!several) return -log_choices(of, 2);
  const auto c = static_cast<double>(of);
  const double first = 1 / (c - static_cast<double>(x)) + 1 / (c - static_cast<double>(y));
  return std::log(first / (c - 1)) - log_choices(of, x) - log_choices(of - x, y);
}

void CountChange::gather(const JunctionTree& tree, const Connection& move) {
  for (BitSet* set : {&all_, &with_x_, &with_y_}) std::ranges::copy(move.separator, set->row().begin());
  unite(with_x_, move.x);
  unite(with_y_, move.y);
  unite(all_, move.x);
  unite(all_, move.y);
  separators_.clear();
  for (std::size_t link = 0; link < tree.links(); ++link) {
    const ConstRow nodes = tree.separator(link);
    if (!is_subset(nodes, all_)) continue;
    const auto known = std::ranges::find_if(
        separators_, [&](const Separator& other) { return std::ranges::equal(other.nodes, nodes); });
    if (known == separators_.end()) separators_.push_back({nodes, 1});
    else ++known->links;
  }
}

std::size_t CountChange::links_of(ConstRow set) const {
  for (const Separator& known : separators_)
    if (std::ranges::equal(known.nodes, set)) return known.links;
  return 0;
}

double CountChange::grown(std::size_t links, JunctionTree::Reach before, int more) {
  return (static_cast<double>(links) - 1) * (log_of(before.all, more) - log_of(before.all)) +
         log_of(before.part, more) - log_of(before.part);
}

namespace {

// The separator itself loses a link, and the parts at its ends become one.
double parted(std::size_t links, std::size_t all, std::size_t at_x, std::size_t at_y, int more) {
  const auto m = static_cast<double>(links);
  return (m - 2) * log_of(all, more) - (m - 1) * log_of(all) + log_of(at_x + at_y, more) - log_of(at_x) - log_of(at_y);
}

// A set that becomes one more link, to a clique that is a part of its own.
double linked(std::size_t links, std::size_t all) {
  const auto m = static_cast<double>(links);
  return m * log_of(all, 1) - (m - 1) * log_of(all);
}

}  // namespace

double CountChange::before(const JunctionTree& tree, std::size_t link, const Connection& move) {
  gather(tree, move);
  const auto [a, b] = tree.ends(link);
  const int more = move.cliques();
  double change = 0;
  for (const Separator& known : separators_) {
    if (std::ranges::equal(known.nodes, move.separator)) {
      const auto at_x = tree.reach(a, known.nodes);
      change += parted(known.links, at_x.all, at_x.part, tree.reach(b, known.nodes).part, more);
    } else if (is_subset(known.nodes, move.separator)) {
      if (more != 0) change += grown(known.links, tree.reach(a, known.nodes), more);
    } else if (intersects(known.nodes, move.x)) {
      if (!move.whole_x && !std::ranges::equal(known.nodes, with_x_.row()))
        change += grown(known.links, tree.reach(a, known.nodes), 1);
    } else if (!move.whole_y && !std::ranges::equal(known.nodes, with_y_.row())) {
      change += grown(known.links, tree.reach(b, known.nodes), 1);
    }
  }
  if (!move.whole_x) change += linked(links_of(with_x_), tree.reach(a, with_x_).all);
  if (!move.whole_y) change += linked(links_of(with_y_), tree.reach(b, with_y_).all);
  return change;
}

double CountChange::after(const JunctionTree& tree, std::size_t clique, const Connection& move) {
  gather(tree, move);
  const int more = move.cliques();
  // What there was before the connection, from what there is now.
  const auto was = [&](ConstRow set, int added) {
    const JunctionTree::Reach now = tree.reach(clique, set);
    const auto less = static_cast<std::size_t>(added);
    return JunctionTree::Reach{now.all - less, now.part - less};
  };
  std::size_t at_x = move.whole_x, at_y = move.whole_y;
  for (const std::size_t link : tree.links_of(clique)) {
    const ConstRow nodes = tree.separator(link);
    if (!is_subset(move.separator, nodes)) continue;
    if (intersects(nodes, move.x)) at_x += tree.branch(link, clique, move.separator);
    else if (intersects(nodes, move.y)) at_y += tree.branch(link, clique, move.separator);
  }
  double change = parted(links_of(move.separator) + 1, was(move.separator, more).all, at_x, at_y, more);
  for (const Separator& known : separators_) {
    if (std::ranges::equal(known.nodes, move.separator)) continue;
    const bool of_x = intersects(known.nodes, move.x), of_y = intersects(known.nodes, move.y);
    const int added = of_x ? !move.whole_x : of_y ? !move.whole_y : more;
    const bool fresh =
        added != 0 && (of_x || of_y) && std::ranges::equal(known.nodes, of_x ? with_x_.row() : with_y_.row());
    if (fresh) change += linked(known.links - 1, was(known.nodes, 1).all);
    else if (added != 0) change += grown(known.links, was(known.nodes, added), added);
  }
  return change;
}

}  // namespace dagathlon
