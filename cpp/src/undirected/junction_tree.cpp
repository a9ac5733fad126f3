#include "dagathlon/undirected/junction_tree.hpp"

#include <algorithm>
#include <cmath>

#include "dagathlon/graph/random_joins.hpp"

namespace dagathlon {

JunctionTree::JunctionTree(const CliqueTree& tree, std::size_t nodes)
    : nodes_(nodes), stride_(words_for(nodes)), home_(nodes) {
  for (std::size_t k = 0; k < tree.cliques.size(); ++k) {
    BitSet held(nodes), common(nodes);
    for (const std::size_t node : tree.cliques[k]) held.set(node);
    for (const std::size_t node : tree.separators[k]) common.set(node);
    add_clique(held);
    if (k > 0) add_link(tree.parents[k] == no_node ? 0 : tree.parents[k], k, common);
  }
}

std::size_t JunctionTree::add_clique(ConstRow nodes) {
  const std::size_t k = cliques();
  members_.insert(members_.end(), nodes.begin(), nodes.end());
  incident_.emplace_back();
  settle(k);
  return k;
}

std::size_t JunctionTree::add_link(std::size_t a, std::size_t b, ConstRow nodes) {
  const std::size_t link = links();
  shared_.insert(shared_.end(), nodes.begin(), nodes.end());
  ends_.push_back({a, b});
  incident_[a].push_back(link);
  incident_[b].push_back(link);
  return link;
}

void JunctionTree::settle(std::size_t k) {
  for_each(clique(k), [&](std::size_t node) { home_[node] = k; });
}

void JunctionTree::drop(std::size_t k, std::size_t link) {
  auto& own = incident_[k];
  *std::ranges::find(own, link) = own.back();
  own.pop_back();
}

// The last one takes its place.
void JunctionTree::remove_link(std::size_t link) {
  for (const std::size_t k : ends_[link]) drop(k, link);
  const std::size_t last = links() - 1;
  if (link != last) {
    for (const std::size_t k : ends_[last]) *std::ranges::find(incident_[k], last) = link;
    ends_[link] = ends_[last];
    std::ranges::copy(separator(last), shared(link).begin());
  }
  ends_.pop_back();
  shared_.resize(shared_.size() - stride_);
}

void JunctionTree::remove_clique(std::size_t k) {
  const std::size_t last = cliques() - 1;
  if (k != last) {
    for (const std::size_t link : incident_[last]) ends_[link][ends_[link][1] == last] = k;
    incident_[k] = std::move(incident_[last]);
    std::ranges::copy(clique(last), members(k).begin());
    for_each(clique(k), [&](std::size_t node) {
      if (home_[node] == last) home_[node] = k;
    });
  }
  incident_.pop_back();
  members_.resize(members_.size() - stride_);
}

void JunctionTree::hand_over(std::size_t from, std::size_t to) {
  for (const std::size_t link : incident_[from]) {
    ends_[link][ends_[link][1] == from] = to;
    incident_[to].push_back(link);
  }
  incident_[from].clear();
}

void JunctionTree::connect(std::size_t link, ConstRow x, ConstRow y) {
  const auto [a, b] = ends_[link];
  BitSet joined(nodes_, separator(link)), with_x = joined, with_y = joined;
  unite(with_x, x);
  unite(with_y, y);
  unite(joined, x);
  unite(joined, y);
  const bool all_x = std::ranges::equal(with_x.row(), clique(a)), all_y = std::ranges::equal(with_y.row(), clique(b));
  if (!all_x && !all_y) {
    remove_link(link);
    const std::size_t between = add_clique(joined);
    add_link(a, between, with_x);
    add_link(between, b, with_y);
    return;
  }
  const std::size_t grows = all_x ? a : b;
  std::ranges::copy(joined.row(), members(grows).begin());
  settle(grows);
  if (all_x && all_y) {
    remove_link(link);
    hand_over(b, a);
    for_each(clique(b), [&](std::size_t node) { home_[node] = a; });
    remove_clique(b);
  } else {
    std::ranges::copy(all_x ? with_y.row() : with_x.row(), shared(link).begin());
  }
}

JunctionTree::Cut JunctionTree::cut(std::size_t clique, ConstRow x, ConstRow y) const {
  const std::size_t size = count(this->clique(clique)), of_x = count(x), of_y = count(y);
  Cut result;
  for (const std::size_t link : incident_[clique]) {
    const ConstRow common = separator(link);
    const bool meets_x = intersects(common, x), meets_y = intersects(common, y);
    if (meets_x && meets_y) return result;
    if (!meets_x && !meets_y) {
      ++result.free;
      continue;
    }
    Side& side = meets_x ? result.x : result.y;
    ++side.neighbours;
    // A separator that meets x is all of this side when it lacks y alone.
    if (count(common) == size - (meets_x ? of_y : of_x)) side.kept = link;
  }
  const auto lonely = [](const Side& side) { return side.kept == no_node || side.neighbours == 1; };
  const bool both = result.x.kept != no_node && result.y.kept != no_node;
  result.legal = lonely(result.x) && lonely(result.y) && !(both && result.free > 0);
  return result;
}

void JunctionTree::disconnect(std::size_t clique, ConstRow x, ConstRow y, const Cut& cut, Stream& random) {
  BitSet rest(nodes_, this->clique(clique));
  subtract(rest, x);
  subtract(rest, y);
  const bool kept_x = cut.x.kept != no_node, kept_y = cut.y.kept != no_node;
  if (kept_x && kept_y) {
    const std::size_t a = other(cut.x.kept, clique), b = other(cut.y.kept, clique);
    for (const auto& [set, k] : {std::pair(x, a), std::pair(y, b)})
      for_each(set, [&](std::size_t node) { home_[node] = k; });
    for_each(rest, [&](std::size_t node) { home_[node] = a; });
    remove_link(std::max(cut.x.kept, cut.y.kept));
    remove_link(std::min(cut.x.kept, cut.y.kept));
    add_link(a, b, rest);
    remove_clique(clique);
    return;
  }
  if (kept_x || kept_y) {
    const std::size_t link = kept_x ? cut.x.kept : cut.y.kept;
    subtract(members(clique), kept_x ? x : y);
    std::ranges::copy(rest.row(), shared(link).begin());
    settle(other(link, clique));
    return;
  }
  BitSet side_y = rest;
  unite(side_y, y);
  const std::vector<std::size_t> links = incident_[clique];
  subtract(members(clique), y);
  const std::size_t fresh = add_clique(side_y);
  for (const std::size_t link : links) {
    const ConstRow common = separator(link);
    const bool goes = intersects(common, y) || (!intersects(common, x) && random.below(2) == 1);
    if (goes) rehang(link, other(link, clique), fresh);
  }
  add_link(clique, fresh, rest);
}

void JunctionTree::rehang(std::size_t link, std::size_t a, std::size_t b) {
  for (const std::size_t k : ends_[link]) drop(k, link);
  ends_[link] = {a, b};
  incident_[a].push_back(link);
  incident_[b].push_back(link);
}

void JunctionTree::gather(std::size_t clique, std::size_t onto) {
  const std::size_t target = other(onto, clique);
  const std::vector<std::size_t> links = incident_[clique];
  for (const std::size_t link : links)
    if (link != onto && is_subset(separator(link), separator(onto))) rehang(link, other(link, clique), target);
}

JunctionTree::Reach JunctionTree::reach(std::size_t clique, ConstRow set) const {
  Reach result;
  stack_.assign(1, {clique, no_node, 0});
  while (!stack_.empty()) {
    const auto [k, before, crossed] = stack_.back();
    stack_.pop_back();
    ++result.all;
    result.part += crossed == 0;
    for (const std::size_t link : incident_[k])
      if (link != before && is_subset(set, separator(link))) {
        const bool equal = std::ranges::equal(set, separator(link));
        stack_.push_back({other(link, k), link, crossed | static_cast<std::size_t>(equal)});
      }
  }
  return result;
}

std::size_t JunctionTree::branch(std::size_t link, std::size_t from, ConstRow set) const {
  std::size_t found = 0;
  stack_.assign(1, {other(link, from), link, 0});
  while (!stack_.empty()) {
    const auto [k, before, unused] = stack_.back();
    stack_.pop_back();
    ++found;
    for (const std::size_t next : incident_[k])
      if (next != before && is_subset(set, separator(next)) && !std::ranges::equal(set, separator(next)))
        stack_.push_back({other(next, k), next, 0});
  }
  return found;
}

std::vector<std::vector<std::size_t>> JunctionTree::parts(std::size_t clique, ConstRow set,
                                                          std::vector<std::size_t>& equal) const {
  std::vector<std::vector<std::size_t>> found(1);
  equal.clear();
  stack_.assign(1, {clique, no_node, 0});
  while (!stack_.empty()) {
    const auto [k, before, part] = stack_.back();
    stack_.pop_back();
    found[part].push_back(k);
    for (const std::size_t link : incident_[k]) {
      if (link == before || !is_subset(set, separator(link))) continue;
      std::size_t its_part = part;
      if (std::ranges::equal(set, separator(link))) {
        equal.push_back(link);
        its_part = found.size();
        found.emplace_back();
      }
      stack_.push_back({other(link, k), link, its_part});
    }
  }
  return found;
}

namespace {

// Links, one of each separator.
std::vector<std::size_t> distinct_links(const JunctionTree& tree) {
  std::vector<std::size_t> result;
  for (std::size_t link = 0; link < tree.links(); ++link)
    if (std::ranges::none_of(
            result, [&](std::size_t l) { return std::ranges::equal(tree.separator(l), tree.separator(link)); }))
      result.push_back(link);
  return result;
}

}  // namespace

// The cliques that hold a separator fall into m + 1 parts without its m links; they can be joined again by
// m links in t^(m-1) times the product of their sizes ways, t being the number of all of them.
double JunctionTree::log_count() const {
  double sum = 0;
  std::vector<std::size_t> equal;
  for (const std::size_t link : distinct_links(*this)) {
    const auto found = parts(ends_[link][0], separator(link), equal);
    std::size_t all = 0;
    for (const auto& part : found) {
      all += part.size();
      sum += std::log(static_cast<double>(part.size()));
    }
    sum += (static_cast<double>(equal.size()) - 1) * std::log(static_cast<double>(all));
  }
  return sum;
}

void JunctionTree::randomise(Stream& random) {
  std::vector<std::size_t> equal;
  for (const std::size_t link : distinct_links(*this)) {
    const auto found = parts(ends_[link][0], separator(link), equal);
    reconnect(found, equal, random);
  }
}

void JunctionTree::reconnect(const std::vector<std::vector<std::size_t>>& parts, const std::vector<std::size_t>& equal,
                             Stream& random) {
  std::size_t next = 0;
  join_at_random(parts, random, [&](std::size_t a, std::size_t b) { rehang(equal[next++], a, b); });
}

}  // namespace dagathlon
