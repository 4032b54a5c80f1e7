// Tests bold cells: the best of a row or column, and rules that fit no cell.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

ResultSet ways() {
  ResultsBuilder b;
  b.text("size", {"small", "large", "xl"}).text("way", {"naive", "flash", "fused"});
  b.summary({"small", "naive"}, 10, 12.0, 1.0);
  b.summary({"small", "flash"}, 10, 10.0, 1.0);
  b.summary({"small", "fused"}, 10, 10.0, 1.0);
  b.summary({"large", "naive"}, 10, 80.0, 1.0);
  b.summary({"large", "flash"}, 10, 90.0, 1.0);
  b.summary({"large", "fused"}, 10, 1.0, 1.0).verdict = Verdict::kInvalid;
  b.summary({"xl", "naive"}, 10, 300.0, 1.0);
  b.ended({"xl", "flash"}, Outcome::kOom);
  b.ended({"xl", "fused"}, Outcome::kOom);
  return b.get();
}

QuerySpec with(Bold bold, std::string cell = "{mean:.0f} ± {std:.0f}") {
  QuerySpec query = query_of({"size"}, {"way"}, std::move(cell));
  query.table.bold = bold;
  return query;
}

// Equal figures are all bold, an invalid one never is, and one alone is no choice.
TEST(BestCells, OfEachRow) {
  const auto table = pivot(ways(), with(Bold::kBestInRow));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(to_markdown(*table),
            R"(| size  | naive (ms) | flash (ms) |  fused (ms) |
| ----- | ---------: | ---------: | ----------: |
| small |   12 ± 1   | **10 ± 1** | **10 ± 1**  |
| large | **80 ± 1** |   90 ± 1   |    1 ± 1†   |
| xl    |  300 ± 1   |      OOM   |      OOM    |

- mean ± std of time, n = 10
- bold: the smallest mean in each row
- † invalid
)");
}

TEST(BestCells, OfEachColumnInEveryFormat) {
  QuerySpec query = query_of({"size"}, {}, "{mean:.0f}");
  query.table.bold = Bold::kBestInColumn;
  ResultsBuilder b("algbw", "GB/s");
  b.text("size", {"small", "large"});
  b.summary({"small"}, 1, 12.0, 0);
  b.summary({"large"}, 1, 20.0, 0);
  query.table.metric = "algbw";
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(to_text(*table, 0), R"(size   algbw (GB/s)
─────  ────────────
small           12
large          *20*

mean of algbw, n = 1
bold: the largest mean in each column
)");
  EXPECT_EQ(to_csv(*table), "size,algbw (GB/s)\r\nsmall,12\r\nlarge,20\r\n");
  EXPECT_THAT(to_json_text(*table), HasSubstr(R"(["large", 20])"));
}

TEST(BestCells, BetterIsShortOrLittleOrFastOrWhatIsSaid) {
  const struct {
    Bold bold;
    const char* cell;
    const char* metric;
    const char* note;
  } cases[] = {
      {Bold::kBestInRow, "{median:.0f}", "time", "the smallest median in each row"},
      {Bold::kBestInRow, "", "time", "the smallest mean in each row"},
      {Bold::kBestInColumn, "{max}", "peak_allocated_bytes", "the smallest max in each column"},
      {Bold::kBestInColumn, "{mean}", "loss", "the smallest mean in each column"},
      {Bold::kBestInColumn, "{mean}", "busbw", "the largest mean in each column"},
      {Bold::kBestInRow, "{tokens_per_s}", "time", "the largest tokens/s in each row"},
      {Bold::kBestInRow, "{speedup:.1f}", "time", "the largest speed-up in each row"},
      {Bold::kBestInRow, "{speedup:.1f}", "algbw", "the smallest speed-up in each row"},
      {Bold::kBestInRow, "{change:.1f}", "time", "the smallest change in each row"},
      {Bold::kLargestInRow, "{mean}", "time", "the largest mean in each row"},
      {Bold::kSmallestInRow, "{mean}", "figure.parameters", "the smallest mean in each row"},
      {Bold::kLargestInColumn, "{n}", "time", "the largest n in each column"},
      {Bold::kSmallestInColumn, "{std}", "time", "the smallest std in each column"},
  };
  for (const auto& c : cases) {
    QuerySpec query = with(c.bold, c.cell);
    query.table.metric = c.metric;
    query.table.baseline = {{"way", {"naive"}}};
    EXPECT_TRUE(validate(query.table, {"size", "way"})) << c.cell;
    const auto table = pivot(ways(), query);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(table->notes, Contains("bold: " + std::string(c.note))) << c.metric << c.cell;
  }
}

