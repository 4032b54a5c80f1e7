// Series of step times with known truth, from seeds.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "runner/stats/compare.h"

namespace sweepd::stats {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform() { return std::uniform_real_distribution<double>()(engine_); }
  // From low to high, both included.
  std::size_t whole(std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(engine_);
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
};

// Steps of 10 ms with normal noise of the given share.
inline std::vector<double> noisy_steps(Random& random, std::size_t n, double noise) {
  std::vector<double> steps;
  for (std::size_t i = 0; i < n; ++i) steps.push_back(10 * (1 + noise * random.normal()));
  return steps;
}

// Each step shares `correlation` of its noise with the one before (an AR(1) process).
inline std::vector<double> correlated_noise(Random& random, std::size_t n, double noise,
                                            double correlation) {
  std::vector<double> steps;
  double state = random.normal();
  for (std::size_t i = 0; i < n; ++i) {
    state = correlation * state + std::sqrt(1 - correlation * correlation) * random.normal();
    steps.push_back(10 * std::exp(noise * state));
  }
  return steps;
}

// Processes whose levels differ by their own factor, which is `process_noise` on average.
inline Measured measured_processes(Random& random, std::size_t processes, std::size_t steps,
                                   double process_noise, double step_noise) {
  Measured side;
  for (std::size_t i = 0; i < processes; ++i) {
    const double level = std::exp(process_noise * random.normal());
    side.processes.push_back(noisy_steps(random, steps, step_noise));
    for (double& step : side.processes.back()) step *= level;
  }
  return side;
}

}  // namespace sweepd::stats
