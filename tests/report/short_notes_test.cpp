// Tests that notes on many cells become one line, and that exact figures have none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

// Eight lines under two rows, on a shared machine.
TEST(ShortNotes, AllMarksAreOneLine) {
  ResultsBuilder b;
  b.numbers("context", {"1", "2"});
  for (const char* context : {"1", "2"}) {
    auto& row = b.samples({context}, {1, 1, 1, 1, 9});
    row.verdict = Verdict::kSuspect;
    row.note = std::string("load ") + context + "\nother processes used the cores\nthe clock fell";
    row.unsteady = {{"bimodal"}};
  }
  const auto notes = pivot(b.get(), query_of({"context"}, {}))->notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_EQ(
      notes[1],
      "‡ suspect in context 1 and context 2: load 1 (in 2 attempts; the numbers are of one of "
      "them); other processes used the cores (2 attempts); the clock fell (2 attempts); § in 2 of "
      "2 cells the steps are bimodal: they jump between two levels, and mean and median describe "
      "neither; in 2 of 2 cells the mean is more than a tenth above the median, by 160 % at most "
      "(context 1); slow steps move `{median}` less");
}

TEST(ShortNotes, MoreThanThreeReasonsAreCounted) {
  ResultsBuilder b;
  b.text("model", {"a", "b"});
  for (const char* model : {"a", "b"}) {
    auto& row = b.samples({model}, {1, 2});
    row.verdict = Verdict::kSuspect;
    row.note = "load\nclock\nthrottle\nmemory\nnetwork";
  }
  EXPECT_EQ(
      pivot(b.get(), query_of({"model"}, {}))->notes.back(),
      "‡ suspect in a and b: load (2 attempts); clock (2 attempts); throttle (2 attempts); and "
      "2 other reasons");
}

TEST(ShortNotes, ExactFiguresNeedNoNote) {
  for (const auto& [metric, unit] : {std::pair{"figure.parameters", "1"},
                                     {"fact.bytes", "B"},
                                     {"peak_allocated_bytes", "B"},
                                     {"kernel_calls", "1"}}) {
    ResultsBuilder b(metric, unit);
    b.text("model", {"small"});
    b.samples({"small"}, {7});
    EXPECT_THAT(pivot(b.get(), query_of({"model"}, {}, "{mean:.0f}"))->notes, testing::IsEmpty())
        << metric;
    b.samples({"small"}, {9});
    EXPECT_THAT(pivot(b.get(), query_of({"model"}, {}, "{mean:.0f}"))->notes,
                Contains(HasSubstr("n = 2")))
        << metric << ": a mean of two";
  }
}

TEST(ShortNotes, AMarkIsOfAFigureNotOfADashOrACount) {
  ResultsBuilder b;
  b.text("model", {"small"});
  auto& row = b.samples({"small"}, {1, 2});
  row.verdict = Verdict::kSuspect;
  row.times_only = true;
  row.note = "others were busy";
  QuerySpec query = query_of({"model"}, {});
  query.table.values = {value_of("Instances", "{n}"), value_of("Time", "{mean:.1f}"),
                        value_of("MFU", "{mfu:.1%}")};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0][1].text, "2");
  EXPECT_EQ(table->rows[0][2].text, "1.5‡");
  EXPECT_EQ(table->rows[0][3].text, "—");
  ResultSet lost_lines = b.get();
  lost_lines.rows[0].times_only = false;
  EXPECT_EQ(pivot(lost_lines, query)->rows[0][1].text, "2‡") << "the count itself is in doubt";
}

TEST(ShortNotes, WhatIsPendingIsCounted) {
  ResultsBuilder b;
  b.text("model", {"small", "large"}).text("phase", {"forward", "backward"});
  b.samples({"small", "forward"}, {1, 2});
  b.pending({"large", "*"});
  const auto table = pivot(b.get(), query_of({"model"}, {"phase"}));
  EXPECT_EQ(table->rows[1][1].text, "…");
  EXPECT_THAT(table->notes, Contains("…: not measured yet (1 attempt pending)"));
  b.samples({"large", "forward"}, {1, 2});
  b.samples({"large", "backward"}, {1, 2});
  EXPECT_THAT(pivot(b.get(), query_of({"model"}, {"phase"}))->notes,
              testing::Not(Contains(HasSubstr("not measured yet"))));
}

TEST(ShortNotes, FiguresOfSomeColumnsAreNamed) {
  ResultsBuilder times, facts("fact.profile.step_ms", "ms"), ranges("range_time.a.soft_max", "ms");
  for (ResultsBuilder* b : {&times, &facts, &ranges}) b->text("model", {"small"});
  times.samples({"small"}, {1, 2, 3, 4, 5});
  facts.samples({"small"}, {7});
  ranges.samples({"small"}, {7, 8});
  QuerySpec query = query_of({"model"}, {});
  query.table.values = {value_of("Step", "{median:.1f}", "", "time"),
                        value_of("Profiled", "{mean:.1f}", "", "fact.profile.step_ms")};
  EXPECT_THAT(pivot({times.get(), facts.get()}, query)->notes,
              Contains("Step: median of time, n = 5"));
  query.table.values = {value_of("Softmax", "{mean:.1f}", "", "range_time.a.soft_max")};
  EXPECT_THAT(pivot({ranges.get()}, query)->notes,
              Contains("mean of time in the range a.soft_max, n = 2"));
}

}  // namespace
}  // namespace sweepd
