// Random streams, tail probabilities, scores, threads and deadlines.
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "dagathlon/data/covariance.hpp"
#include "dagathlon/run/pulse.hpp"
#include "dagathlon/run/team.hpp"
#include "dagathlon/score/gaussian_score.hpp"
#include "dagathlon/stats/log_gamma.hpp"
#include "dagathlon/stats/log_weights.hpp"
#include "dagathlon/stats/random.hpp"
#include "dagathlon/stats/tails.hpp"

namespace {

using namespace dagathlon;

TEST(philox_has_the_words_that_its_authors_published) {
  // kat_vectors of Random123, philox4x32 with ten rounds.
  static_assert(philox({0, 0, 0, 0}, {0, 0}) == PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  constexpr std::uint32_t all = 0xffffffff;
  static_assert(philox({all, all, all, all}, {all, all}) ==
                PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST(a_stream_can_begin_anywhere) {
  Stream whole(7, 3);
  std::vector<std::uint64_t> draws(9), filled(8);
  for (std::uint64_t& draw : draws) draw = whole.bits();
  for (std::size_t position = 0; position < draws.size(); ++position)
    CHECK(Stream(7, 3, position).bits() == draws[position]);
  fill_bits(7, 3, 0, filled);
  CHECK(std::equal(filled.begin(), filled.end(), draws.begin()));
  CHECK(Stream(7, 4).bits() != draws[0] && Stream(8, 3).bits() != draws[0]);
}

TEST(tails_have_their_closed_forms) {
  // Chi-square with two degrees of freedom is exponential; with one it is the square of a normal.
  for (const double x : {0.1, 1.0, 10.0, 300.0, 1200.0}) {
    CHECK(std::abs(chi_square_tail(x, 2) / std::exp(-x / 2) - 1) < 1e-12);
    CHECK(std::abs(chi_square_tail(x, 1) / normal_two_sided(std::sqrt(x)) - 1) < 1e-11);
  }
  // Student's t with one degree of freedom is Cauchy: R is the sine of a uniform angle.
  for (const double r : {0.1, 0.5, 0.99})
    CHECK(check::close(correlation_two_sided(r, 1), 1 - 2 / std::numbers::pi * std::asin(r)));
  CHECK(check::close(normal_critical(0.05), 1.959963984540054) &&
        check::close(normal_critical(0.5), 0.6744897501960817));
  for (const double p : {1e-9, 0.01, 0.5}) {
    CHECK(check::close(chi_square_tail(chi_square_critical(p, 5), 5) / p, 1, 1e-9));
    CHECK(check::close(correlation_two_sided(correlation_critical(p, 12), 12) / p, 1, 1e-9));
  }
}

TEST(log_gamma_follows_its_recurrence) {
  CHECK(check::close(log_gamma(0.5), 0.5 * std::log(std::numbers::pi)) && check::close(log_gamma(6), std::log(120.0)));
  for (double x = 0.05; x < 40; x += 0.37) CHECK(check::close(log_gamma(x + 1) - log_gamma(x), std::log(x), 1e-11));
  CHECK(log_add(minus_infinity, minus_infinity) == minus_infinity && check::close(log_add(0, 0), std::log(2.0)));
}

Moments random_moments(std::size_t n, std::size_t rows) {
  Stream random(13, 0);
  std::vector<double> values(n * rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < n; ++c)
      values[c * rows + r] = random.normal() + (c > 0 ? values[(c - 1) * rows + r] : 0);
  std::vector<ValueColumn> columns;
  for (std::size_t c = 0; c < n; ++c) columns.push_back({values.data() + c * rows, 1});
  return moments(columns, rows);
}

// The other ways to ask for terms give the numbers of `local`.
void check_fast_paths(Score& score) {
  const std::size_t n = score.size();
  const std::vector<std::size_t> parents{1, 3};
  std::vector<double> more(n, -1), less(parents.size());
  score.additions(0, parents, more);
  score.removals(0, parents, less);
  for (std::size_t x = 1; x < n; ++x) {
    if (x == 1 || x == 3) continue;
    std::vector<std::size_t> family{1, 3, x};
    std::ranges::sort(family);
    CHECK(check::close(more[x], score.local(0, family), 1e-10));
  }
  CHECK(check::close(less[0], score.local(0, std::vector<std::size_t>{3}), 1e-10));
  CHECK(check::close(less[1], score.local(0, std::vector<std::size_t>{1}), 1e-10));
  std::vector<double> all(std::size_t{1} << (n - 1));
  score.families(0, all);
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<std::size_t> family;
    for (std::size_t bit = 0; bit + 1 < n; ++bit)
      if (r >> bit & 1) family.push_back(bit + 1);
    CHECK(check::close(all[r], score.local(0, family), 1e-10));
  }
  for (std::size_t r = 0; r < all.size(); ++r) {
    std::vector<std::size_t> family;
    for (std::size_t bit = 0; bit + 1 < n; ++bit)
      if (r >> bit & 1) family.push_back(bit + 1);
    const double bound = score.bound_above(0, family);
    for (std::size_t larger = r + 1; larger < all.size(); ++larger)
      if ((larger & r) == r) CHECK(bound >= all[larger]);
  }
  const std::unique_ptr<Score> twin = score.twin();
  CHECK(!twin || twin->local(0, parents) == score.local(0, parents));
}

TEST(fast_paths_of_gaussian_scores_give_the_same_terms) {
  const std::size_t n = 5;
  const ChildMoments moments{{random_moments(n, 60)}, std::vector<std::size_t>(n)};
  for (const auto convention : {PenalisedLikelihood::Convention::unbiased, PenalisedLikelihood::Convention::maximum,
                                PenalisedLikelihood::Convention::doubled})
    check_fast_paths(*gaussian_score(moments, {convention, 2.0}));
  check_fast_paths(*bge_score(moments, 1.0, static_cast<double>(n) + 2));
  check_fast_paths(*nig_score(moments, {4.0, 0.5, 1.0}));
}

TEST(equivalent_dags_have_one_bge_score) {
  const std::size_t n = 3;
  const auto score = bge_score({{random_moments(n, 40)}, std::vector<std::size_t>(n)}, 1.0, static_cast<double>(n) + 2);
  MarkedGraph forward(n), backward(n), fork(n), collider(n);
  forward.set_directed(0, 1);
  forward.set_directed(1, 2);
  backward.set_directed(2, 1);
  backward.set_directed(1, 0);
  fork.set_directed(1, 0);
  fork.set_directed(1, 2);
  collider.set_directed(0, 1);
  collider.set_directed(2, 1);
  CHECK(check::close(total(*score, forward), total(*score, backward)));
  CHECK(check::close(total(*score, forward), total(*score, fork)));
  CHECK(!check::close(total(*score, forward), total(*score, collider), 1e-3));
}

TEST(a_team_does_each_place_once_and_passes_on_what_is_thrown) {
  for (const std::size_t threads : {1UL, 2UL, 3UL}) {
    const std::size_t before = allow_threads(threads);
    {
      Team team(8);
      CHECK(team.size() == threads);
      std::vector<int> done(1000);
      team.each(done.size(), [&](std::size_t place, std::size_t) { ++done[place]; });
      CHECK(std::ranges::all_of(done, [](int times) { return times == 1; }));
      bool thrown = false;
      try {
        team.each(100, [](std::size_t place, std::size_t) {
          if (place == 50) throw std::runtime_error("at 50");
        });
      } catch (const std::runtime_error&) {
        thrown = true;
      }
      CHECK(thrown);
    }
    allow_threads(before);
  }
}

TEST(a_search_that_can_stop_keeps_its_best_at_a_deadline) {
  pulse::watch() = {};
  pulse::watch().deadline = pulse::Clock::now() + std::chrono::milliseconds(1);
  std::size_t steps = 0;
  const bool ended = pulse::until_deadline([&] {
    for (;;) {
      ++steps;
      pulse::look();
    }
  });
  CHECK(!ended && steps > 0 && pulse::watch().stopped_early);
  pulse::watch() = {};
  pulse::watch().deadline = pulse::Clock::now() - std::chrono::milliseconds(1);
  bool thrown = false;
  try {
    pulse::look();
  } catch (const pulse::OutOfTime&) {
    thrown = true;
  }
  CHECK(thrown);
  pulse::watch() = {};
}

}  // namespace
