// A score as Python holds it.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "dagathlon/score/score.hpp"
#include "dagathlon/score/score_cache.hpp"

namespace dagathlon {

// Scores have buffers, so one thread at a time may use an object; Python's threads take turns.
class BoundScore {
 public:
  explicit BoundScore(std::shared_ptr<Score> score)
      : score_(std::move(score)), cached_(std::make_shared<CachedScore>(score_)) {}

  std::size_t size() const { return score_->size(); }

  // Calls use(score), a score that keeps its terms, while no other thread uses it.
  template <class Use>
  auto with(Use&& use) {
    const std::lock_guard turn(busy_);
    return use(*cached_);
  }

  // The same with a score that keeps nothing, for searches that ask for each family once.
  template <class Use>
  auto with_plain(Use&& use) {
    const std::lock_guard turn(busy_);
    return use(*score_);
  }

  std::shared_ptr<Score> plain() const { return score_; }

 private:
  std::shared_ptr<Score> score_;
  std::shared_ptr<CachedScore> cached_;
  std::mutex busy_;
};

}  // namespace dagathlon
