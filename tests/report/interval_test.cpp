// Tests figures that count processes: the error of a mean, and p values of differences.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string shown(const Result<Table>& table) {
  return table ? to_markdown(*table) : "error: " + table.error().message;
}

// small was measured by three processes, whose steps differ far less than the processes do; large
// by one.
ResultSet processes() {
  ResultsBuilder b;
  b.text("size", {"small", "large"});
  for (const double mean : {10.0, 11.0, 12.0}) {
    b.samples({"small"}, {mean - 0.01, mean, mean, mean + 0.01}).trial = "a";
  }
  b.samples({"large"}, {40, 41, 42, 43}).trial = "b";
  return b.get();
}

// The means are 10, 11 and 12: their standard deviation is 1, and Student's t of two degrees of
// freedom 4.303. From the twelve steps it would be ± 0.55.
TEST(Interval, OfAMeanIsOverProcesses) {
  EXPECT_EQ(shown(pivot(processes(), query_of({"size"}, {}, "{mean:.1f} ± {ci95:.3f}"))),
            R"(| size  |    time (ms) |
| ----- | -----------: |
| small | 11.0 ± 2.484 |
| large |     41.5 ± — |

- mean ± ci95 of time, n = 4 to 12
- ci95: half of the 95 % confidence interval of the mean over 3 processes
- no ci95 in 1 cell: one process does not predict others, and its steps are not independent; `repeats: 5` measures five
- pooled: each figure is of 1 to 3 attempts of its trial; their means differ by up to 18% and agree within ± std in 0 of 1 cell
)");
}

TEST(Interval, StandardErrorInTheTablesUnit) {
  const auto table = pivot(processes(), query_of({"size"}, {}, "{sem:.1f}", "us"));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0][1].text, "577.4");
  EXPECT_NEAR(*table->rows[0][1].number, 577.35, 0.01);
  EXPECT_EQ(table->columns[1].unit, "us");
  EXPECT_THAT(table->notes, Contains("sem: the standard error of the mean over 3 processes"));
}

// 10 from one step and 20 from three give a mean of 17.5, in which the second counts three times.
TEST(Interval, AProcessWeighsAsMuchAsItsSteps) {
  ResultsBuilder b;
  b.text("size", {"small"});
  b.summary({"small"}, 1, 10, 0);
  b.summary({"small"}, 3, 20, 1);
  const auto table = pivot(b.get(), query_of({"size"}, {}, "{sem}"));
  ASSERT_TRUE(table) << table.error().message;
  // sqrt(2 / 1 * ((0.25 * 7.5)^2 + (0.75 * 2.5)^2))
  EXPECT_NEAR(*table->rows[0][1].number, 3.75, 1e-9);
}

TEST(Interval, OtherTrialsAreNoRepeats) {
  ResultsBuilder b;
  b.text("size", {"small"}).numbers("batch", {"1", "2"});
  b.samples({"small", "1"}, {10, 10}).trial = "a";
  b.samples({"small", "2"}, {20, 20}).trial = "b";
  QuerySpec query = query_of({"size"}, {}, "{mean} ± {ci95}");
  query.table.pool = {"batch"};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0][1].text, "15 ± —");
  EXPECT_THAT(table->notes, Contains("no ci95 in 1 cell: the attempts are of different trials, so "
                                     "they are no repeats"));
}

TEST(Interval, PhasesOfOneProcessAreOneProcess) {
  ResultsBuilder b;
  b.text("size", {"small"}).text("phase", {"forward", "backward"});
  for (const char* phase : {"forward", "backward"}) {
    b.samples({"small", phase}, {10, 11}).attempt = "one";
  }
  EXPECT_EQ(pivot(b.get(), query_of({"size"}, {}, "{ci95}"))->rows[0][1].text, "—");
}

TEST(Interval, PooledByTheReaderItIsUnknown) {
  ResultsBuilder b;
  b.text("size", {"small"}).summary({"small"}, 10, 40, 1).attempts = 5;
  const auto table = pivot(b.get(), query_of({"size"}, {}, "{ci95}"));
  ASSERT_FALSE(table);
  EXPECT_EQ(
      table.error().message,
      "ci95 of several attempts in one cell needs the means of the attempts, which were not read");
}

