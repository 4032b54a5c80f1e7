// Tests cells that are compared with a baseline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using TableValue = TableSpec::Value;
using Filters = std::vector<TableSpec::Filter>;

TableValue value(std::string name, std::string cell, Filters where = {}, Bold bold = Bold::kNone) {
  return {std::move(name), std::move(cell), "", "", std::move(where), {}, bold};
}

// Returns the cells of the last column, top to bottom.
std::vector<std::string> last_column(const Table& table) {
  std::vector<std::string> cells;
  for (const auto& row : table.rows) cells.push_back(row.back().text);
  return cells;
}

// Sixty steps about `level`, which is their mean.
std::vector<double> steps_about(double level) {
  std::vector<double> steps;
  for (int i = 0; i < 60; ++i) steps.push_back(level * (1 + 0.001 * (i * 7 % 5 - 2)));
  return steps;
}

// small does not get faster with bf16, large does, xl fits only in bf16.
ResultSet precisions(const std::vector<std::string>& which) {
  ResultsBuilder b;
  b.text("size", {"small", "large", "xl"}).text("precision", {"fp32", "bf16"});
  for (const std::string& precision : which) {
    if (precision == "fp32") {
      b.samples({"small", "fp32"}, steps_about(40)).attempt += precision;
      b.samples({"large", "fp32"}, steps_about(160)).attempt += precision;
      b.ended({"xl", "fp32"}, Outcome::kOom, "asked for 1.50 GiB");
    } else {
      b.samples({"small", "bf16"}, steps_about(44)).attempt += precision;
      b.samples({"large", "bf16"}, steps_about(80)).attempt += precision;
      b.samples({"xl", "bf16"}, steps_about(130)).attempt += precision;
    }
  }
  return b.get();
}

// 004: fp32 | bf16 | difference | % change, with the change in bold. Compared by filters, not by
// columns.
TEST(Baseline, PrecisionsWithDifferenceAndPercent) {
  QuerySpec query = query_of({"size"}, {});
  query.table.where = {{"precision", {"bf16"}}};
  query.table.baseline = {{"precision", {"fp32"}}};
  query.table.values = {value("fp32", "{mean:.1f}", {{"precision", {"fp32"}}}),
                        value("bf16", "{mean:.1f}"), value("diff", "{difference:+.1f}"),
                        value("change", "{change:+.1%}", {}, Bold::kChanged)};
  EXPECT_EQ(markdown({precisions({"fp32"}), precisions({"bf16"})}, query),
            R"(| size  | fp32 (ms) | bf16 (ms) | diff (ms) |     change |
| ----- | --------: | --------: | --------: | ---------: |
| small |      40.0 |      44.0 |      +4.0 | **+10.0%** |
| large |     160.0 |      80.0 |     -80.0 | **-50.0%** |
| xl    |       OOM |     130.0 |         — |        —   |

- figures of time, n = 60; compared with precision fp32 by the means
- bold: `sweepctl compare` finds it faster or slower than the baseline, by the attempts' medians, corrected for 2 cells (Benjamini and Hochberg)
- 2 comparisons rest on one process a side: the difference may be one between these two processes; `repeats: 5` settles it
- column fp32: precision fp32; columns bf16, diff and change: precision bf16
- OOM: asked for 1.50 GiB
)");
}

