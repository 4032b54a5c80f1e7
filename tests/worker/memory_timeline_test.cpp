#include "runner/worker/passes/memory_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sweepd {
namespace {

using ::testing::ElementsAre;

TEST(Thin, KeepsAFewAsTheyAre) {
  const std::vector<TimelineSample> samples{{0, 5}, {1, 9}, {2, 0}};
  EXPECT_THAT(thin(samples, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(thin({}, 3), ElementsAre());
}

TEST(Thin, KeepsOfEachStretchItsFirstLowestHighestAndLast) {
  // Two stretches of ten samples. Marked ones are kept besides the four.
  std::vector<TimelineSample> samples;
  for (const std::int64_t live :
       {5, 6, 7, 1, 8, 9, 3, 4, 4, 4, /**/ 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    samples.push_back({static_cast<std::int64_t>(samples.size()), live});
  }
  samples[7].keep = true;
  EXPECT_THAT(thin(samples, 8), ElementsAre(0, 3, 5, 7, 9, 10, 19));
}

TEST(Thin, NeverLosesAnExtreme) {
  std::mt19937 random(1);
  for (const std::size_t most : {4U, 40U, 2000U}) {
    std::vector<TimelineSample> samples;
    std::int64_t time = 0;
    for (int i = 0; i < 20'000; ++i) {
      time += random() % 7;  // sometimes several at one moment
      samples.push_back({time, static_cast<std::int64_t>(random() % 1'000'000)});
    }
    const auto kept = thin(samples, most);
    EXPECT_LE(kept.size(), most);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
    const auto by_live = [](const auto& a, const auto& b) { return a.allocated < b.allocated; };
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end(), by_live);
    for (const std::int64_t extreme : {low->allocated, high->allocated}) {
      EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [&](std::size_t i) {
        return samples[i].allocated == extreme;
      })) << most;
    }
  }
}

TEST(Thin, AllAtOneMomentIsOneStretch) {
  std::vector<TimelineSample> samples(100, {7, 1});
  samples[50].allocated = 2;
  EXPECT_THAT(thin(samples, 10), ElementsAre(0, 50, 99));
}

}  // namespace
}  // namespace sweepd