// Values side by side do not compete: a forward is always shorter than a step.
TEST(BestCells, EachValueByItself) {
  QuerySpec query = with(Bold::kBestInColumn);
  query.table.columns.clear();
  query.table.where = {{"way", {"naive"}}};
  query.table.values = {value_of("Time", "{mean:.0f}"), value_of("Rate", "{tokens_per_s:.0f}"),
                        value_of("Spread", "{std:.0f}"), value_of("Status", "{outcome}")};
  query.table.values[2].bold = Bold::kNone;
  EXPECT_TRUE(validate(query.table, {"size", "way"}));
  ResultsBuilder b;
  b.text("size", {"small", "large"});
  b.summary({"small"}, 10, 12, 1).tokens = 100;
  b.summary({"large"}, 10, 80, 1).tokens = 1000;
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  const auto bold = [&](std::size_t row) {
    std::string marks;
    for (const Cell& cell : table->rows[row]) marks += cell.bold ? '*' : '.';
    return marks;
  };
  EXPECT_EQ(bold(0), ".*...");
  EXPECT_EQ(bold(1), "..*..");
  EXPECT_THAT(table->notes, Contains("bold in Time: the smallest mean in each column"));
  EXPECT_THAT(table->notes, Contains("bold in Rate: the largest tokens/s in each column"));
}

TEST(BestCells, AmongTheShownRows) {
  QuerySpec query = with(Bold::kBestInColumn);
  query.table.sort = {"-mean"};
  query.table.limit = 2;
  const auto table = pivot(ways(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_TRUE(table->rows[1][1].bold) << "80 ms, the smaller of the two that are shown";
}

std::string mistake_in(const TableSpec& table) {
  const auto valid = validate(table, {"size", "way"});
  return valid ? "" : valid.error().message;
}

TEST(BoldRules, ThatFitNoCellAreMistakes) {
  const struct {
    Bold bold;
    const char* cell;
    const char* metric;
    const char* mistake;
  } cases[] = {
      {Bold::kBestInRow, "{mean}", "figure.parameters",
       "bold: the better direction of `{mean}` of `figure.parameters` is unknown; "
       "write smallest_in_row or largest_in_row"},
      {Bold::kBestInColumn, "{std}", "",
       "bold: the better direction of `{std}` of `time` is unknown; write "
       "smallest_in_column or largest_in_column"},
      {Bold::kBestInColumn, "{p}", "", "the better direction of `{p}`"},
      {Bold::kLargestInRow, "{outcome}", "",
       "bold: `largest_in_row` chooses among figures, and the cell `{outcome}` has words only"},
      {Bold::kFaster, "{mean}", "",
       "bold: `faster` marks comparisons, but no cell compares; expected one with a figure such as "
       "{change:+.1%} or {speedup:.2f}"},
      {Bold::kChanged, "", "", "bold: `changed` marks comparisons, but no cell compares"},
  };
  for (const auto& c : cases) {
    TableSpec table = with(c.bold, c.cell).table;
    table.metric = c.metric;
    table.baseline = {{"way", {"naive"}}};
    EXPECT_THAT(mistake_in(table), HasSubstr(c.mistake));
  }
  EXPECT_THAT(mistake_in(with(Bold::kSlower, "{mean}").table),
              HasSubstr("bold: `slower` marks comparisons, but the table has no baseline"));
}

TEST(BoldRules, ARowIsChosenAmongColumns) {
  TableSpec table = with(Bold::kBestInRow).table;
  table.columns.clear();
  EXPECT_EQ(mistake_in(table),
            "bold: `best_in_row` chooses among the columns of a table, and it has none; write "
            "best_in_column or name columns");
  table = with(Bold::kSmallestInColumn).table;
  table.rows.clear();
  EXPECT_EQ(mistake_in(table),
            "bold: `smallest_in_column` chooses among the rows of a table, and it has none; write "
            "best_in_row or name rows");
}

// The table's rule need not fit every value, but one that a value states must fit it.
TEST(BoldRules, OfATableFitOneOfItsValues) {
  TableSpec table = with(Bold::kFaster).table;
  table.baseline = {{"way", {"naive"}}};
  table.values = {value_of("time", "{mean}"), value_of("change", "{change}")};
  EXPECT_EQ(mistake_in(table), "");
  table.values[0].bold = Bold::kFaster;
  EXPECT_THAT(mistake_in(table),
              HasSubstr("value `time`: bold: `faster` marks comparisons, but no"));
  table.values.pop_back();
  table.values[0].bold.reset();
  EXPECT_THAT(mistake_in(table),
              HasSubstr("bold: `faster` marks comparisons, but no cell compares"));
}

// `none` in a value overrides any rule of the table.
TEST(BoldRules, AValueMayHaveNone) {
  QuerySpec query = with(Bold::kChanged, "");
  query.table.baseline = {{"way", {"naive"}}};
  query.table.values = {value_of("a", "{change:.1f}"), value_of("b", "{ratio:.1f}")};
  query.table.values[0].bold = Bold::kNone;
  ResultsBuilder b;
  b.text("size", {"small"}).text("way", {"naive", "flash"});
  for (const double part : {0.999, 1.0, 1.001}) {
    b.samples({"small", "naive"}, {12 * part});
    b.samples({"small", "flash"}, {10 * part});
  }
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->columns[2].name, "flash b");
  EXPECT_FALSE(table->rows[0][1].bold);
  EXPECT_TRUE(table->rows[0][2].bold);
}

}  // namespace
}  // namespace sweepd
