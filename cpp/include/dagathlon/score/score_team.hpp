// Several threads that score families, each with a twin of the score.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/score/score.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

// With fewer nodes their first scores are had before another thread is there.
constexpr std::size_t nodes_worth_splitting = 100;

class ScoreTeam {
 public:
  ScoreTeam(Score& score, std::size_t most_members)
      : scores_{&score}, team_(most_members > 1 && allowed_threads() > 1 && score.twin() ? most_members : 1) {
    while (scores_.size() < team_.size()) scores_.push_back(twins_.emplace_back(score.twin()).get());
  }

  std::size_t size() const { return team_.size(); }

  // Calls work(place, score) for every place.
  template <class Work>
  void each(std::size_t places, Work&& work) {
    team_.each(places, [&](std::size_t place, std::size_t member) { work(place, *scores_[member]); });
  }

 private:
  std::vector<std::unique_ptr<Score>> twins_;
  std::vector<Score*> scores_;
  Team team_;
};

}  // namespace dagathlon