// Two processes a side, 10 and 10 e^0.1 ms against twice that. The difference of the logarithms is
// ln 2, its error sqrt(0.005), t 9.80 with two degrees of freedom: p = 0.0102. Of two cells it is
// multiplied by two. The other cell is the baseline's times again, whose p is 1.
constexpr double kStep = 1.1051709180756477;  // e^0.1

ResultsBuilder& pair(ResultsBuilder& b, const std::vector<std::string>& at, double level) {
  for (const double mean : {level, level * kStep}) b.samples(at, {mean, mean, mean}).trial = at[1];
  return b;
}

QuerySpec compared(std::string cell) {
  QuerySpec query = query_of({"size"}, {"precision"}, std::move(cell));
  query.table.baseline = {{"precision", {"fp32"}}};
  return query;
}

ResultSet two_a_side(bool twice) {
  ResultsBuilder b;
  b.text("size", {"small", "large"}).text("precision", {"fp32", "bf16"});
  pair(pair(b, {"small", "fp32"}, 10), {"small", "bf16"}, 20);
  if (twice) pair(pair(b, {"large", "fp32"}, 10), {"large", "bf16"}, 10);
  return b.get();
}

TEST(PValue, IsThatOfCompareCorrectedForAllCells) {
  EXPECT_EQ(shown(pivot(two_a_side(true), compared("{p}"))), R"(| size  |  bf16 |
| ----- | ----: |
| small | 0.020 |
| large | 1.000 |

- p of time, n = 6; compared with precision fp32
- p: of a difference from the baseline, between the attempts' medians as in `sweepctl compare`, corrected for 2 cells (Benjamini and Hochberg)
- pooled: each figure is of 2 attempts of its trial; their means differ by up to 10% and agree within ± std in 0 of 2 cells
)");
  const auto alone = pivot(two_a_side(false), compared("{p:.4f}"));
  ASSERT_TRUE(alone) << alone.error().message;
  EXPECT_EQ(alone->rows[0][1].text, "0.0102");
}

TEST(PValue, SortsRowsAndLimitsDoNotChangeIt) {
  QuerySpec query = compared("{p:.4f}");
  query.table.sort = {"-p"};
  query.table.limit = 1;
  EXPECT_EQ(pivot(two_a_side(true), query)->rows[0][0].text, "large");
  query.table.sort = {"p"};
  EXPECT_EQ(pivot(two_a_side(true), query)->rows[0][1].text, "0.0205");
}

// The same results side by side are one comparison.
TEST(PValue, ACellThatIsShownTwiceCountsOnce) {
  QuerySpec query = compared("");
  query.table.values = {value_of("change", "{change:+.0%} (p {p:.4f})"), value_of("p", "{p:.4f}")};
  const auto table = pivot(two_a_side(false), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0].back().text, "0.0102");
  EXPECT_THAT(table->notes, Contains(HasSubstr("corrected for 1 cell (")));
}

TEST(PValue, OneProcessASideComesFromBlocksAndIsSaid) {
  ResultsBuilder b;
  b.text("size", {"small"}).text("precision", {"fp32", "bf16"});
  std::vector<double> slow, fast;
  for (int i = 0; i < 100; ++i) {
    slow.push_back(20 + 0.01 * (i * 37 % 101));
    fast.push_back(10 + 0.01 * (i * 37 % 101));
  }
  b.samples({"small", "fp32"}, slow);
  b.samples({"small", "bf16"}, fast);
  const auto table = pivot(b.get(), compared("{p}"));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0][1].text, "<0.001");
  EXPECT_LT(*table->rows[0][1].number, 0.001);
  EXPECT_THAT(table->notes, Contains(HasSubstr("1 comparison rests on one process a side")));
}

