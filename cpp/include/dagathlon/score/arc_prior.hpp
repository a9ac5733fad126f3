// A prior over DAGs that is a product over arcs and over numbers of parents, added to a score.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "dagathlon/data/cell_sums.hpp"
#include "dagathlon/score/score.hpp"

namespace dagathlon {

struct ArcPrior {
  // The term of the arc from column to row, row-major; one number where all are the same.
  std::vector<double> arcs;
  // Added to the term of each node.
  std::vector<double> nodes;
  // Added to the term of a node with so many parents.
  std::vector<double> sizes;
};

class ScoreWithPrior final : public Score, private AllFamilies, private SetTerms {
 public:
  ScoreWithPrior(std::shared_ptr<Score> score, ArcPrior prior)
      : score_(std::move(score)), terms_(score_->by_sets()), prior_(std::move(prior)) {}

  std::size_t size() const override { return score_->size(); }
  std::unique_ptr<Score> twin() const override {
    std::shared_ptr<Score> other = score_->twin();
    return other ? std::make_unique<ScoreWithPrior>(std::move(other), prior_) : nullptr;
  }

  double local(std::size_t child, Nodes parents) override {
    return score_->local(child, parents) + of_family(child, parents);
  }

  void additions(std::size_t child, Nodes parents, std::span<double> scores) override {
    score_->additions(child, parents, scores);
    const std::size_t k = parents.size();
    const double common = of_family(child, parents) - prior_.sizes[k];
    std::size_t next = 0;
    for (std::size_t x = 0; x < size(); ++x) {
      if (next < parents.size() && parents[next] == x) ++next;
      else if (x != child) scores[x] += common + arc(x, child) + prior_.sizes[k + 1];
    }
  }

  void families(std::size_t child, std::span<double> scores) override {
    score_->families(child, scores);
    add_prior(child, scores);
  }

  void add_prior(std::size_t child, std::span<double> scores) const {
    std::vector<double> arcs(scores.size(), 0.0);
    for (std::size_t rank = 0; rank < scores.size(); ++rank) {
      if (rank != 0) {
        const auto first = static_cast<std::size_t>(std::countr_zero(rank));
        arcs[rank] = arcs[rank & (rank - 1)] + arc(first < child ? first : first + 1, child);
      }
      const auto k = static_cast<std::size_t>(std::popcount(rank));
      scores[rank] += prior_.nodes[child] + prior_.sizes[k] + arcs[rank];
    }
  }

  double families_with_bounds(std::size_t child, std::span<double> scores, std::span<double> bounds) override {
    AllFamilies* fast = score_->all_families();
    if (fast == nullptr) return std::numeric_limits<double>::quiet_NaN();
    const double rounding = fast->families_with_bounds(child, scores, bounds);
    if (!(rounding >= 0)) return rounding;
    add_prior(child, scores);
    std::vector<std::size_t> parents;
    for (std::size_t rank = 0; rank < bounds.size(); ++rank) {
      parents.clear();
      for (std::size_t rest = rank; rest != 0; rest &= rest - 1) {
        const auto other = static_cast<std::size_t>(std::countr_zero(rest));
        parents.push_back(other < child ? other : other + 1);
      }
      bounds[rank] += prior_above(child, parents);
    }
    return rounding;
  }

  double bound_above(std::size_t child, Nodes parents) override {
    return score_->bound_above(child, parents) + prior_above(child, parents);
  }

  AllFamilies* all_families() override { return this; }
  SetTerms* by_sets() override { return terms_ == nullptr ? nullptr : this; }

 private:
  const DiscreteData& data() const override { return terms_->data(); }
  std::vector<CellSum> sums() const override { return terms_->sums(); }
  double term(std::size_t child, Nodes parents, const Tables& tables) override {
    return terms_->term(child, parents, tables) + of_family(child, parents);
  }
  double bound(std::size_t child, Nodes parents, const Tables& tables) override {
    return terms_->bound(child, parents, tables) + prior_above(child, parents);
  }

  // At least one arc is added, and at best all of those that the prior favours.
  double prior_above(std::size_t child, Nodes parents) const {
    double favoured = 0;
    double cheapest = -std::numeric_limits<double>::infinity();
    for (std::size_t x = 0; x < size(); ++x) {
      if (x == child || std::ranges::binary_search(parents, x)) continue;
      favoured += std::max(0.0, arc(x, child));
      cheapest = std::max(cheapest, arc(x, child));
    }
    const std::size_t k = parents.size();
    if (k + 1 >= size()) return -std::numeric_limits<double>::infinity();
    const auto more = prior_.sizes.begin() + static_cast<std::ptrdiff_t>(k + 1);
    const double size_gain = *std::max_element(more, prior_.sizes.end()) - prior_.sizes[k];
    return of_family(child, parents) + favoured + std::min(0.0, cheapest) + size_gain;
  }

  double arc(std::size_t from, std::size_t to) const {
    return prior_.arcs.size() == 1 ? prior_.arcs[0] : prior_.arcs[to * score_->size() + from];
  }
  double of_family(std::size_t child, Nodes parents) const {
    double sum = prior_.nodes[child] + prior_.sizes[parents.size()];
    for (const std::size_t s : parents) sum += arc(s, child);
    return sum;
  }

  std::shared_ptr<Score> score_;
  SetTerms* terms_;
  ArcPrior prior_;
};

}  // namespace dagathlon