// 003: Version | size | ... | speedup, with the baseline among the rows.
TEST(Baseline, AmongTheRows) {
  QuerySpec query =
      query_of({"precision", "size"}, {}, "{mean:.0f} ({speedup:.2f}x, {change:+.0%})");
  query.table.baseline = {{"precision", {"fp32"}}};
  const auto table = pivot({precisions({"fp32", "bf16"}), precisions({"fp32"})}, query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(last_column(*table),
              ElementsAre("40 (1.00x, —)", "160 (1.00x, —)", "OOM", "44 (0.91x, +10%)",
                          "80 (2.00x, -50%)", "130 (—x, —)"));
}

TEST(Baseline, AmongTheColumns) {
  QuerySpec query = query_of({"size"}, {"precision"});
  query.table.baseline = {{"precision", {"fp32"}}};
  query.table.values = {value("", "{mean:.0f}"), value("ratio", "{ratio:.2f}"),
                        value("of", "{baseline:.0f}")};
  const auto table = pivot({precisions({"fp32", "bf16"}), precisions({"fp32"})}, query);
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> names;
  for (const Column& column : table->columns) names.push_back(column.name + ":" + column.unit);
  EXPECT_THAT(
      names, ElementsAre("size:", "fp32:ms", "fp32 of:ms", "bf16:ms", "bf16 ratio:1", "bf16 of:ms"))
      << "a column of the baseline's ratio to itself says nothing";
  EXPECT_EQ(table->rows[1][4].text, "0.50");
  EXPECT_EQ(table->rows[1][4].number, 0.5);
  EXPECT_EQ(table->rows[2][4].text, "—");
  EXPECT_EQ(table->rows[2][4].number, std::nullopt);
}

TEST(Baseline, ItsOwnCellHasRatioOneAndNoChange) {
  for (const auto& [cell, shown] : {std::pair{"{ratio:.2f}", "1.00"},
                                    {"{speedup:.2f}", "1.00"},
                                    {"{change:.2f}", "—"},
                                    {"{difference:.2f}", "—"},
                                    {"{baseline:.0f}", "40"}}) {
    QuerySpec query = query_of({"precision", "size"}, {}, cell);
    query.table.baseline = {{"precision", {"fp32"}}};
    const auto table = pivot({precisions({"fp32", "bf16"}), precisions({"fp32"})}, query);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0][2].text, shown) << cell;
  }
}

TEST(Baseline, WithoutResultsNothingIsCompared) {
  ResultsBuilder none;
  none.text("size", {}).text("precision", {});
  QuerySpec query = query_of({"size"}, {"precision"}, "{mean:.0f} {change:+.0%}");
  query.table.baseline = {{"precision", {"tf32"}}};
  const auto table = pivot({precisions({"bf16"}), none.get()}, query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(last_column(*table), ElementsAre("44 —", "80 —", "130 —"));
  EXPECT_THAT(table->notes, Contains(HasSubstr("no results with precision tf32 to compare with")));
}

TEST(Baseline, AnInvalidOneIsNoneAndItsReasonIsSaid) {
  ResultsBuilder shown, baseline;
  for (ResultsBuilder* b : {&shown, &baseline}) b->text("size", {"small", "large"});
  shown.samples({"small"}, {10});
  shown.samples({"large"}, {10});
  ResultRow& impossible = baseline.samples({"small"}, {1});
  impossible.verdict = Verdict::kInvalid;
  impossible.note = "190 % of the peak";
  ResultRow& loaded = baseline.samples({"large"}, {20});
  loaded.verdict = Verdict::kSuspect;
  QuerySpec query = query_of({"size"}, {}, "{speedup:.1f}");
  query.table.where = {{"precision", {"bf16"}}};
  query.table.baseline = {{"precision", {"fp32"}}};
  const auto table = pivot({shown.get(), baseline.get()}, query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(last_column(*table), ElementsAre("—", "2.0‡"));
  EXPECT_THAT(table->notes, Contains("† invalid: 190 % of the peak"));
}

// One attempt for each level; within an attempt the steps are nearly equal.
TEST(Baseline, BoldIsWhatCompareCallsFasterOrSlower) {
  const std::vector<double> slower{43.9, 44, 44.1}, faster{35.9, 36, 36.1};
  const struct {
    std::vector<double> levels;
    Bold bold;
    bool stands_out;
  } cases[] = {
      {slower, Bold::kChanged, true},        {slower, Bold::kSlower, true},
      {slower, Bold::kFaster, false},        {faster, Bold::kChanged, true},
      {faster, Bold::kFaster, true},         {faster, Bold::kSlower, false},
      {faster, Bold::kNone, false},          {{40.3, 40.4, 40.5}, Bold::kChanged, false},
      {{36, 44, 48}, Bold::kChanged, false},
  };
  for (const auto& c : cases) {
    ResultsBuilder shown, baseline;
    shown.text("size", {"small"});
    for (const double level : c.levels) {
      shown.samples({"small"}, {level, level * 1.0001, level}).attempt += "b";
    }
    baseline.text("size", {"small"});
    for (const double level : {39.9, 40.0, 40.1}) {
      baseline.samples({"small"}, {level, level * 1.0001, level});
    }
    QuerySpec query = query_of({"size"}, {}, "{change:+.1%}");
    query.table.where = {{"precision", {"bf16"}}};
    query.table.baseline = {{"precision", {"fp32"}}};
    query.table.bold = c.bold;
    const auto table = pivot({shown.get(), baseline.get()}, query);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0][1].bold, c.stands_out) << c.levels[1] << " " << name_of(c.bold);
  }
}

