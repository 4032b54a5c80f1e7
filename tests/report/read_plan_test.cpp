// Tests the reads of a table, with their units and figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(TableReads, ValuesOfTheSameResultsShareOneRead) {
  QuerySpec query = query_of({"model"}, {"precision"});
  query.workload = "lm_step";
  query.table.sort = {"-median", "Min", "model"};
  query.table.where = {{"pass", {"timing"}}, {"phase", {"step"}}};
  query.table.values = {value_of("Min", "{min:.1f}"), value_of("Median", "{median:.1f}"),
                        value_of("Forward", "{mean}", "", "", {{"phase", {"forward"}}}),
                        value_of("Peak", "", "MiB", "peak_allocated_bytes")};
  query.table.baseline = {{"precision", {"fp32"}}};
  const TableReads plan = plan_reads(query);
  std::vector<std::string> reads;
  for (const QuerySpec& read : plan.reads) {
    std::string text = read.workload + " " + read.table.metric + " " + read.table.cell;
    for (const auto& filter : read.table.where) text += " " + filter.name + "=" + filter.values[0];
    EXPECT_THAT(read.table.rows, ElementsAre("model"));
    EXPECT_THAT(read.table.sort, ElementsAre("-median"));
    EXPECT_TRUE(read.table.values.empty() && read.table.baseline.empty());
    reads.push_back(text);
  }
  EXPECT_THAT(reads, ElementsAre("lm_step  {min}{median} pass=timing phase=step",
                                 "lm_step  {mean}{mean} pass=timing phase=step precision=fp32",
                                 "lm_step  {mean} pass=timing phase=forward",
                                 "lm_step  {mean} pass=timing phase=forward precision=fp32",
                                 "lm_step peak_allocated_bytes  pass=timing phase=step",
                                 "lm_step peak_allocated_bytes {mean} pass=timing phase=step "
                                 "precision=fp32"));
  std::vector<std::size_t> uses;
  for (const auto& use : plan.uses) {
    uses.push_back(use.results);
    uses.push_back(use.baseline.value_or(99));
  }
  EXPECT_THAT(uses, ElementsAre(0, 1, 0, 1, 2, 3, 4, 5));
}

TEST(TableReads, AnotherMetricTakesTheTablesUnitWhereItCanBeShownInIt) {
  TableSpec table;
  table.unit = "s";
  table.values = {value_of("Time", "{mean}"), value_of("Peak", "{max}", "", "peak_allocated_bytes"),
                  value_of("Compilation", "{mean}", "", "compile_time"),
                  value_of("Loading", "{mean}", "ms", "load_time"),
                  value_of("Own", "{mean}", "", "figure.parameters")};
  const auto complete = complete_values(table);
  EXPECT_EQ(complete[0].unit, "s");
  EXPECT_EQ(complete[1].unit, "") << "bytes are no seconds";
  EXPECT_EQ(complete[2].unit, "s");
  EXPECT_EQ(complete[3].unit, "ms");
  EXPECT_EQ(complete[4].unit, "");
}

TEST(TableReads, ARateIsOfTheTimeThatTheTableShows) {
  TableSpec table;
  table.cell = "{tflops:.1f}";
  EXPECT_FALSE(rates_by_median(table)) << "of the mean where no time is shown";
  table.values = {value_of("Time", "{median:.3f}"), value_of("TFLOP/s", "{tflops:.2f}")};
  EXPECT_TRUE(rates_by_median(table));
  QuerySpec query;
  query.table = table;
  EXPECT_THAT(plan_reads(query).reads.front().table.cell, HasSubstr("{median}"));
  table.values.push_back(value_of("In kernels", "{mean}", "", "kernel_time"));
  EXPECT_TRUE(rates_by_median(table)) << "the mean of another metric is not the rate's time";
  table.values.push_back(value_of("Mean", "{mean}"));
  EXPECT_FALSE(rates_by_median(table));
}

}  // namespace
}  // namespace sweepd
