#include "dagathlon/undirected/christmas_tree.hpp"

#include <cmath>
#include <utility>

namespace dagathlon {

namespace {

// The subtree of one clique of a tree from which a node was taken: what fell together with it.
struct Collapsed {
  std::size_t clique;
  std::size_t into;
};

// The neighbours that hold all that is left of a clique without the node.
std::vector<std::size_t> holders(const GrowingTree& tree, std::size_t clique, ConstRow rest) {
  std::vector<std::size_t> result;
  for_each(tree.near(clique), [&](std::size_t other) {
    if (is_subset(rest, tree.clique(other))) result.push_back(other);
  });
  return result;
}

void add_place(Extension& extension, std::size_t clique, ConstRow part) {
  extension.cliques.push_back(clique);
  extension.parts.insert(extension.parts.end(), part.begin(), part.end());
}

// The neighbours of a clique outside the node's subtree go over to the one it falls together with.
void fall_together(GrowingTree& tree, const Collapsed& pair, std::size_t node, Extension& extension) {
  const BitSet around(tree.nodes(), tree.near(pair.clique));
  // What has fallen together already stands for a clique with the node.
  const auto in_subtree = [&](std::size_t other) {
    return test(tree.clique(other), node) || std::ranges::find(extension.cliques, other) != extension.cliques.end();
  };
  for_each(around, [&](std::size_t other) {
    tree.unlink(pair.clique, other);
    if (other == pair.into) return;
    tree.link(pair.into, other);
    if (!in_subtree(other)) extension.moved.push_back({extension.cliques.size(), other});
  });
}

// Clique numbers change where the last one takes the place of one that is gone.
void renumber(Extension& extension, std::size_t from, std::size_t to) {
  std::ranges::replace(extension.cliques, from, to);
  for (auto& moved : extension.moved)
    if (moved.neighbour == from) moved.neighbour = to;
}

void remove_cliques(GrowingTree& tree, std::vector<std::size_t> gone, Extension& extension) {
  std::ranges::sort(gone);
  for (auto k = gone.rbegin(); k != gone.rend(); ++k) {
    tree.remove(*k);
    renumber(extension, tree.size(), *k);
  }
}

}  // namespace

std::size_t GrowingTree::add(ConstRow members) {
  // The members may be a row of this very tree, which moves when it grows.
  const std::vector<Word> copy(members.begin(), members.end());
  members_.insert(members_.end(), copy.begin(), copy.end());
  near_.resize(near_.size() + stride_);
  return size_++;
}

void GrowingTree::remove(std::size_t k) {
  const std::size_t last = --size_;
  if (k != last) {
    const BitSet around(n_, near(last));
    for_each(around, [&](std::size_t other) {
      unlink(last, other);
      link(k, other);
    });
    std::ranges::copy(clique(last), clique(k).begin());
  }
  members_.resize(size_ * stride_);
  near_.resize(size_ * stride_);
}

void GrowingTree::link(std::size_t a, std::size_t b) {
  set(near_row(a), b);
  set(near_row(b), a);
}

void GrowingTree::unlink(std::size_t a, std::size_t b) {
  reset(near_row(a), b);
  reset(near_row(b), a);
}

bool GrowingTree::meets_in(std::size_t a, std::size_t b, ConstRow shared) const {
  for (std::size_t w = 0; w < stride_; ++w)
    if ((clique(a)[w] & clique(b)[w]) != shared[w]) return false;
  return true;
}

bool GrowingTree::separated_within(std::size_t a, std::size_t b, ConstRow set) const {
  for (std::size_t w = 0; w < stride_; ++w)
    if ((clique(a)[w] & clique(b)[w]) & ~set[w]) return false;
  return true;
}

void Extension::clear() {
  cliques.clear();
  parts.clear();
  moved.clear();
}

bool may_move(const GrowingTree& tree, const Extension& extension, std::size_t place, std::size_t neighbour) {
  if (std::ranges::find(extension.cliques, neighbour) != extension.cliques.end()) return false;
  return tree.separated_within(extension.cliques[place], neighbour, extension.part(place, tree.stride()));
}

void draw_moves(const GrowingTree& tree, Extension& extension, Stream& random) {
  extension.moved.clear();
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const std::size_t clique = extension.cliques[i];
    if (std::ranges::equal(extension.part(i, tree.stride()), tree.clique(clique))) continue;
    for_each(tree.near(clique), [&](std::size_t other) {
      if (may_move(tree, extension, i, other) && random.below(2) == 0) extension.moved.push_back({i, other});
    });
  }
}

