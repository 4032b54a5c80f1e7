// The seed of a test that injects faults at random.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

namespace sweepd {

// SWEEPD_FAULT_SEED, or another one each time, which is printed.
inline std::uint64_t fault_seed() {
  const char* given = std::getenv("SWEEPD_FAULT_SEED");
  const std::uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device{}();
  fmt::print("seed {0}; SWEEPD_FAULT_SEED={0} repeats this run\n", seed);
  return seed;
}

}  // namespace sweepd
