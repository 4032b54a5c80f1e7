// Tests which notes stand below a table by default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

Table with_notes(std::vector<std::string> notes, std::size_t warnings) {
  Table table;
  table.notes = std::move(notes);
  table.warnings = warnings;
  return table;
}

TEST(FewNotes, ThreeStay) {
  const Table table = with_few_notes(with_notes({"a", "b", "‡ c"}, 1), "`--notes all`");
  EXPECT_THAT(table.notes, ElementsAre("a", "b", "‡ c"));
  EXPECT_EQ(table.warnings, 1U);
}

TEST(FewNotes, MarksKeepTheirMeaningThenWhatTheFiguresAreThenWarnings) {
  const Table table = with_few_notes(
      with_notes({"mean of time", "bold: faster", "only pass = timing", "pooled: 1 cell",
                  "small: 2 of 3 attempts done", "‡ suspect: throttled"},
                 3),
      "`--notes all`");
  EXPECT_THAT(table.notes, ElementsAre("mean of time", "pooled: 1 cell",
                                       "‡ suspect: throttled (3 more notes: `--notes all`)"));
  EXPECT_EQ(table.warnings, 2U);
}

TEST(FewNotes, EveryMarkIsOne) {
  for (const char* mark : {"† invalid", "‡ suspect", "§ the steps", "? not judged", "ci95: half"}) {
    const Table table = with_few_notes(with_notes({"a", "b", "c", "d", mark}, 1), "below");
    EXPECT_EQ(table.notes.back(), std::string(mark) + " (2 more notes: below)");
  }
}

}  // namespace
}  // namespace sweepd