TEST(PValue, NeitherFewStepsNorInvalidNorSharedNorMixedOnesHaveOne) {
  ResultsBuilder b;
  b.text("size", {"few", "still", "invalid", "shared", "mixed"})
      .text("precision", {"fp32", "bf16"});
  b.samples({"few", "fp32"}, {10});
  b.samples({"few", "bf16"}, {20});
  for (const double time : {10, 10, 20, 20}) {
    b.samples({"still", time < 15 ? "fp32" : "bf16"}, {time}).trial = "still";
  }
  pair(pair(b, {"invalid", "fp32"}, 10), {"invalid", "bf16"}, 20);
  ResultSet results = b.get();
  results.rows.back().verdict = Verdict::kInvalid;
  ResultsBuilder more;
  for (const Dimension& d : results.dimensions) more.text(d.name, d.values);
  more.samples({"shared", "fp32"}, {10, 11}).attempt = "one";
  more.samples({"shared", "bf16"}, {20, 21}).attempt = "one";
  pair(more, {"mixed", "fp32"}, 10);
  pair(more, {"mixed", "bf16"}, 20).samples({"mixed", "bf16"}, {30}).trial = "other";
  for (ResultRow row : more.get().rows) {
    if (row.attempt != "one") row.attempt += "+";
    results.rows.push_back(row);
  }
  QuerySpec query = compared("{p}");
  query.table.pool = {"all"};
  const auto table = pivot(results, query);
  ASSERT_TRUE(table) << table.error().message;
  for (const auto& row : table->rows) {
    EXPECT_THAT(row[1].text, HasSubstr("—")) << row[0].text;
    EXPECT_EQ(row[1].number, std::nullopt) << row[0].text;
  }
  EXPECT_THAT(table->notes, Contains("no p in 1 cell: too few steps for an interval"));
  EXPECT_THAT(table->notes, Contains("no p in 1 cell: nothing varies, so chance has no part in the "
                                     "difference"));
  EXPECT_THAT(table->notes, Contains("no p in 1 cell: both sides count the same attempt"));
  EXPECT_THAT(table->notes, Contains("no p in 1 cell: the attempts of a side are of different "
                                     "trials, so they are no repeats"));
}

// Alone, p is 0.0026. With five other cells, which did not change, it is 0.015.
TEST(BoldCells, AreJudgedTogether) {
  for (const int others : {0, 1, 5}) {
    ResultsBuilder b;
    b.text("size", {"small", "1", "2", "3", "4", "5"}).text("precision", {"fp32", "bf16"});
    pair(pair(b, {"small", "fp32"}, 10), {"small", "bf16"}, 40);
    for (int i = 1; i <= others; ++i) {
      pair(pair(b, {std::to_string(i), "fp32"}, 10), {std::to_string(i), "bf16"}, 10);
    }
    QuerySpec query = compared("{change:+.0%}");
    query.table.bold = Bold::kChanged;
    const auto table = pivot(b.get(), query);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0][1].text, "+300%");
    EXPECT_EQ(table->rows[0][1].bold, others < 5) << others;
    EXPECT_THAT(table->notes, Contains(HasSubstr("bold: `sweepctl compare` finds it faster")));
  }
}

// Noise is a judgement too; these have none.
TEST(BoldCells, WithoutStepsOrOfSeveralTrialsAreMarkedAsNotJudged) {
  ResultsBuilder b;
  b.text("size", {"few", "mixed"}).text("precision", {"fp32", "bf16"});
  b.samples({"few", "fp32"}, {10});
  b.samples({"few", "bf16"}, {20});
  pair(b, {"mixed", "fp32"}, 10);
  pair(b, {"mixed", "bf16"}, 20).samples({"mixed", "bf16"}, {21}).trial = "other";
  QuerySpec query = compared("{change:+.0%}");
  query.table.bold = Bold::kChanged;
  query.table.pool = {"all"};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  for (const auto& row : table->rows) EXPECT_FALSE(row[1].bold) << row[0].text;
  EXPECT_EQ(table->rows[0][1].text, "+100%?");
  EXPECT_EQ(table->rows[1][1].text, "+100%?");
  EXPECT_THAT(table->notes,
              Contains("? not judged: in 1 cell, too few steps for an interval; in 1 cell, the "
                       "attempts of a side are of different trials, so they are no repeats"));
}

