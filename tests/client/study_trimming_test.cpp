// Tests how tables of a study become shorter: skipped attempts become a sentence, and the short
// form has the first rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/client/study/trimming.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

// A table of two figures a row, with the outcomes of their attempts.
DocumentTable table_of_outcomes(const std::string& title,
                                const std::vector<std::pair<std::string, std::string>>& outcomes) {
  DocumentTable table;
  table.table.title = title;
  table.table.columns.resize(3);
  table.details.emplace();
  for (const char* name : {"Size", "a", "a outcome", "b", "b outcome"}) {
    table.details->columns.push_back({name, "", Align::kLeft});
  }
  for (const auto& [a, b] : outcomes) {
    table.table.rows.push_back({{"s", {}}, {a, {}}, {b, {}}});
    table.details->rows.push_back({{"s", {}}, {a, {}}, {a, {}}, {b, {}}, {b, {}}});
  }
  return table;
}

TEST(StudyTrimming, ATableOfSkippedAttemptsIsASentence) {
  EXPECT_TRUE(is_skipped(table_of_outcomes("T", {{"skipped", ""}, {"skipped", "skipped"}})));
  EXPECT_FALSE(is_skipped(table_of_outcomes("T", {{"skipped", "skipped"}, {"done", "skipped"}})));
  EXPECT_FALSE(is_skipped(table_of_outcomes("T", {{"oom", "skipped"}})));
  EXPECT_FALSE(is_skipped(table_of_outcomes("T", {{"", ""}})));
  DocumentTable without = table_of_outcomes("T", {{"skipped", "skipped"}});
  without.details.reset();
  EXPECT_FALSE(is_skipped(without));
}

TEST(StudyTrimming, TheSentenceNamesTablesAndReasons) {
  EXPECT_EQ(without_remedy("no package; make it with `tools/aot_compile`"), "no package");
  EXPECT_EQ(without_remedy("needs a GPU"), "needs a GPU");
  EXPECT_EQ(skipped_in_words({"One", "Two"}, {"needs a GPU", "no package"}),
            "Skipped here (needs a GPU; no package): **One**, **Two**.");
  EXPECT_EQ(skipped_in_words({"Three"}, {}), "Skipped here: **Three**.");
}

TEST(StudyTrimming, TheAttemptsOfATableAreNamedOnce) {
  DocumentTable table;
  table.details.emplace();
  for (const char* name : {"Size", "a", "a attempt", "b attempt"}) {
    table.details->columns.push_back({name, "", Align::kLeft});
  }
  table.details->rows = {{{"s", {}}, {"1", {}}, {"01 02", {}}, {"", {}}},
                         {{"t", {}}, {"2", {}}, {"02", {}}, {"03", {}}}};
  EXPECT_THAT(attempts_behind(table), ElementsAre("01", "02", "03"));
  EXPECT_THAT(attempts_behind({}), ElementsAre());
}

TEST(StudyTrimming, TheShortFormHasTheFirstRowsAndTwoNotes) {
  DocumentTable table = table_of_outcomes("T", {{"1", "2"}, {"3", "4"}, {"5", "6"}});
  table.table.notes = {"a", "b", "c"};
  table.table.warnings = 3;
  cut_rows(table, 2);
  EXPECT_EQ(table.table.rows.size(), 2U);
  EXPECT_EQ(table.details->rows.size(), 2U);
  EXPECT_THAT(table.table.notes, ElementsAre("c", "2 of 3 rows; the long form has all"));
  DocumentTable small = table_of_outcomes("T", {{"1", "2"}});
  small.table.notes = {"a"};
  cut_rows(small, 2);
  EXPECT_THAT(small.table.notes, ElementsAre("a"));
}

}  // namespace
}  // namespace sweepd
