// Tests the query of a figure in prose, and the reason if the figure is missing.
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
          .name = "",
          .sweep = "precision",
          .cell = "{speedup:.2f}",
          .metric = "",
          .unit = "",
          .where = {"model=small", "precision=bf16"},
          .baseline = {"precision=fp32"},
          .top = "",
          .by = ""};
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
  const auto found = find_figure(figure, table);
  EXPECT_FALSE(found);
  return found ? "" : found.error().message;
}

std::string text_of(const StudyFigure& figure, const Table& table) {
  const auto found = find_figure(figure, table);
  EXPECT_TRUE(found);
  return found ? found->text : "";
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
  EXPECT_EQ(text_of(speed(), answer("1.23", 10, "valid", "done")), "1.23");
  EXPECT_EQ(text_of(speed(), answer("1.23‡", 10, "suspect", "done")), "1.23‡");
}

TEST(StudyFigures, HaveANumberAndAreSuspectOrNot) {
  Table table = answer("1.23", 10, "valid", "done");
  EXPECT_FALSE(find_figure(speed(), table)->suspect);
  table.rows[0][2].number = 1.2345;
  EXPECT_EQ(find_figure(speed(), table)->number, 1.2345);
  EXPECT_TRUE(find_figure(speed(), answer("1.23‡", 10, "suspect", "done"))->suspect);
  EXPECT_EQ(find_figure(speed(), answer("1.23‡", 10, "suspect", "done"))->number, std::nullopt);
  EXPECT_EQ(find_figure(speed(), answer("10.0001", 1, "valid", "done"))->number, 10.0001)
      << "a fact that is text";
}

TEST(StudyFigures, SayWhatIsMissing) {
  EXPECT_EQ(no_figure(speed(), missing(answer("OOM", 0, "", "oom"))),
            "no figure for `{speedup:.2f}` of sweep `precision` at model=small precision=bf16 "
            "baseline.precision=fp32: the attempt is oom");
  EXPECT_EQ(missing(answer("…", 0, "", "pending")), "not measured yet");
  const Error no_fact{ErrorCode::kInvalidArgument,
                      "metric: results of `a` have no `b`; there are c"};
  EXPECT_EQ(find_figure(speed(), no_fact).error().message, "nothing of the kind was measured");
  Table skipped = answer("skipped", 0, "", "skipped");
  EXPECT_EQ(missing(skipped), "the attempt is skipped");
  skipped.notes = {"n = 1", "skipped: needs a CUDA device"};
  EXPECT_EQ(missing(skipped), "needs a CUDA device");
  skipped.notes = {"skipped: no package of this step … (`sweepctl show` has the rest)"};
  EXPECT_EQ(missing(skipped), "no package of this step");
  EXPECT_THAT(missing(answer("", 0, "", "done")), HasSubstr("measured no such thing"));
  EXPECT_THAT(missing(answer("—", 10, "valid", "done")), HasSubstr("the cell is empty"));
  EXPECT_THAT(missing(answer("1.23†", 10, "invalid", "done")), HasSubstr("the figure is invalid"));
  EXPECT_THAT(missing(Table{}), HasSubstr("the sweep has no such point"));
  EXPECT_THAT(missing(Error{ErrorCode::kNotFound, "no sweep `x`"}), HasSubstr("no sweep `x`"));
}

TEST(StudyFigures, OfTheLargestOfSeveralPoints) {
  StudyFigure kernel = speed();
  kernel.where = {"model=small"};
  kernel.metric = "kernel_calls";
  kernel.cell = "`{top}`";
  kernel.top = "kernel";
  kernel.by = "kernel_time";
  const auto query = query_of(kernel, "0123");
  EXPECT_THAT(query->table.rows, ElementsAre("model", "kernel"));
  EXPECT_EQ(query->table.limit, 1);
  EXPECT_EQ(query->table.values.at(0).cell, "`{mean}`");
  EXPECT_EQ(query->table.values.at(1).metric, "kernel_time");
  Table table;
  table.columns.resize(10);
  table.rows = {{{"small", {}},
                 {"gemm<float>", {}},
                 {"`12`", 12.0},
                 {"", 1.0},
                 {"valid", {}},
                 {"done", {}},
                 {"3.4", 3.4},
                 {"", 1.0},
                 {"valid", {}},
                 {"done", {}}}};
  EXPECT_EQ(text_of(kernel, table), "`gemm<float>`");
  kernel.cell = "{mean:.0f}";
  EXPECT_EQ(text_of(kernel, table), "`12`");
}

