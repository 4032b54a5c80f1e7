// Tests which published figures a table shows, and how.
#include "runner/report/table/reference_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

ReferenceRow published(std::string source, double value,
                       std::vector<std::pair<std::string, std::string>> params) {
  ReferenceRow row;
  row.source = std::move(source);
  row.workload = "lm_step";
  row.metric = "time";
  row.value = value;
  row.std = 0.5;
  row.n = 10;
  row.params = std::move(params);
  return row;
}

std::vector<double> means(const ResultSet& set) {
  std::vector<double> all;
  for (const ResultRow& row : set.rows) all.push_back(row.stats.mean);
  return all;
}

TEST(ReferenceSet, FiltersTheSweepsValuesAndNamedColumns) {
  const std::vector<ReferenceRow> rows{
      published("003", 1, {{"model", "small"}, {"mode", "forward"}}),
      published("003", 2, {{"model", "xl"}, {"mode", "forward"}}),
      published("003", 3, {{"model", "small"}, {"mode", "train_step"}}),
      published("004", 4, {{"mode", "forward"}})};
  QuerySpec read = query_of({"model"}, {"source"});
  const SweepValues sweep{{"model", {"tiny"}}, {"mode", {"forward"}}};
  // `model` is a row, so any model is shown; `mode` is not, so it must be one of the sweep's.
  const ResultSet all = reference_set(rows, read, sweep);
  EXPECT_THAT(means(all), ElementsAre(1, 2, 4));
  EXPECT_THAT(all.dimensions[0].values, ElementsAre("small", "xl", ""));
  EXPECT_THAT(all.dimensions[1].values, ElementsAre("003", "004"));
  read.table.where = {{"model", {"small", "xl"}}};
  EXPECT_THAT(means(reference_set(rows, read, sweep)), ElementsAre(1, 2)) << "004 states no model";
  read.table.where = {{"source", {"004"}}};
  EXPECT_THAT(means(reference_set(rows, read, sweep)), ElementsAre(4));
}

TEST(ReferenceSet, APointWithoutAFigureAndAPhaseIsShownInEveryPhase) {
  std::vector<ReferenceRow> rows{published("003", 1, {}), published("003", 2, {})};
  rows[0].phase = "forward";
  rows[1].phase = "";
  rows[1].outcome = "oom";
  QuerySpec read = query_of({"source"}, {});
  read.table.where = {{"phase", {"forward"}}};
  ResultSet set = reference_set(rows, read, {});
  ASSERT_EQ(set.rows.size(), 2U);
  EXPECT_EQ(set.rows[1].outcome, Outcome::kOom);
  set = reference_set(rows, query_of({"source"}, {}), {});
  ASSERT_EQ(set.rows.size(), 1U) << "of the whole step";
  EXPECT_EQ(set.rows[0].outcome, Outcome::kOom);
  read = query_of({"source"}, {"phase"});
  EXPECT_EQ(reference_set(rows, read, {}).rows[1].at[1], kEveryValue);
  rows[1].outcome = "done";
  read.table.where = {{"phase", {"forward"}}};
  EXPECT_EQ(reference_set(rows, read, {}).rows.size(), 1U);
}

TEST(ReferenceSet, TheWholeStepUnlessTheTableNamesPhases) {
  std::vector<ReferenceRow> rows{published("003", 1, {}), published("003", 2, {})};
  rows[1].phase = "forward";
  QuerySpec read = query_of({"source"}, {});
  EXPECT_THAT(means(reference_set(rows, read, {})), ElementsAre(1));
  read.table.where = {{"phase", {"forward"}}};
  EXPECT_THAT(means(reference_set(rows, read, {})), ElementsAre(2));
  read = query_of({"source"}, {"phase"});
  EXPECT_THAT(means(reference_set(rows, read, {})), ElementsAre(1, 2));
}

TEST(ReferenceSet, DoubtsAreTheReasonsOfItsVerdict) {
  std::vector<ReferenceRow> rows{published("001", 1, {}), published("001", 2, {}),
                                 published("001", 3, {})};
  rows[1].doubts = {"a sum", "no device"};
  rows[2].doubts = {"above the peak"};
  rows[2].invalid = true;
  const ResultSet set = reference_set(rows, query_of({"source"}, {}), {});
  EXPECT_EQ(set.rows[0].verdict, Verdict::kValid);
  EXPECT_EQ(set.rows[1].verdict, Verdict::kSuspect);
  EXPECT_EQ(set.rows[1].note, "001: a sum; no device");
  EXPECT_EQ(set.rows[2].verdict, Verdict::kInvalid);
}

// Remarks on a source mark no cell: a missing device is no reason to doubt a time.
TEST(ReferenceSet, DevicesAndRemarksAreLinesAndMarkNothing) {
  std::vector<ReferenceRow> rows{published("000", 1, {}), published("001", 2, {}),
                                 published("002", 3, {}), published("003", 4, {})};
  for (ReferenceRow& row : rows) row.device = "not stated";
  rows[1].device = "A100";
  rows[3].phase = "forward";
  rows[1].remarks = rows[2].remarks = {"a sum, divided here"};
  rows[2].remarks.push_back("no context");
  const QuerySpec query = query_of({"source"}, {});
  const ResultSet set = reference_set(rows, query, {});
  const Table table = *pivot(set, query);
  EXPECT_THAT(table.notes, testing::IsSupersetOf(
                               {"devices of published figures: 000, 002: not stated; 001: A100",
                                "001, 002: a sum, divided here", "002: no context"}))
      << "003 is not shown";
  for (const ResultRow& row : set.rows) EXPECT_EQ(row.verdict, Verdict::kValid);
}

// Figures of single kernels are no figure of the step, and the step's is none of a kernel.
TEST(ReferenceSet, AFigureOfAKernelNeedsATableOfKernels) {
  const std::vector<ReferenceRow> rows{
      published("001", 1,
                {{"kernel", "void at::native::elementwise_kernel<(int)128, (int)2>(int)"}}),
      published("001", 2, {}), published("001", 3, {{"class", "matmul"}})};
  EXPECT_THAT(means(reference_set(rows, query_of({"source"}, {}), {})), ElementsAre(2));
  const ResultSet kernels = reference_set(rows, query_of({"kernel"}, {"source"}), {});
  EXPECT_THAT(means(kernels), ElementsAre(1));
  EXPECT_THAT(kernels.dimensions[0].values, ElementsAre("elementwise_kernel<128, 2>"))
      << "as measured kernels are called";
  QuerySpec read = query_of({"source"}, {});
  read.table.where = {{"class", {"matmul"}}};
  EXPECT_THAT(means(reference_set(rows, read, {})), ElementsAre(3));
}

TEST(ReferenceSet, WhatIsNotStatedIsUnknown) {
  std::vector<ReferenceRow> rows{published("001", 2, {}), published("001", NAN, {})};
  rows[1].outcome = "oom";
  const ResultSet set = reference_set(rows, query_of({"source"}, {}), {});
  EXPECT_TRUE(std::isnan(set.rows[0].stats.median));
  EXPECT_EQ(set.rows[0].stats.n, 10);
  EXPECT_EQ(set.rows[1].outcome, Outcome::kOom);
  EXPECT_EQ(set.rows[1].stats.n, 0);
  EXPECT_EQ(set.unit, "ms");
}

}  // namespace
}  // namespace sweepd
