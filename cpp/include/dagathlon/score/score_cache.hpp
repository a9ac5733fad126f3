// Terms of a score that were computed before.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "dagathlon/score/score.hpp"

namespace dagathlon {

// Keeps the term of each family (child and parent set) that `local` was asked for.
class CachedScore final : public Score {
 public:
  explicit CachedScore(std::shared_ptr<Score> score) : score_(std::move(score)) {}

  std::size_t size() const override { return score_->size(); }

  std::unique_ptr<Score> twin() const override {
    std::shared_ptr<Score> other = score_->twin();
    return other ? std::make_unique<CachedScore>(std::move(other)) : nullptr;
  }

  double local(std::size_t child, Nodes parents) override {
    key_.assign(1, static_cast<char32_t>(child));
    for (const std::size_t s : parents) key_.push_back(static_cast<char32_t>(s));
    if (const auto found = known_.find(key_); found != known_.end()) return found->second;
    if (known_.size() >= max_entries) known_.clear();
    const double value = score_->local(child, parents);
    known_.emplace(key_, value);
    return value;
  }

  void additions(std::size_t child, Nodes parents, std::span<double> scores) override {
    score_->additions(child, parents, scores);
  }

  double bound_above(std::size_t child, Nodes parents) override { return score_->bound_above(child, parents); }

 private:
  // At about 100 bytes each they stay below half a gibibyte.
  static constexpr std::size_t max_entries = std::size_t{1} << 22;

  std::shared_ptr<Score> score_;
  std::u32string key_;
  std::unordered_map<std::u32string, double> known_;
};

}  // namespace dagathlon