void extend(GrowingTree& tree, std::size_t node, const Extension& extension, Stream& random) {
  if (extension.isolated()) {
    BitSet alone(tree.nodes());
    alone.set(node);
    tree.add(alone);
    reconnect(tree, random);
    return;
  }
  std::vector<std::size_t> copies;
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const std::size_t clique = extension.cliques[i];
    const ConstRow part = extension.part(i, tree.stride());
    const bool whole = std::ranges::equal(part, tree.clique(clique));
    copies.push_back(whole ? clique : tree.add(part));
  }
  std::vector<std::pair<std::size_t, std::size_t>> inner;
  for_each_inner_edge(tree, extension, [&](std::size_t i, std::size_t j) { inner.emplace_back(i, j); });
  for (const auto& [i, j] : inner) {
    tree.unlink(extension.cliques[i], extension.cliques[j]);
    tree.link(copies[i], copies[j]);
  }
  for (const auto& [place, neighbour] : extension.moved) {
    tree.unlink(extension.cliques[place], neighbour);
    tree.link(copies[place], neighbour);
  }
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (copies[i] != extension.cliques[i]) tree.link(extension.cliques[i], copies[i]);
    set(tree.clique(copies[i]), node);
  }
}

Extension collapse(GrowingTree& tree, std::size_t node, Stream& random) {
  Extension extension;
  std::vector<std::size_t> subtree;
  for (std::size_t k = 0; k < tree.size(); ++k)
    if (test(tree.clique(k), node)) subtree.push_back(k);
  if (count(tree.clique(subtree.front())) == 1) {
    const BitSet around(tree.nodes(), tree.near(subtree.front()));
    for_each(around, [&](std::size_t other) { tree.unlink(subtree.front(), other); });
    tree.remove(subtree.front());
    reconnect(tree, random);
    return extension;
  }
  std::vector<std::size_t> gone;
  BitSet rest(tree.nodes());
  for (const std::size_t clique : subtree) {
    std::ranges::copy(tree.clique(clique), rest.row().begin());
    rest.reset(node);
    const std::vector<std::size_t> holding = holders(tree, clique, rest);
    if (holding.empty()) {
      add_place(extension, clique, rest);
      continue;
    }
    const std::size_t into = holding[random.below(holding.size())];
    fall_together(tree, {clique, into}, node, extension);
    add_place(extension, into, rest);
    gone.push_back(clique);
  }
  for (const std::size_t clique : extension.cliques) reset(tree.clique(clique), node);
  remove_cliques(tree, std::move(gone), extension);
  return extension;
}

double log_backward(const GrowingTree& tree, const Extension& extension) {
  double result = 0;
  for (std::size_t i = 0; i < extension.cliques.size(); ++i) {
    const ConstRow part = extension.part(i, tree.stride());
    if (std::ranges::equal(part, tree.clique(extension.cliques[i]))) continue;
    std::size_t holding = 1;
    for (const auto& [place, neighbour] : extension.moved)
      if (place == i && is_subset(part, tree.clique(neighbour))) ++holding;
    // Of a clique between two that hold it, it does not matter with which it falls together.
    if (holding > 1 && twin(tree, extension) == no_node) result -= std::log(static_cast<double>(holding));
  }
  return result;
}

std::size_t twin(const GrowingTree& tree, const Extension& extension) {
  if (extension.cliques.size() != 1 || extension.moved.size() != 1) return no_node;
  const std::size_t other = extension.moved.front().neighbour;
  return is_subset(extension.part(0, tree.stride()), tree.clique(other)) ? other : no_node;
}

BitMatrix graph_of(const GrowingTree& tree) {
  BitMatrix adjacent(tree.nodes());
  for (std::size_t k = 0; k < tree.size(); ++k)
    for_each(tree.clique(k), [&](std::size_t i) { unite(adjacent[i], tree.clique(k)); });
  for (std::size_t i = 0; i < tree.nodes(); ++i) adjacent.reset(i, i);
  return adjacent;
}

}  // namespace dagathlon
