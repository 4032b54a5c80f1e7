#include "runner/worker/journal/stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sweepd {
namespace {

struct StoppingCase {
  const char* name;
  StopLimits limits;
  std::vector<double> steps_ms;  // each step takes as long as it measures
  std::string_view reason;       // after the last of them; "" after each before
};

TEST(StoppingRule, Table) {
  const StoppingCase rows[] = {
      {"fixed", {3, 0, {}, {}}, {5, 9, 1}, "fixed_steps"},
      {"one step", {1, 0, {}, {}}, {5}, "fixed_steps"},
      {"min_time after the steps", {2, 0, milliseconds(10), {}}, {4, 4, 4}, "min_time"},
      {"min_time before the steps", {3, 0, milliseconds(10), {}}, {20, 20, 20}, "min_time"},
      {"max_time cuts fixed steps", {100, 0, {}, milliseconds(10)}, {6, 6}, "max_time"},
      {"max_time allows one step", {100, 0, {}, milliseconds(10)}, {600}, "max_time"},
      {"the goal before max_time", {2, 0, {}, milliseconds(10)}, {6, 6}, "fixed_steps"},
      // mean 10, std 1: 1 / sqrt(4) / 10 = 5 % after four steps of 9, 11 (std is 1.1547)
      {"relative error", {2, 0.06, {}, {}}, {9, 11, 9, 11}, "relative_error"},
      {"equal steps have no error", {2, 0.01, {}, {}}, {7, 7}, "relative_error"},
      {"zero steps have no error", {2, 0.01, {}, {}}, {0, 0}, "relative_error"},
      {"relative error waits for steps", {3, 0.5, {}, {}}, {7, 7, 7}, "relative_error"},
      {"relative error waits for min_time",
       {1, 0.5, milliseconds(20), {}},
       {7, 7, 7},
       "relative_error"},
      {"one step has no error yet", {1, 1, {}, {}}, {7, 7}, "relative_error"},
      {"noise until max_time", {2, 0.01, {}, milliseconds(30)}, {5, 15, 5, 15}, "max_time"},
      {"min_time beyond max_time", {1, 0, seconds(9), milliseconds(10)}, {6, 6}, "max_time"},
  };
  for (const StoppingCase& row : rows) {
    SCOPED_TRACE(row.name);
    StoppingRule rule(row.limits);
    double elapsed_ms = 0;
    for (std::size_t i = 0; i < row.steps_ms.size(); ++i) {
      elapsed_ms += row.steps_ms[i];
      const Duration elapsed{static_cast<std::int64_t>(elapsed_ms * 1e6)};
      const StoppedBy by = rule.add(elapsed, row.steps_ms[i]);
      EXPECT_EQ(name_of(by), i + 1 < row.steps_ms.size() ? "" : row.reason) << "step " << i;
    }
  }
}

TEST(StoppingRule, RelativeErrorIsTheStandardErrorOverTheMean) {
  StoppingRule rule({100, 0.001, {}, {}});
  EXPECT_TRUE(std::isinf(rule.relative_error()));
  for (const double ms : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) rule.add({}, ms);
  // mean 5, sum of squared differences 32, so std = sqrt(32 / 7)
  EXPECT_DOUBLE_EQ(rule.mean_ms(), 5);
  EXPECT_DOUBLE_EQ(rule.relative_error(), std::sqrt(32.0 / 7 / 8) / 5);
}

TEST(StoppingRule, GivesUpAfterAMillionSteps) {
  StoppingRule rule({1, 0, seconds(3600), {}});
  for (std::int64_t i = 1; i < StoppingRule::kMaxSteps; ++i) {
    ASSERT_EQ(rule.add({i}, 1e-6), StoppedBy::kNothing);
  }
  EXPECT_EQ(name_of(rule.add({1}, 1e-6)), "max_steps");
}

}  // namespace
}  // namespace sweepd
