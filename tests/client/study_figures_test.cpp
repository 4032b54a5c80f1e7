// Tests what a figure in prose asks for, and that it is missing for a reason that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/client/study/figures.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StudyFigure speed() {
  return {.line = 3,
          .column = 7,
          .sweep = "precision",
          .cell = "{speedup:.2f}",
          .metric = "",
          .unit = "",
          .where = {"model=small", "precision=bf16"},
          .baseline = {"precision=fp32"}};
}

// The row of a query's table: names, figure, n, verdict, outcome.
Table answer(const std::string& text, double n, const std::string& verdict,
             const std::string& outcome) {
  Table table;
  table.columns.resize(6);
  table.rows = {{{"small", {}}, {"bf16", {}}, {text, {}}, {"", n}, {verdict, {}}, {outcome, {}}}};
  return table;
}

std::string missing(const Result<Table>& table, const StudyFigure& figure = speed()) {
  const auto text = text_of_figure(figure, table);
  EXPECT_FALSE(text);
  return text ? "" : text.error().message;
}

TEST(StudyFigures, TheQueryHasOneRowForEachFilter) {
  const auto query = query_of(speed(), "0123");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->sweep, "0123");
  EXPECT_THAT(query->table.rows, ElementsAre("model", "precision"));
  EXPECT_EQ(query->table.where[1].values, std::vector<std::string>{"bf16"});
  EXPECT_EQ(query->table.baseline[0].name, "precision");
  EXPECT_EQ(query->table.cell, "{speedup:.2f}");
  StudyFigure all;
  EXPECT_THAT(query_of(all, "1")->table.rows, ElementsAre("outcome"));
}

TEST(StudyFigures, AreTheTextOfTheCellWithItsMark) {
  EXPECT_EQ(*text_of_figure(speed(), answer("1.23", 10, "valid", "done")), "1.23");
  EXPECT_EQ(*text_of_figure(speed(), answer("1.23‡", 10, "suspect", "done")), "1.23‡");
}

TEST(StudyFigures, SayWhatIsMissing) {
  EXPECT_EQ(missing(answer("OOM", 0, "", "oom")),
            "no figure for `{speedup:.2f}` of sweep `precision` at model=small precision=bf16 "
            "baseline.precision=fp32: the attempt is oom");
  EXPECT_THAT(missing(answer("…", 0, "", "pending")), HasSubstr("the attempt is pending"));
  EXPECT_THAT(missing(answer("", 0, "", "done")), HasSubstr("measured no such thing"));
  EXPECT_THAT(missing(answer("—", 10, "valid", "done")), HasSubstr("the cell is empty"));
  EXPECT_THAT(missing(answer("1.23†", 10, "invalid", "done")), HasSubstr("the figure is invalid"));
  EXPECT_THAT(missing(Table{}), HasSubstr("the sweep has no such point"));
  EXPECT_THAT(missing(Error{ErrorCode::kNotFound, "no sweep `x`"}), HasSubstr(": no sweep `x`"));
}

TEST(StudyFigures, NeverPoolPoints) {
  EXPECT_THAT(missing(Error{ErrorCode::kInvalidArgument,
                            "these cells would pool context (64, 128): add --columns context or "
                            "--where context=64, or say --pool context"}),
              HasSubstr("these cells would pool context (64, 128)"));
  Table two = answer("1.23", 10, "valid", "done");
  two.rows.push_back(two.rows.front());
  EXPECT_THAT(missing(two), HasSubstr("it has 2 results"));
}

TEST(StudyFigures, WordsAreAnswersToo) {
  StudyFigure outcome = speed();
  outcome.cell = "{outcome}";
  EXPECT_EQ(*text_of_figure(outcome, answer("OOM", 0, "", "oom")), "OOM");
  outcome.cell = "{text}";
  EXPECT_EQ(*text_of_figure(outcome, answer("torch.float32", 0, "", "done")), "torch.float32");
  EXPECT_THAT(missing(answer("OOM", 0, "", "oom"), outcome), HasSubstr("the attempt is oom"));
}

}  // namespace
}  // namespace sweepd
