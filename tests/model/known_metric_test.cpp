// The tables of metrics and columns.
#include "runner/model/vocabulary/known_metric.h"

#include <gtest/gtest.h>

#include <set>

#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

TEST(KnownMetric, EachHasANameOfItsOwnAUnitAndAMeaning) {
  std::set<std::string> names;
  for (const KnownMetric& metric : known_metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_NE(metric.unit, "") << metric.name;
    EXPECT_NE(metric.meaning, "") << metric.name;
    EXPECT_EQ(find_known_metric(metric.name), &metric);
    EXPECT_EQ(source_of_metric(metric.name), metric.source);
  }
}

TEST(KnownMetric, PassesAndSourcesByName) {
  EXPECT_EQ(pass_of_metric("peak_allocated_bytes"), Pass::kMemory);
  EXPECT_EQ(pass_of_metric("allocation_bytes"), Pass::kMemory);
  EXPECT_EQ(pass_of_metric("kernel_share"), Pass::kProfile);
  EXPECT_EQ(pass_of_metric("operator_calls"), Pass::kProfile);
  EXPECT_EQ(pass_of_metric("range_time.attention"), Pass::kProfile);
  for (const char* metric : {"time", "steady_from", "figure.weights_bytes", "fact", "own_metric"}) {
    EXPECT_EQ(pass_of_metric(metric), std::nullopt) << metric;
  }
  EXPECT_EQ(source_of_metric("figure"), FigureSource::kFigure);
  EXPECT_EQ(source_of_metric("fact.loss"), FigureSource::kFact);
  EXPECT_EQ(source_of_metric("own_metric"), FigureSource::kSummary);
  EXPECT_EQ(name_within("fact.loss"), "loss");
  EXPECT_EQ(name_within("fact"), "");
}

TEST(KnownMetric, ReadingsOfTheDeviceAreOfStepsAndMayBeNamedBeforeAnyResult) {
  for (const auto& [name, unit] :
       {std::pair{"device_clock", "MHz"}, {"device_power", "W"}, {"device_temperature", "°C"}}) {
    const KnownMetric* metric = find_known_metric(name);
    ASSERT_NE(metric, nullptr) << name;
    EXPECT_EQ(metric->unit, unit);
    EXPECT_EQ(metric->source, FigureSource::kSummary);
    EXPECT_EQ(metric->when, KnownMetric::When::kSteps);
    EXPECT_EQ(pass_of_metric(name), std::nullopt);
  }
}

TEST(ResultColumn, NamesAreInTheOrderOfTheEnum) {
  EXPECT_EQ(result_column_names().size(), static_cast<std::size_t>(ResultColumn::kOperator) + 1);
  EXPECT_EQ(name_of(ResultColumn::kPhase), "phase");
  EXPECT_EQ(name_of(ResultColumn::kDriver), "driver");
  EXPECT_EQ(name_of(ResultColumn::kKernel), "kernel");
  EXPECT_EQ(name_of(ResultColumn::kOperator), "operator");
}

TEST(KnownMetric, SomeNeedNoClock) {
  for (const char* name : {"kernel_calls", "peak_allocated_bytes", "fact.layers", "loss",
                           "val_loss", "figure.parameters", "allocation_bytes", "launches"}) {
    EXPECT_TRUE(is_without_clock(name)) << name;
  }
  for (const char* name :
       {"time", "kernel_share", "energy", "fact.profile.step_ms", "fact.fit.slope",
        "fact.skew_mean_ms", "fact", "busbw", "queue_depth", "score"}) {
    EXPECT_FALSE(is_without_clock(name)) << name;
  }
}

}  // namespace
}  // namespace sweepd