TEST(PValue, NeedsABaseline) {
  TableSpec table;
  table.rows = {"size"};
  table.cell = "{p}";
  const auto valid = validate(table, {"size"});
  ASSERT_FALSE(valid);
  EXPECT_THAT(valid.error().message, HasSubstr("`{p}` compares, but the table has no baseline"));
  table.cell = "";
  table.sort = {"-p"};
  EXPECT_THAT(validate(table, {"size"}).error().message,
              HasSubstr("sort: `p` compares, but the table has no baseline"));
  table.values = {value_of("p", "{mean}")};
  EXPECT_TRUE(validate(table, {"size"})) << "sorts by the value of that name";
}

// The reads for each: summaries of the attempts, or their samples, of both sides.
TEST(PValue, ReadsSamplesOfBothSides) {
  for (const auto& [cell, samples] :
       {std::pair{"{p}", true}, {"{speedup_median}", true}, {"{speedup}", false}}) {
    QuerySpec query = compared(cell);
    query.table.where = {{"precision", {"bf16"}}};
    const TableReads plan = plan_reads(query);
    ASSERT_EQ(plan.reads.size(), 2U);
    for (const QuerySpec& read : plan.reads) EXPECT_EQ(needs_samples(read), samples) << cell;
    query.table.bold = Bold::kFaster;
    for (const QuerySpec& read : plan_reads(query).reads) EXPECT_TRUE(needs_samples(read)) << cell;
    query.table.bold = Bold::kBestInColumn;
    EXPECT_EQ(needs_samples(plan_reads(query).reads[0]), samples) << cell;
  }
  EXPECT_FALSE(needs_samples(plan_reads(query_of({"size"}, {}, "{ci95} {sem}")).reads[0]));
}

// The outlier of 100 moves the means and not the medians.
TEST(MedianBaseline, ComparesMedians) {
  ResultsBuilder b;
  b.text("size", {"small"}).text("precision", {"fp32", "bf16"});
  b.samples({"small", "fp32"}, {40, 40, 100});
  b.samples({"small", "bf16"}, {20, 20, 20});
  for (const auto& [cell, text] : {std::pair{"{speedup_median:.2f}", "2.00"},
                                   {"{speedup:.2f}", "3.00"},
                                   {"{ratio_median:.2f}", "0.50"},
                                   {"{change_median:+.0%}", "-50%"},
                                   {"{difference_median:+.1f}", "-20.0"},
                                   {"{baseline_median:.1f}", "40.0"}}) {
    const auto table = pivot(b.get(), compared(cell));
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0].back().text, text) << cell;
  }
}

TEST(MedianBaseline, IsNamedBelowTheTable) {
  ResultsBuilder b;
  b.text("size", {"small", "large"}).text("precision", {"fp32", "bf16"});
  for (const char* size : {"small", "large"}) {
    b.samples({size, "fp32"}, {40, 40, 100});
    b.samples({size, "bf16"}, {20, 20, 20});
  }
  EXPECT_EQ(shown(pivot(b.get(), compared("{speedup_median:.1f}"))), R"(| size  | bf16 |
| ----- | ---: |
| small |  2.0 |
| large |  2.0 |

- speed-up of medians of time, n = 3; compared with precision fp32 by the medians
- geometric mean of the speed-ups: bf16 2.0 over 2 rows, largest 2.0 (small)
)");
  const auto both = pivot(b.get(), compared("{speedup_median:.1f} {change:+.0%}"));
  EXPECT_THAT(both->notes,
              Contains(HasSubstr("compared with precision fp32 by the means and the medians")));
}

TEST(MedianBaseline, OfSeveralAttemptsWithoutSamplesIsAnError) {
  ResultsBuilder b;
  b.text("size", {"small"}).text("precision", {"fp32", "bf16"});
  b.summary({"small", "fp32"}, 10, 40, 1);
  b.summary({"small", "fp32"}, 10, 42, 1);
  b.summary({"small", "bf16"}, 10, 20, 1);
  const auto table = pivot(b.get(), compared("{speedup_median}"));
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("speedup_median of several attempts in one cell"));
}

}  // namespace
}  // namespace sweepd