TEST(Baseline, ABoldCellStandsOutInEveryFormat) {
  Table table;
  table.columns = {{"size", "", Align::kLeft}, {"change", "1", Align::kRight}};
  table.rows = {{{"small", {}}, {"+9.1%", 0.091, true}}, {{"large", {}}, {"-0.2%", -0.002}}};
  EXPECT_EQ(to_markdown(table), R"(| size  |    change |
| ----- | --------: |
| small | **+9.1%** |
| large |   -0.2%   |
)");
  EXPECT_EQ(to_text(table, 0), R"(size    change
─────  ───────
small  *+9.1%*
large   -0.2%
)");
  EXPECT_EQ(to_csv(table), "size,change\r\nsmall,0.091\r\nlarge,-0.002\r\n");
}

TEST(Baseline, AComparisonNeedsOne) {
  TableSpec table;
  table.values = {value("Gain", "{speedup:.2f}")};
  const auto valid = validate(table, {"precision"});
  ASSERT_FALSE(valid);
  EXPECT_THAT(
      valid.error().message,
      HasSubstr("value `Gain`: cell: `{speedup:.2f}` compares, but the table has no baseline"));
  table.baseline = {{"presicion", {"fp32"}}};
  EXPECT_THAT(validate(table, {"precision"}).error().message,
              HasSubstr("baseline: there is no column `presicion` (did you mean `precision`?)"));
  table.baseline = {{"precision", {"fp32"}}};
  EXPECT_TRUE(validate(table, {"precision"}));
}

// 003-12: the averages of its 20 speed-ups are below the table. Neither the baseline's own rows nor
// invalid ones count, and a single row has no average.
TEST(Baseline, AverageAndLargestSpeedUp) {
  ResultsBuilder b;
  b.numbers("sequence", {"256", "512", "1024"}).text("compile", {"eager", "graph", "inductor"});
  for (const char* sequence : {"256", "512", "1024"}) b.summary({sequence, "eager"}, 9, 40, 1);
  b.summary({"256", "graph"}, 9, 10, 1);
  b.summary({"512", "graph"}, 9, 20, 1);
  b.summary({"1024", "graph"}, 9, 1e-3, 1).verdict = Verdict::kInvalid;
  b.summary({"256", "inductor"}, 9, 10, 1);
  b.ended({"512", "inductor"}, Outcome::kSkipped, "no package");
  QuerySpec query = query_of({"sequence"}, {"compile"}, "{speedup:.1f}");
  query.table.baseline = {{"compile", {"eager"}}};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->notes, Contains("geometric mean of the speed-ups: graph 2.8 over 2 rows, "
                                     "largest 4.0 (sequence 256)"));
  query.table.columns.clear();
  query.table.rows = {"sequence", "compile"};  // the baseline's own are among the rows
  EXPECT_THAT(pivot(b.get(), query)->notes,
              Contains("geometric mean of the speed-ups: 3.2 over 3 rows, largest 4.0 (sequence "
                       "256, compile graph)"));
}

// The baseline has more names than the table shows, so only its figures tell that a row is its own.
TEST(Baseline, ItsOwnRowIsKnownByItsFigures) {
  ResultsBuilder shown, baseline;
  for (ResultsBuilder* b : {&shown, &baseline}) b->text("attention", {"naive", "flash", "sdpa"});
  for (ResultsBuilder* b : {&shown, &baseline}) b->samples({"naive"}, steps_about(40));
  shown.samples({"flash"}, steps_about(20));
  shown.samples({"sdpa"}, steps_about(5));
  QuerySpec query = query_of({"attention"}, {}, "{speedup:.1f} {change:+.0%}");
  query.table.baseline = {{"attention", {"naive"}}, {"fused", {"off"}}};
  query.table.bold = Bold::kChanged;
  const auto table = pivot({shown.get(), baseline.get()}, query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0].back().text, "1.0 —");
  EXPECT_THAT(table->notes, Contains("geometric mean of the speed-ups: 4.0 over 2 rows, largest "
                                     "8.0 (sdpa)"));
  ResultsBuilder other;  // the same level in another attempt is no baseline
  other.text("attention", {"naive", "flash", "sdpa"});
  other.samples({"naive"}, steps_about(40)).attempt = "other";
  const auto apart = pivot({shown.get(), other.get()}, query);
  ASSERT_TRUE(apart) << apart.error().message;
  EXPECT_EQ(apart->rows[0].back().text, "1.0 0%");
}

}  // namespace
}  // namespace sweepd
