// Tests that a table can draw on several sets of results, and that published figures stay apart.
#include "runner/report/table/merge_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MergeSets, NumbersInTheOrderOfTheirSizeAndTextsInThatOfTheSets) {
  ResultsBuilder a, b;
  a.text("model", {"xl", "small"}).numbers("context", {"128", "1024"});
  b.numbers("context", {"256"}).text("model", {"small", "tiny"});
  a.samples({"xl", "1024"}, {3});
  b.samples({"256", "tiny"}, {5}).attempt = "other";
  const auto merged = merge_sets({a.get(), b.get()}, {"model", "context"});
  ASSERT_TRUE(merged);
  EXPECT_THAT(merged->dimensions[0].values, ElementsAre("xl", "small", "tiny"));
  EXPECT_THAT(merged->dimensions[1].values, ElementsAre("128", "256", "1024"));
  ASSERT_EQ(merged->rows.size(), 2U);
  EXPECT_THAT(merged->rows[0].at, ElementsAre(0, 2));
  EXPECT_THAT(merged->rows[1].at, ElementsAre(2, 1));
}

TEST(MergeSets, AnAttemptOfTwoSweepsCountsOnceUnlessTheTableTellsThemApart) {
  ResultsBuilder a, b;
  a.text("model", {"xl"});
  b.text("model", {"xl"});
  a.samples({"xl"}, {3});
  b.samples({"xl"}, {3});
  EXPECT_EQ(merge_sets({a.get(), b.get()}, {"model"})->rows.size(), 1U);
  a.samples({"xl"}, {4}).attempt = "attempt1";
  EXPECT_EQ(merge_sets({a.get(), b.get()}, {"model"})->rows.size(), 2U)
      << "two figures of one attempt stay two";
  ResultSet first = a.get(), second = b.get();
  add_dimension(first, "sweep", "a");
  add_dimension(second, "sweep", "b");
  const auto apart = merge_sets({first, second}, {"model", "sweep"});
  EXPECT_EQ(apart->rows.size(), 3U);
  EXPECT_THAT(apart->dimensions[1].values, ElementsAre("a", "b"));
}

TEST(MergeSets, WhatOneSourceKnowsIsKnown) {
  ResultSet a, b;
  a.unknown = {"metric `algbw`", "range `x`"};
  b.unknown = {"range `x`"};
  EXPECT_THAT(merge_sets({a, b}, {})->unknown, ElementsAre("range `x`"));
}

TEST(MergeSets, UnitsMustAgree) {
  const auto merged =
      merge_sets({ResultsBuilder("time", "ms").get(), ResultsBuilder("x", "B").get()}, {});
  ASSERT_FALSE(merged);
  EXPECT_THAT(merged.error().message, HasSubstr("in ms in one of the table's sources and in B"));
}

// Columns that only one workload has are empty for the other.
TEST(MergeSets, OneTableOfTwoWorkloads) {
  ResultsBuilder a, b;
  a.text("model", {"small"});
  b.text("model", {"small"}).text("strategy", {"naive", "flat"});
  a.summary({"small"}, 10, 5, 1);
  b.summary({"small", "naive"}, 10, 7, 1).attempt = "n";
  b.summary({"small", "flat"}, 10, 6, 1).attempt = "f";
  ResultSet one = a.get(), two = b.get();
  add_dimension(one, "sweep", "alone");
  add_dimension(one, "strategy", "");
  add_dimension(two, "sweep", "ddp");
  const auto merged = merge_sets({one, two}, {"sweep", "model", "strategy"});
  ASSERT_TRUE(merged);
  const auto table =
      pivot(*merged, query_of({"sweep", "model", "strategy"}, {}, "{mean:.1f}", "ms"));
  ASSERT_TRUE(table);
  EXPECT_THAT(to_markdown(*table), HasSubstr("| alone | small | —        |       5.0 |\n"
                                             "| ddp   | small | naive    |       7.0 |\n"
                                             "| ddp   | small | flat     |       6.0 |\n"));
}

}  // namespace
}  // namespace sweepd
