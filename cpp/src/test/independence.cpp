#include "dagathlon/test/independence.hpp"

#include <algorithm>
#include <numeric>

#include "dagathlon/run/pulse.hpp"

namespace dagathlon {

namespace {

// Moves to the next choice of places below n; false after the last.
bool advance(std::vector<std::size_t>& places, std::size_t n) {
  const std::size_t size = places.size();
  for (std::size_t k = size; k-- > 0;) {
    if (places[k] == n - size + k) continue;
    ++places[k];
    for (std::size_t later = k + 1; later < size; ++later) places[later] = places[later - 1] + 1;
    return true;
  }
  return false;
}

bool inside(Nodes subset, ConstRow set) {
  return std::ranges::all_of(subset, [set](std::size_t node) { return test(set, node); });
}

}  // namespace

bool any_subset(const SubsetSearch& search, const std::function<bool(Nodes)>& visit) {
  if (search.size > search.candidates.size()) return false;
  std::vector<std::size_t> places(search.size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<std::size_t> subset(search.size);
  do {
    for (std::size_t k = 0; k < search.size; ++k) subset[k] = search.candidates[places[k]];
    pulse::beat();
    if (!search.tried.empty() && inside(subset, search.tried)) continue;
    if (visit(subset)) return true;
  } while (advance(places, search.candidates.size()));
  return false;
}

GivenOne IndependenceTest::given_one(std::size_t x, std::size_t y, Nodes nodes, double alpha) {
  SetQuestions* fast = set_questions();
  return fast ? fast->given_one(x, y, nodes, alpha) : given_each(x, y, nodes, alpha);
}

bool IndependenceTest::separable(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) {
  SetQuestions* fast = set_questions();
  return fast ? fast->separable(x, y, sets, alpha) : separable_by_size(x, y, sets, alpha);
}

double IndependenceTest::weakest(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search,
                                 double alpha) {
  SetQuestions* fast = set_questions();
  return fast ? fast->weakest(x, y, with, search, alpha) : weakest_of_each(x, y, with, search, alpha);
}

GivenOne IndependenceTest::given_each(std::size_t x, std::size_t y, Nodes nodes, double alpha) {
  GivenOne found;
  for (std::size_t place = 0; place < nodes.size(); ++place) {
    const double p_value = association(x, y, nodes.subspan(place, 1), alpha);
    if (p_value >= alpha) return {found.highest, place};
    found.highest = std::max(found.highest, p_value);
  }
  return found;
}

bool IndependenceTest::separable_by_size(std::size_t x, std::size_t y, const SetSizes& sets, double alpha) {
  for (std::size_t size = sets.smallest; size <= std::min(sets.largest, sets.candidates.size()); ++size)
    if (separator(x, y, {sets.candidates, size, {}}, alpha)) return true;
  return false;
}

double IndependenceTest::weakest_of_each(std::size_t x, std::size_t y, std::size_t with, const SubsetSearch& search,
                                         double alpha) {
  double highest = 0;
  std::vector<std::size_t> given;
  any_subset(search, [&](Nodes subset) {
    given.assign(subset.begin(), subset.end());
    given.push_back(with);
    highest = std::max(highest, test(x, y, given).p_value);
    return highest >= alpha;
  });
  return highest;
}

std::optional<std::vector<std::size_t>> IndependenceTest::separator(std::size_t x, std::size_t y,
                                                                    const SubsetSearch& search, double alpha) {
  if (SetQuestions* fast = set_questions()) return fast->separator(x, y, search, alpha);
  std::optional<std::vector<std::size_t>> found;
  any_subset(search, [&](Nodes subset) {
    if (!independent(x, y, subset, alpha)) return false;
    found.emplace(subset.begin(), subset.end());
    return true;
  });
  return found;
}

}  // namespace dagathlon
