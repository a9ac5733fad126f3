// Independence by its posterior probability, and answers drawn from it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "dagathlon/test/independence.hpp"
#include "dagathlon/score/score_cache.hpp"

namespace dagathlon {

// The statement that x and y are independent given others; x < y, the others in increasing order.
struct Constraint {
  std::size_t x;
  std::size_t y;
  std::vector<std::size_t> given;

  static Constraint of(std::size_t x, std::size_t y, Nodes given);
  auto operator<=>(const Constraint&) const = default;
};

// Compares the marginal likelihood of y given the others with that of y given x as well. The statistic
// is the logarithm of the posterior odds of independence, the "p-value" its posterior probability.
class BayesianTest : public IndependenceTest {
 public:
  // `prior` is the probability of independence before the data are seen, in (0, 1).
  BayesianTest(std::shared_ptr<Score> score, double prior);
  std::size_t size() const override { return score_.size(); }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;

 private:
  CachedScore score_;
  double prior_log_odds_;
};

// Answers each question by a draw with the posterior probability of independence, and keeps to the answer
// unless it redraws each time. What is drawn depends on the seed, the question and how often it came only.
class SampledTest : public IndependenceTest {
 public:
  struct Answer {
    std::size_t times = 0;
    bool independent = false;
  };

  // The "p-value" of `posterior` is the probability of independence.
  SampledTest(std::unique_ptr<IndependenceTest> posterior, bool redraws)
      : posterior_(std::move(posterior)), redraws_(redraws) {}

  std::size_t size() const override { return posterior_->size(); }

  // Forgets the answers; the next ones are drawn with another seed.
  void restart(std::uint64_t seed);
  const std::map<Constraint, Answer>& answers() const { return answers_; }

 protected:
  TestResult run(std::size_t x, std::size_t y, Nodes given) override;
  bool accepts(std::size_t x, std::size_t y, Nodes given, double alpha) override;

 private:
  std::unique_ptr<IndependenceTest> posterior_;
  bool redraws_;
  std::uint64_t seed_ = 0;
  std::map<Constraint, Answer> answers_;
  // These outlast a restart.
  std::map<Constraint, TestResult> known_;
};

}  // namespace dagathlon
