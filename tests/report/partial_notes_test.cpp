// Tests that steps measured before an attempt ended appear in the notes and count for nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

TEST(PartialNotes, StandBelowTheTableAndAreWarnings) {
  ResultsBuilder b;
  b.numbers("context", {"128", "4096"});
  b.samples({"128"}, {12.0, 12.0});
  b.ended({"4096"}, Outcome::kTimeout, "took longer than 30s").partial = {12, 50, false, 512.34};
  QuerySpec query = query_of({"context"}, {}, "{mean:.1f}");
  query.with = {"n", "outcome"};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[1][1].text, "timeout");
  EXPECT_FALSE(table->rows[1][1].number);
  EXPECT_EQ(table->rows[1][2].number.value_or(0), 0) << "no partial step is counted";
  EXPECT_EQ(table->rows[1][3].text, "timeout");
  EXPECT_THAT(
      table->notes,
      ElementsAre("mean of time, n = 2", "timeout: took longer than 30s",
                  "context 4096: 12 of 50 steps were measured before the timeout, mean 512.3 ms; "
                  "not shown as a figure"));
  EXPECT_EQ(table->warnings, 2U);
}

TEST(PartialNotes, DoNotEnterACellWithOtherAttempts) {
  ResultsBuilder b;
  b.numbers("context", {"128"});
  b.samples({"128"}, {12.0, 12.0});
  b.ended({"128"}, Outcome::kCrashed).partial = {1, 2, false, 500};
  const auto table = pivot(b.get(), query_of({"context"}, {}, "{mean:.1f}"));
  EXPECT_EQ(table->rows[0][1].number, 12);
  EXPECT_THAT(table->notes.back(),
              "context 128: 1 of 2 steps was measured before the crash, mean 500 ms; not shown as "
              "a figure");
}

// A row shows one attempt in the column of each phase, and the mean is of the whole step.
TEST(PartialNotes, AreSaidOfTheRowWhereSeveralCellsShowTheAttempt) {
  ResultsBuilder b;
  b.numbers("context", {"128", "4096"}).text("phase", {"forward", "step"});
  b.samples({"128", "forward"}, {1, 1});
  b.samples({"128", "step"}, {2, 2});
  b.ended({"4096", "*"}, Outcome::kTimeout).partial = {3, 9, false, 500};
  const auto table = pivot(b.get(), query_of({"context"}, {"phase"}, "{mean:.1f}"));
  EXPECT_THAT(
      table->notes.back(),
      "context 4096: 3 of 9 steps were measured before the timeout, mean 500 ms; not shown as a "
      "figure");
}

TEST(PartialNotes, OfManyAttemptsAreCounted) {
  ResultsBuilder b;
  b.numbers("context", {"1", "2", "3", "4", "5", "6", "7"});
  for (const char* context : {"1", "2", "3", "4", "5", "6", "7"}) {
    b.ended({context}, Outcome::kTimeout).partial = {3, 9, false, 500};
  }
  const auto table = pivot(b.get(), query_of({"context"}, {}));
  EXPECT_EQ(table->warnings, 6U);
  EXPECT_EQ(table->notes.back(),
            "2 more attempts measured some steps too; `sweepctl show` has them");
}

}  // namespace
}  // namespace sweepd
