// The posterior over decomposable graphs as Python holds it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "dagathlon/undirected/clique_score.hpp"

namespace dagathlon {

// Clique scores keep what they computed, so one thread at a time may use them.
class BoundCliques {
 public:
  explicit BoundCliques(std::shared_ptr<const CliqueScore> score) : score_(std::move(score)) {}
  std::shared_ptr<const CliqueScore> score() const { return score_; }
  std::shared_ptr<std::mutex> busy() const { return busy_; }

 private:
  std::shared_ptr<const CliqueScore> score_;
  std::shared_ptr<std::mutex> busy_ = std::make_shared<std::mutex>();
};

class BoundTarget {
 public:
  BoundTarget(const BoundCliques& cliques, DecomposablePrior prior)
      : target_(cliques.score(), std::move(prior)), busy_(cliques.busy()) {}

  std::size_t size() const { return target_.size(); }
  // Calls use(target) while no other thread uses it or others of the same data.
  template <class Use>
  auto with(Use&& use) const {
    const std::lock_guard turn(*busy_);
    return use(target_);
  }

 private:
  DecomposableTarget target_;
  std::shared_ptr<std::mutex> busy_;
};

}  // namespace dagathlon
