// How often steady-state detection is right, by simulation: seeds are fixed, so a result repeats.
#include <gtest/gtest.h>

#include <cmath>

#include "runner/stats/steady.h"
#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

enum class NoiseKind { kNormal, kLogNormal, kOutliers };

std::vector<double> white_noise(Random& random, std::size_t n, NoiseKind kind) {
  std::vector<double> steps = noisy_steps(random, n, 0.02);
  for (double& step : steps) {
    if (kind == NoiseKind::kLogNormal) step = 10 * std::exp(15 * std::log(step / 10));  // 30 %
    if (kind == NoiseKind::kOutliers && random.uniform() < 0.02) step *= 3;
  }
  return steps;
}

// Lengths from 20 to 2,000, the short ones as often as the long ones.
std::size_t any_length(Random& random) {
  return static_cast<std::size_t>(20 * std::pow(100, random.uniform()));
}

TEST(SteadyRates, WhiteNoiseHasNoChangeIn99Of100Series) {
  constexpr int kSeries = 1000;
  for (const NoiseKind kind : {NoiseKind::kNormal, NoiseKind::kLogNormal, NoiseKind::kOutliers}) {
    Random random(41);
    int changes = 0, not_steady = 0;
    for (int i = 0; i < kSeries / 2; ++i) {
      const auto found = find_steadiness(white_noise(random, any_length(random), kind));
      changes += found->segments.size() > 1 ? 1 : 0;
      not_steady += found->kind != SteadyKind::kSteady ? 1 : 0;
    }
    EXPECT_LE(changes, kSeries / 200) << "kind " << static_cast<int>(kind);
    EXPECT_LE(not_steady, kSeries / 200) << "kind " << static_cast<int>(kind);
  }
}

// Noise of 2 %, by which the steps before the change differ too.
TEST(SteadyRates, AShiftOfTenPerCentIsFoundWithinTwoSteps) {
  for (const std::size_t n : {30, 100, 1000}) {
    Random random(n);
    int found_near = 0;
    for (int i = 0; i < 200; ++i) {
      std::vector<double> steps = noisy_steps(random, n, 0.02);
      const std::size_t change = random.whole(6, n - 6);
      for (std::size_t step = change; step < n; ++step) steps[step] *= 1.1;
      const auto found = find_steadiness(steps);
      const bool one = found->segments.size() == 2;
      const auto at = static_cast<double>(found->segments.back().begin);
      found_near += one && std::abs(at - static_cast<double>(change)) <= 2 ? 1 : 0;
    }
    EXPECT_GE(found_near, 198) << n << " steps";
  }
}

struct Ramp {
  const char* name;
  double first, last;  // how much slower the first and the last step of the warm-up are
  int least;           // of 200 series that end within two steps of the truth
};

// At 5 % and noise of 2 % a single step cannot be distinguished from a steady one with certainty,
// so the end of a ramp that falls to 5 % is blurred.
TEST(SteadyRates, TheEndOfAWarmUpIsFoundWithinTwoSteps) {
  for (const Ramp& ramp : {Ramp{"5 %", 0.05, 0.05, 190},
                           {"50 %", 0.5, 0.5, 196},
                           {"50 to 10 %", 0.5, 0.1, 196},
                           {"50 to 5 %", 0.5, 0.05, 180}}) {
    Random random(43);
    int near = 0, steady = 0;
    for (int i = 0; i < 200; ++i) {
      const std::size_t n = random.whole(60, 400), warm_up = random.whole(5, n / 3);
      std::vector<double> steps = noisy_steps(random, n, 0.02);
      for (std::size_t step = 0; step < warm_up; ++step) {
        const double done = static_cast<double>(step) / static_cast<double>(warm_up - 1);
        steps[step] *= 1 + ramp.first + done * (ramp.last - ramp.first);
      }
      const auto found = find_steadiness(steps);
      const double off = static_cast<double>(found->steady_from) - static_cast<double>(warm_up);
      near += std::abs(off) <= 2 ? 1 : 0;
      steady += found->kind == SteadyKind::kSteady ? 1 : 0;
    }
    EXPECT_GE(near, ramp.least) << ramp.name;
    EXPECT_GE(steady, 198) << ramp.name;
  }
}

// Neighbouring steps of real programs are alike. White noise with the same spread between
// neighbours would have far less of it over longer times.
TEST(SteadyRates, CorrelatedNoiseIsSeldomTakenForChanges) {
  Random random(44);
  int steady = 0;
  for (int i = 0; i < 200; ++i) {
    const auto found =
        find_steadiness(correlated_noise(random, random.whole(200, 2000), 0.02, 0.5));
    steady += found->kind == SteadyKind::kSteady ? 1 : 0;
  }
  EXPECT_GE(steady, 186);
}

}  // namespace
}  // namespace sweepd::stats
