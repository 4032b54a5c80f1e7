// How often intervals contain the truth, by simulation: seeds are fixed, so a result repeats.
#include <gtest/gtest.h>

#include "runner/stats/compare.h"
#include "tests/stats/series_builder.h"

namespace sweepd::stats {
namespace {

struct Covered {
  int pairs = 0, with_interval = 0, right = 0;
  void add(const Comparison& comparison, double truth) {
    ++pairs;
    if (!comparison.interval) return;
    ++with_interval;
    if (comparison.interval->low <= truth && truth <= comparison.interval->high) ++right;
  }
  double share() const { return static_cast<double>(right) / with_interval; }
};

struct Sides {
  std::size_t a, b;  // processes
};

// Processes differ by 3 %, steps by 1 %. 2,000 pairs give the coverage to within half a per cent.
TEST(Coverage, ProcessesWithLevelsOfTheirOwn) {
  for (const Sides sides :
       {Sides{2, 2}, {3, 3}, {5, 5}, {10, 10}, {2, 10}, {3, 5}, {1, 3}, {5, 1}}) {
    Random random(100 * sides.a + sides.b);
    Covered covered;
    for (int i = 0; i < 2000; ++i) {
      covered.add(compare(measured_processes(random, sides.a, 5, 0.03, 0.01),
                          measured_processes(random, sides.b, 5, 0.03, 0.01), {.confidence = 0.95}),
                  1);
    }
    EXPECT_EQ(covered.with_interval, covered.pairs);
    EXPECT_GE(covered.share(), 0.93) << sides.a << " against " << sides.b;
    EXPECT_LE(covered.share(), 0.995) << sides.a << " against " << sides.b;
  }
}

// How often `compare` calls equal processes different, which its defaults keep below 1 %.
TEST(Coverage, FalseAlarmsOfEqualProcessesAreRare) {
  for (const Sides sides : {Sides{2, 2}, {3, 3}, {5, 5}, {10, 10}, {5, 8}}) {
    Random random(9 * sides.a + sides.b);
    int alarms = 0;
    constexpr int kPairs = 4000;
    for (int i = 0; i < kPairs; ++i) {
      const Change change = compare(measured_processes(random, sides.a, 5, 0.02, 0.01),
                                    measured_processes(random, sides.b, 5, 0.02, 0.01))
                                .change;
      alarms += change == Change::kFaster || change == Change::kSlower ? 1 : 0;
    }
    EXPECT_LE(alarms, kPairs / 80) << sides.a << " against " << sides.b;  // 1 % and its chance
  }
}

struct Needed {
  double ratio;
  std::size_t processes;  // of the first comparison
  double suffices;        // the share of unclear comparisons that the number settles
};

// Processes differ by 3 %. The figures in compare.h and docs/COMPARING.md.
TEST(Coverage, HowOftenTheNumberThatIsNeededSettlesIt) {
  for (const Needed& c : {Needed{1.05, 2, 0.6}, {1.05, 3, 0.7}, {1.05, 5, 0.79}, {1, 3, 0.5}}) {
    Random random(100 * c.processes + static_cast<std::uint64_t>(1000 * c.ratio));
    int unclear = 0, settled = 0;
    for (int i = 0; i < 1000; ++i) {
      const auto b_of = [&](std::size_t n) {
        Measured b = measured_processes(random, n, 1, 0.03, 0);
        for (auto& steps : b.processes) steps[0] *= c.ratio;
        return b;
      };
      const Measured a = measured_processes(random, c.processes, 1, 0.03, 0);
      const Comparison first = compare(a, b_of(c.processes));
      if (first.change != Change::kUnclear) continue;
      ++unclear;
      const std::size_t n = first.needed->a_side;
      const Measured more = measured_processes(random, n, 1, 0.03, 0);
      settled += compare(more, b_of(n)).change != Change::kUnclear ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(settled) / unclear, c.suffices, 0.03)
        << c.ratio << ", " << c.processes << " processes";
  }
}

struct Process {
  std::size_t steps;
  double correlation;
  double least_coverage;
};

// Of the same program in one process a side, without an effect of the process.
TEST(Coverage, BlocksOfCorrelatedSteps) {
  for (const Process& process :
       {Process{50, 0, 0.93}, {200, 0, 0.93}, {200, 0.5, 0.92}, {200, 0.8, 0.91}}) {
    Random random(7);
    Covered covered;
    for (int i = 0; i < 1000; ++i) {
      const auto side = [&] {
        return Measured{{correlated_noise(random, process.steps, 0.02, process.correlation)}};
      };
      const Measured a = side();
      covered.add(compare(a, side(), {.confidence = 0.95}), 1);
    }
    EXPECT_GE(covered.with_interval, 950) << process.steps << " steps, " << process.correlation;
    EXPECT_GE(covered.share(), process.least_coverage)
        << process.steps << " steps, correlation " << process.correlation;
  }
}

TEST(Blocks, CorrelationTimeIsThatOfTheProcess) {
  Random random(5);
  EXPECT_NEAR(correlated_steps(correlated_noise(random, 20000, 0.02, 0)), 1, 0.2);
  // For an AR(1) process the signs' correlations are 2 / pi * asin(0.8^lag): together 6.0.
  EXPECT_NEAR(correlated_steps(correlated_noise(random, 20000, 0.02, 0.8)), 6.0, 1);
  EXPECT_EQ(correlated_steps(std::vector<double>(100, 3.0)), 1);
  EXPECT_EQ(correlated_steps(std::vector<double>{3.0}), 1);
}

TEST(Blocks, AreFewAndLong) {
  Random random(6);
  EXPECT_EQ(block_medians(noisy_steps(random, 10000, 0.02)).size(), 20U);
  std::vector<double> alternating;
  for (int i = 0; i < 26; ++i) alternating.push_back(i % 2 == 0 ? 2 : 4);
  // Blocks of 5, 5, 5, 5 and 6 steps: the root of 26 is 5.1.
  EXPECT_EQ(block_medians(alternating), (std::vector<double>{2, 4, 2, 4, 3}));
  EXPECT_TRUE(block_medians(std::vector{1.0, 2.0, 3.0}).empty());
  EXPECT_TRUE(block_medians({}).empty());
}

}  // namespace
}  // namespace sweepd::stats
