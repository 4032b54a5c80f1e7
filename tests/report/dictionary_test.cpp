#include "runner/report/table/merge_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/report/results_builder.h"

namespace sweepd::report {
namespace {

using ::testing::ElementsAre;

TEST(Dictionary, OneNumberingForAllAndTheOrderKept) {
  ResultsBuilder a, b, c;
  a.text("model", {"small", "xl"}).text("phase", {"step"});
  b.text("phase", {"forward"}).text("model", {"medium", "xl", "2.7B"});
  c.text("other", {"x"});
  a.row({"xl", "step"});
  b.row({"forward", "2.7B"});
  b.row({"forward", "*"});
  c.row({"x"});
  std::vector<ResultSet> sets{a.get(), b.get(), c.get()};
  share_dictionaries(sets, {"model"});
  EXPECT_THAT(sets[0].dimensions[0].values, ElementsAre("medium", "small", "xl", "2.7B"));
  EXPECT_EQ(sets[1].dimensions[1].values, sets[0].dimensions[0].values);
  EXPECT_EQ(sets[0].rows[0].at[0], 2U);
  EXPECT_EQ(sets[1].rows[0].at[1], 3U);
  EXPECT_EQ(sets[1].rows[1].at[1], kEveryValue);
  EXPECT_THAT(sets[1].dimensions[0].values, ElementsAre("forward")) << "not asked for";
  EXPECT_THAT(sets[2].dimensions[0].values, ElementsAre("x"));
}

// A table gets the texts of all rows from its first value, even if that value's filter met nothing.
TEST(Dictionary, ASetThatMetNothingKnowsWhatTheOthersMet) {
  ResultsBuilder none, some;
  none.text("model", {});
  some.text("model", {"small"});
  some.row({"small"});
  std::vector<ResultSet> sets{none.get(), some.get(), none.get()};
  share_dictionaries(sets, {"model"});
  for (const ResultSet& set : sets) EXPECT_THAT(set.dimensions[0].values, ElementsAre("small"));
}

}  // namespace
}  // namespace sweepd::report
