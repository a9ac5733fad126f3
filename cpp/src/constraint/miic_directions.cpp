#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dagathlon/constraint/miic.hpp"
#include "dagathlon/graph/pdag.hpp"
#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

using Arc = std::pair<std::size_t, std::size_t>;

// An unshielded triple x–z–y and the information that the three share beyond the separating set of x
// and y: negative for a collider.
struct Triple {
  double information;
  std::size_t x, z, y;
};

// Whether directed edges lead from one node to another.
template <class Follows>
bool leads(std::size_t p, std::size_t from, std::size_t to, Follows&& follows) {
  std::vector<bool> seen(p);
  std::vector<std::size_t> waiting{from};
  seen[from] = true;
  while (!waiting.empty()) {
    const std::size_t node = waiting.back();
    waiting.pop_back();
    if (node == to) return true;
    for (std::size_t next = 0; next < p; ++next)
      if (!seen[next] && follows(node, next)) {
        seen[next] = true;
        waiting.push_back(next);
      }
  }
  return false;
}

bool leads(const Pdag& pdag, std::size_t from, std::size_t to) {
  return leads(pdag.size(), from, to, [&](std::size_t a, std::size_t b) { return pdag.children.test(a, b); });
}

double collider_probability(double information) {
  const double e = std::exp(information);
  return (1 + e) / (1 + 3 * e);
}

double followed_probability(double before, double information) {
  return before * (1 / (1 + std::exp(-information)) - 0.5) + 0.5;
}

class Directing {
 public:
  Directing(std::size_t p, const MiicDirections& directions)
      : p_(p), directions_(directions), adjacent_(p), heads_(p), probability_(p * p, 0.5) {}

  void take(CorrectedInformation& information, const std::vector<Explained>& pairs) {
    for (const Explained& pair : pairs)
      if (pair.edge) {
        adjacent_.set(pair.x, pair.y);
        adjacent_.set(pair.y, pair.x);
      }
    obey();
    find_triples(information, pairs);
  }

  void direct() {
    if (directions_.order == TripleOrder::colliders_first) {
      colliders();
      followers();
    } else {
      while (strongest_rule()) pulse::beat(triples_.size());
    }
    if (!directions_.latent) settle();
  }

  const BitMatrix& adjacent() const { return adjacent_; }
  const BitMatrix& heads() const { return heads_; }
  std::vector<Arc> latent() const { return latent_; }
  std::vector<double> probabilities() { return std::move(probability_); }

 private:
  bool open(std::size_t a, std::size_t b) const {
    return adjacent_.test(a, b) && !heads_.test(a, b) && !heads_.test(b, a);
  }
  bool arc(std::size_t a, std::size_t b) const { return heads_.test(a, b) && !heads_.test(b, a); }
  bool path(std::size_t from, std::size_t to) const {
    return leads(p_, from, to, [&](std::size_t a, std::size_t b) { return arc(a, b); });
  }
  bool forbidden(std::size_t a, std::size_t b) const {
    return directions_.forbidden.size() != 0 && directions_.forbidden.test(a, b);
  }
  bool required(std::size_t a, std::size_t b) const {
    return directions_.required.size() != 0 && directions_.required.test(a, b);
  }
  void point(std::size_t a, std::size_t b, double probability) {
    heads_.set(a, b);
    probability_[a * p_ + b] = probability;
  }

  // Directions that are known: required ones, then the reverse of forbidden ones. Where that would close a cycle
  // neither is a cause of the other, so that without latent variables there is no edge.
  void obey() {
    for_edges([&](std::size_t a, std::size_t b) {
      if (required(a, b) && !required(b, a)) point(a, b, 1);
    });
    for_edges([&](std::size_t a, std::size_t b) {
      if (!forbidden(b, a) || forbidden(a, b) || !open(a, b)) return;
      if (!path(b, a)) {
        point(a, b, 1);
      } else if (directions_.latent) {
        point(a, b, 1);
        point(b, a, 1);
      } else {
        adjacent_.reset(a, b);
        adjacent_.reset(b, a);
      }
    });
  }

  template <class Visit>
  void for_edges(Visit&& visit) {
    for (std::size_t a = 0; a < p_; ++a)
      for (std::size_t b = 0; b < p_; ++b)
        if (adjacent_.test(a, b)) visit(a, b);
  }

