// What tables, queries, plots and comparisons know of the metric `energy`.
#include <gtest/gtest.h>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric.h"

namespace sweepd {
namespace {

TEST(EnergyMetric, IsInJoulesOfEachStepAndBetterSmall) {
  const KnownMetric* energy = find_known_metric("energy");
  ASSERT_NE(energy, nullptr);
  EXPECT_EQ(energy->source, FigureSource::kSummary);
  EXPECT_EQ(energy->when, KnownMetric::When::kSteps) << "a table may name it where nothing has it";
  EXPECT_EQ(unit_of({}, "energy"), "J");
  EXPECT_EQ(better_of({}, "energy"), Better::kSmaller);
  EXPECT_EQ(pass_of_metric("energy"), std::nullopt);
}

}  // namespace
}  // namespace sweepd