TEST(StudyFigures, NeverPoolPoints) {
  EXPECT_THAT(missing(Error{ErrorCode::kInvalidArgument,
                            "these cells would pool context (64, 128): add --columns context or "
                            "--where context=64, or say --pool context"}),
              HasSubstr("these cells would pool context (64, 128)"));
  Table two = answer("1.23", 10, "valid", "done");
  two.rows.push_back(two.rows.front());
  EXPECT_THAT(missing(two), HasSubstr("it has 2 results"));
  EXPECT_EQ(find_figure(speed(), two).error().code, ErrorCode::kInvalidArgument);
}

TEST(StudyFigures, WordsAreAnswersToo) {
  StudyFigure outcome = speed();
  outcome.cell = "{outcome}";
  EXPECT_EQ(text_of(outcome, answer("OOM", 0, "", "oom")), "OOM");
  outcome.cell = "{text}";
  EXPECT_EQ(text_of(outcome, answer("torch.float32", 0, "", "done")), "torch.float32");
  EXPECT_THAT(missing(answer("OOM", 0, "", "oom"), outcome), HasSubstr("the attempt is oom"));
}

// The row of the query for a spread: names, then mean, std and interval with an n each.
Table spread(double mean, double n, std::optional<double> std, std::optional<double> ci95) {
  Table table;
  table.columns.resize(8);
  table.rows = {
      {{"small", {}}, {"bf16", {}}, {"", mean}, {"", n}, {"", std}, {"", n}, {"", ci95}, {"", n}}};
  return table;
}

std::optional<double> spread_with(const std::string& cell, const Table& table,
                                  const std::string& metric = "") {
  StudyFigure figure = speed();
  figure.cell = cell;
  figure.metric = metric;
  return spread_of(figure, table);
}

TEST(StudyFigures, AreAsFarOffAsAttemptsOrStepsDiffer) {
  using testing::DoubleNear;
  using testing::Optional;
  EXPECT_THAT(spread_with("{mean:.1f}", spread(10, 30, 2, 0.5)), Optional(DoubleNear(0.05, 1e-9)));
  // Student's t for 3 degrees of freedom is 3.182.
  EXPECT_THAT(spread_with("{mean:.1f}", spread(10, 4, 2, {})), Optional(DoubleNear(0.318, 0.001)));
  EXPECT_THAT(spread_with("{tflops:.1f}", spread(10, 4, 2, {})),
              Optional(DoubleNear(0.318, 0.001)));
  EXPECT_THAT(spread_with("{std:.1f}", spread(10, 51, 2, 0.5)),
              Optional(DoubleNear(2.009 / 10, 0.001)));
  EXPECT_EQ(spread_with("{mean}", spread(10, 1, {}, {})), std::nullopt) << "a time taken once";
  EXPECT_EQ(spread_with("{mean}", spread(10, 1, {}, {}), "start_time"), std::nullopt);
  EXPECT_EQ(spread_with("{mean}", spread(10, 1, {}, {}), "figure.parameters"), 0);
  EXPECT_EQ(spread_with("{mean}", spread(10, 5, 0, {})), 0);
  EXPECT_EQ(spread_with("{max}", spread(10, 5, 2, {})), 0);
  EXPECT_EQ(spread_with("{text}", spread(10, 1, {}, {}), "fact.result"), 0);
  EXPECT_EQ(spread_with("{mean}", Table{}), std::nullopt);
  StudyFigure word = speed();
  word.cell = "{text}";
  const Error no_mean{ErrorCode::kInvalidArgument, "a text has no mean"};
  EXPECT_EQ(spread_of(word, no_mean), 0) << "which a query for its mean refuses";
  EXPECT_EQ(spread_of(speed(), no_mean), std::nullopt);
}

TEST(StudyFigures, TheSpreadIsThatOfTheSamePoint) {
  const auto query = spread_query_of(speed(), "0123");
  ASSERT_TRUE(query);
  EXPECT_THAT(query->table.rows, ElementsAre("model", "precision"));
  EXPECT_TRUE(query->table.baseline.empty());
  ASSERT_EQ(query->table.values.size(), 3U);
  EXPECT_EQ(query->table.values[2].cell, "{ci95}");
}

}  // namespace
}  // namespace sweepd
