// Several threads that test, each with a twin of the test.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "dagathlon/test/independence.hpp"
#include "dagathlon/run/team.hpp"

namespace dagathlon {

class TestTeam {
 public:
  // One thread where answers depend on what was asked before: a test that draws random numbers has no twin, and one
  // that gives up large sets does so once there was a question without an answer.
  TestTeam(IndependenceTest& test, std::size_t most_members)
      : tests_{&test}, team_(allowed_threads() > 1 && !test.may_give_up() && test.twin() ? most_members : 1) {
    while (tests_.size() < team_.size()) tests_.push_back(twins_.emplace_back(test.twin()).get());
  }

  // Calls work(place, test) for every place; the first test counts for all.
  template <class Work>
  void each(std::size_t places, Work&& work) {
    team_.each(places, [&](std::size_t place, std::size_t member) { work(place, *tests_[member]); });
    for (const auto& twin : twins_) tests_[0]->adopt(*twin);
  }

 private:
  std::vector<std::unique_ptr<IndependenceTest>> twins_;
  std::vector<IndependenceTest*> tests_;
  Team team_;
};

}  // namespace dagathlon
