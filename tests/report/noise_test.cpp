// Tests which attempts the noise of a sweep is computed from, and its table.
#include "runner/report/cell/noise.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// Attempts of sizes 1, 2 ..., whose medians alternate between two levels.
class Repeats {
 public:
  Repeats() {
    results_.unit = "ms";
    results_.dimensions = {{"size", true, {}}, {"host", false, {"alpha"}}, {"repeat", true, {}}};
  }
  Repeats& add(const std::string& size, int repeats, double difference) {
    const auto at = index(results_.dimensions[0], size);
    // In any order, as a database may return them.
    for (int i = repeats; i-- > 0;) {
      ResultRow row;
      row.at = {at, 0, index(results_.dimensions[2], std::to_string(i))};
      const double level = i % 2 == 0 ? 10 : 10 * (1 + difference);
      row.samples = {level, level * 0.9, level * 3};  // the median is the level
      row.stats.n = 3;
      row.stats.mean = 99;
      row.attempt = size + "/" + std::to_string(i);
      results_.rows.push_back(row);
    }
    return *this;
  }
  ResultSet& results() { return results_; }

 private:
  static std::uint32_t index(Dimension& dimension, const std::string& value) {
    auto& values = dimension.values;
    auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end()) found = values.insert(values.end(), value);
    return static_cast<std::uint32_t>(found - values.begin());
  }
  ResultSet results_;
};

const stats::NoiseOptions kDefaults;

TEST(NoiseOfResults, TakesTheMediansOfEachPointInTheOrderOfTheirRepeats) {
  Repeats repeats;
  repeats.add("1", 40, 0).add("2", 40, 0.1);
  const auto noise = noise_of_results(repeats.results(), kDefaults);
  ASSERT_TRUE(noise) << noise.error().message;
  ASSERT_EQ(noise->axes.size(), 1U);
  EXPECT_EQ(noise->axes[0].name, "size");
  ASSERT_EQ(noise->points.size(), 2U);
  EXPECT_THAT(noise->points[0].at, ElementsAre("1"));
  EXPECT_EQ(noise->points[0].noise.a_side.front().p95_difference, 0);
  EXPECT_NEAR(noise->points[1].noise.a_side.front().p95_difference, 0.1, 1e-9)
      << "even repeats are a, odd ones b";
  EXPECT_EQ(noise->points[1].attempt, "2/39") << "the last one";
}

TEST(NoiseOfResults, LeavesOutWhatIsNotDoneOrInvalidAndNamesPointsWithTooFew) {
  Repeats repeats;
  repeats.add("1", 20, 0).add("2", 20, 0);
  auto& rows = repeats.results().rows;
  for (std::size_t i = 0; i < 2; ++i) rows[i].outcome = Outcome::kTimeout;
  for (std::size_t i = 2; i < 4; ++i) rows[i].verdict = Verdict::kInvalid;
  rows[20].pending = true;
  for (std::size_t i = 21; i < 30; ++i) rows[i].outcome = Outcome::kCrashed;
  const auto noise = noise_of_results(repeats.results(), kDefaults);
  ASSERT_TRUE(noise) << noise.error().message;
  ASSERT_EQ(noise->points.size(), 1U);
  EXPECT_EQ(noise->points[0].noise.processes, 16U);
  EXPECT_THAT(noise->too_few, ElementsAre("size=2: 10 attempts"));
  const Table table = noise_table(*noise, "s", kDefaults);
  EXPECT_EQ(table.warnings, 1U);
  EXPECT_THAT(table.notes.back(), HasSubstr("size=2: 10 attempts, which is too few"));
}

TEST(NoiseOfResults, NothingThatCountsIsAnError) {
  Repeats repeats;
  const auto empty = noise_of_results(repeats.results(), kDefaults);
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().message, HasSubstr("too few attempts are done and valid: none"));
  repeats.add("1", 15, 0);
  const auto few = noise_of_results(repeats.results(), kDefaults);
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, HasSubstr("15 attempts; expected 16 or more"));
}

TEST(NoiseTable, SaysHowManyRepeatsAreEnough) {
  Repeats repeats;
  repeats.add("1", 40, 0).add("2", 40, 0.3);
  const auto noise = noise_of_results(repeats.results(), kDefaults);
  ASSERT_TRUE(noise);
  const Table table = noise_table(*noise, "lm", kDefaults);
  const std::string csv = render(table, Format::kCsv, 0);
  EXPECT_THAT(csv, HasSubstr("size,attempts,spread (%),repeats,A/A median (%),A/A p95 (%),false "
                             "alarms (%),found (%)\r\n1,40,0,2,0,0,0,100\r\n2,40,13.28"));
  EXPECT_THAT(csv, HasSubstr(",>5,30.0")) << "of 40 attempts, five a side can be tried";
  EXPECT_EQ(table.warnings, 1U);
  EXPECT_THAT(table.notes, Contains(HasSubstr("1 point: not even the most")));
}

TEST(NoiseTable, TextOfAStoredFloor) {
  NoiseFloor floor;
  floor.label = "model=tiny";
  floor.hostname = "alpha";
  floor.a_side = 8;
  floor.p95_difference = 0.0184;
  EXPECT_EQ(
      noise_floor_text(floor),
      "noise: of two equal runs of `model=tiny` on alpha with 8 attempts a side, 95 % differ by "
      "less than 1.8 %");
}

}  // namespace
}  // namespace sweepd