  void find_triples(CorrectedInformation& information, const std::vector<Explained>& pairs) {
    for (std::size_t z = 0; z < p_; ++z)
      for (const Explained& pair : pairs) {
        if (pair.edge || !adjacent_.test(pair.x, z) || !adjacent_.test(pair.y, z)) continue;
        std::vector<std::size_t> given = pair.contributors;
        std::erase(given, z);
        const double without = information(pair.x, pair.y, given);
        given.push_back(z);
        triples_.push_back({without - information(pair.x, pair.y, given), pair.x, z, pair.y});
      }
    std::ranges::stable_sort(
        triples_, [](const Triple& a, const Triple& b) { return std::fabs(a.information) > std::fabs(b.information); });
  }

  // Whether knowledge lets the middle be a collider.
  bool allowed(const Triple& t) const {
    return !forbidden(t.x, t.z) && !forbidden(t.y, t.z) && !required(t.z, t.x) && !required(t.z, t.y);
  }

  // An arrowhead at the middle of a collider. Where it would close a cycle the edge points the other
  // way; where the edge does so already it has two.
  void collide(std::size_t a, std::size_t z, double probability) {
    if (heads_.test(a, z)) return;
    if (open(a, z)) {
      const bool cycle = path(z, a);
      point(cycle ? z : a, cycle ? a : z, probability);
    } else {
      point(a, z, probability);
      conflicts_.emplace_back(z, a);
      latent_.emplace_back(z, a);
    }
  }

  void colliders() {
    for (const Triple& t : triples_) {
      if (t.information >= 0 || !allowed(t)) continue;
      collide(t.x, t.z, collider_probability(t.information));
      collide(t.y, t.z, collider_probability(t.information));
    }
  }

  // a *→ z – b, and z is no collider. Where z → b would close a cycle, z ← b, and a hidden common
  // cause is suspected.
  void follow(std::size_t a, std::size_t z, std::size_t b, double information) {
    const double probability = followed_probability(probability_[a * p_ + z], information);
    if (path(b, z)) {
      point(b, z, probability);
      if (directions_.latent) point(z, b, probability);
      latent_.emplace_back(b, z);
    } else {
      point(z, b, probability);
    }
  }

  std::optional<Arc> followed(const Triple& t) const {
    if (t.information <= 0) return std::nullopt;
    if (heads_.test(t.x, t.z) && open(t.z, t.y) && !forbidden(t.z, t.y)) return Arc{t.x, t.y};
    if (heads_.test(t.y, t.z) && open(t.z, t.x) && !forbidden(t.z, t.x)) return Arc{t.y, t.x};
    return std::nullopt;
  }

  void followers() {
    for (bool found = true; found;) {
      pulse::beat(triples_.size());
      found = false;
      for (const Triple& t : triples_)
        if (const auto ends = followed(t)) {
          follow(ends->first, t.z, ends->second, t.information);
          found = true;
          break;
        }
    }
  }

  bool may_collide(const Triple& t) const {
    if (t.information >= 0 || (heads_.test(t.x, t.z) && heads_.test(t.y, t.z))) return false;
    if (!allowed(t)) return false;
    return directions_.latent || (!heads_.test(t.z, t.x) && !heads_.test(t.z, t.y));
  }

  double strength(const Triple& t, const std::optional<Arc>& ends) const {
    if (directions_.order == TripleOrder::by_information) return std::fabs(t.information);
    if (!ends) return collider_probability(t.information);
    return followed_probability(probability_[ends->first * p_ + t.z], t.information);
  }

  bool strongest_rule() {
    const Triple* best = nullptr;
    double most = 0;
    for (const Triple& t : triples_) {
      const auto ends = followed(t);
      if ((!ends && !may_collide(t)) || strength(t, ends) <= most) continue;
      most = strength(t, ends);
      best = &t;
    }
    if (!best) return false;
    if (const auto ends = followed(*best)) follow(ends->first, best->z, ends->second, best->information);
    else {
      const double probability = collider_probability(best->information);
      collide(best->x, best->z, probability);
      collide(best->y, best->z, probability);
      // One that closes a cycle was turned: it is not tried again.
      if (!heads_.test(best->x, best->z) || !heads_.test(best->y, best->z))
        triples_.erase(triples_.begin() + (best - triples_.data()));
    }
    return true;
  }

  // Of two arrowheads the first found stays, unless it is part of a cycle.
  void settle() {
    for (const auto& [a, z] : conflicts_) heads_.reset(z, a);
    for (const auto& [a, z] : conflicts_) {
      if (!path(z, a)) continue;
      turn(a, z);
      std::ranges::replace(latent_, Arc{a, z}, Arc{z, a});
    }
    if (has_cycle()) put_back();
  }

