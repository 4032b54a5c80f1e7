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
      "‡ suspect in 1 and 2: load 1 (2 attempts, with other numbers); other processes used the "
      "cores (2 attempts); the clock fell (2 attempts); § in 2 of 2 cells the steps are bimodal: "
      "they jump between two levels, and mean and median "
      "describe neither; in 2 of 2 cells a few slow steps raise the mean by more than a tenth "
      "above the median, by 160 % at most (1); `{median}` shows the usual step");
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

}  // namespace
}  // namespace sweepd
