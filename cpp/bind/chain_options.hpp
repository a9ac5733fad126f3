// The length of a chain as Python hands it over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bind.hpp"
#include "dagathlon/mcmc/chain_log.hpp"
#include "dagathlon/stats/random.hpp"

namespace dagathlon {

// How long a chain runs, and on which of the seed's streams of random numbers.
struct ChainOptions {
  std::size_t iterations;
  std::size_t stepsave;
  std::uint64_t seed;
  std::uint64_t stream;
  std::size_t warmup;
  std::size_t look;
  std::vector<double> coldness;

  ChainLength length() const {
    if (stepsave == 0) throw nb::value_error("stepsave is at least 1");
    if (coldness.empty() || coldness[0] != 1) throw nb::value_error("the first coldness is 1");
    return {iterations, stepsave, warmup, look};
  }
  Stream random() const { return Stream(seed, stream); }
};

}  // namespace dagathlon