  void turn(std::size_t a, std::size_t z) {
    heads_.reset(a, z);
    heads_.set(z, a);
  }

  bool has_cycle() const {
    return std::ranges::any_of(conflicts_, [&](const Arc& c) {
      return arc(c.first, c.second) ? path(c.second, c.first) : path(c.first, c.second);
    });
  }

  // All other arrows are without cycles: one after the other these are put where they close none.
  void put_back() {
    std::vector<Arc> found;
    for (const auto& [a, z] : conflicts_) {
      found.push_back(arc(a, z) ? Arc{a, z} : Arc{z, a});
      heads_.reset(a, z);
      heads_.reset(z, a);
    }
    for (const auto& [a, z] : found) {
      heads_.set(a, z);
      if (path(z, a)) turn(a, z);
    }
  }

  std::size_t p_;
  const MiicDirections& directions_;
  BitMatrix adjacent_;
  BitMatrix heads_;
  std::vector<double> probability_;
  std::vector<Triple> triples_;
  std::vector<Arc> conflicts_;
  std::vector<Arc> latent_;
};

// Meek's first three rules, those first that keep a graph without cycles. Where another rule would close
// one, as it may in a graph that is part of no DAG, the edge points the other way.
class Closing {
 public:
  explicit Closing(Pdag& pdag) : pdag_(pdag) {}

  void close() {
    while (any(&Closing::closes_cycle) || any(&Closing::makes_collider) || any(&Closing::between_colliders))
      pulse::beat(pdag_.size() * pdag_.size());
  }

 private:
  using Rule = bool (Closing::*)(std::size_t, std::size_t) const;

  bool any(Rule rule) {
    for (std::size_t a = 0; a < pdag_.size(); ++a)
      for (std::size_t b = 0; b < pdag_.size(); ++b)
        if (pdag_.neighbours.test(a, b) && (this->*rule)(a, b)) {
          const bool back = leads(pdag_, b, a);
          pdag_.direct(back ? b : a, back ? a : b);
          return true;
        }
    return false;
  }
  bool closes_cycle(std::size_t a, std::size_t b) const { return intersects(pdag_.children[a], pdag_.parents[b]); }
  bool makes_collider(std::size_t a, std::size_t b) const { return !is_subset(pdag_.parents[a], pdag_.adjacent[b]); }
  bool between_colliders(std::size_t a, std::size_t b) const {
    BitSet middle(pdag_.size(), pdag_.neighbours[a]);
    intersect(middle, pdag_.parents[b]);
    bool found = false;
    for_each(middle, [&](std::size_t c) {
      BitSet others = middle;
      subtract(others, pdag_.adjacent[c]);
      others.reset(c);
      found = found || dagathlon::any(others);
    });
    return found;
  }

  Pdag& pdag_;
};

void direct_all(Pdag& pdag) {
  for (std::size_t a = 0; a < pdag.size(); ++a)
    for (std::size_t b = a + 1; b < pdag.size(); ++b) {
      if (!pdag.neighbours.test(a, b)) continue;
      const bool back = leads(pdag, b, a);
      pdag.direct(back ? b : a, back ? a : b);
      Closing(pdag).close();
    }
}

MarkedGraph closed(const BitMatrix& adjacent, const BitMatrix& heads, bool whole) {
  const std::size_t p = adjacent.size();
  MarkedGraph plain(p);
  std::vector<Arc> both;
  for (std::size_t a = 0; a < p; ++a)
    for (std::size_t b = a + 1; b < p; ++b) {
      if (!adjacent.test(a, b)) continue;
      if (heads.test(a, b) && heads.test(b, a)) both.emplace_back(a, b);
      else if (heads.test(a, b)) plain.set_directed(a, b);
      else if (heads.test(b, a)) plain.set_directed(b, a);
      else plain.set_undirected(a, b);
    }
  Pdag pdag(plain);
  pdag.adjacent = adjacent;
  Closing(pdag).close();
  if (whole) direct_all(pdag);
  MarkedGraph graph = pdag.graph();
  for (const auto& [a, b] : both) graph.set_edge(a, Mark::arrow, b, Mark::arrow);
  return graph;
}

}  // namespace

MiicGraph directed_by_information(CorrectedInformation& information, const std::vector<Explained>& pairs,
                                  const MiicDirections& directions) {
  Directing directing(information.size(), directions);
  directing.take(information, pairs);
  directing.direct();
  return {closed(directing.adjacent(), directing.heads(), directions.whole), directing.latent(),
          directing.probabilities()};
}

}  // namespace dagathlon
