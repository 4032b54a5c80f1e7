// Tests the pairing of two sides' results and the table of a comparison.
#include "runner/report/compare/comparison.h"

#include <gmock/gmock.h>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

// A side whose attempts have a model, a precision and samples.
class Side {
 public:
  explicit Side(std::string precision) {
    side_.name = precision;
    side_.results.unit = "ms";
    side_.results.dimensions = {{"model", false, {}}, {"precision", false, {std::move(precision)}}};
  }
  Side& add(const std::string& model, std::vector<double> samples,
            Verdict verdict = Verdict::kValid, std::vector<Unsteady> unsteady = {},
            std::int64_t started = 0) {
    auto& models = side_.results.dimensions[0].values;
    auto found = std::ranges::find(models, model);
    if (found == models.end()) found = models.insert(models.end(), model);
    ResultRow row;
    row.at = {static_cast<std::uint32_t>(found - models.begin()), 0};
    row.stats.n = static_cast<std::int64_t>(samples.size());
    row.samples = std::move(samples);
    row.verdict = verdict;
    row.unsteady = std::move(unsteady);
    row.started = WallTime{started};
    row.attempt = side_.name + std::to_string(side_.results.rows.size());
    side_.results.rows.push_back(std::move(row));
    return *this;
  }
  const ComparedSide& done() const { return side_; }

 private:
  ComparedSide side_;
};

// Three attempts whose medians are about `level`.
void add_attempts(Side& side, const std::string& model, double level) {
  for (const double share : {0.995, 1.0, 1.005}) {
    const double median = level * share;
    side.add(model, {median * 1.001, median, median * 0.999, median * 1.3, median});
  }
}

std::string csv(const Table& table) {
  return render(table, Format::kCsv, 0);
}

TEST(Comparison, SaysWhereExtremeAttemptsDoNotCount) {
  const auto notes_of = [](int attempts) {
    Side a("fp32"), b("bf16");
    for (int i = 0; i < attempts; ++i) {
      a.add("small", {100.0 + i});
      b.add("small", {50.0 + i});
    }
    const auto compared = compare_results(a.done(), b.done(), {});
    EXPECT_TRUE(compared.ok());
    return comparison_table(*compared, "fp32", "bf16", {}).notes;
  };
  const auto note = HasSubstr("the fastest and the slowest fifth do not count");
  EXPECT_THAT(notes_of(8), Contains(note));
  EXPECT_THAT(notes_of(7), testing::Not(Contains(note)));
}

TEST(Comparison, SidesThatRanInTurnsAreComparedPairByPair) {
  const auto compared_with = [](std::int64_t b_begins) {
    Side a("fp32"), b("bf16");
    for (int i = 0; i < 12; ++i) {
      const double drift = 100.0 * (1 + i);
      a.add("small", {drift}, Verdict::kValid, {}, 1 + 10 * i);
      b.add("small", {drift * (1.1 + 0.001 * (i % 3))}, Verdict::kValid, {}, b_begins + 10 * i);
    }
    const auto compared = compare_results(a.done(), b.done(), {});
    EXPECT_TRUE(compared.ok());
    return *compared;
  };
  const auto in_turns = compared_with(5), one_by_one = compared_with(500);
  EXPECT_EQ(in_turns.points[0].comparison.method, stats::Method::kPairs);
  EXPECT_EQ(in_turns.points[0].comparison.change, stats::Change::kSlower);
  EXPECT_EQ(one_by_one.points[0].comparison.change, stats::Change::kUnclear);
  const auto note = HasSubstr("1 point: the sides ran in turns, so the unit is a pair");
  EXPECT_THAT(comparison_table(in_turns, "fp32", "bf16", {}).notes, Contains(note));
  const auto notes = comparison_table(one_by_one, "fp32", "bf16", {}).notes;
  EXPECT_THAT(notes, testing::Not(Contains(note)));
  EXPECT_THAT(notes, Contains(HasSubstr("1 point: the sides did not run in turns")));
}

TEST(Comparison, PairsPointsInDisplayOrderAndJudgesEach) {
  Side a("fp32"), b("bf16");
  for (const char* model : {"small", "large", "medium"}) add_attempts(a, model, 100);
  add_attempts(b, "large", 50);
  add_attempts(b, "small", 100);
  add_attempts(b, "medium", 130);
  const auto compared = compare_results(a.done(), b.done(), {});
  ASSERT_TRUE(compared.ok()) << compared.error().message;
  ASSERT_EQ(compared->points.size(), 3U);
  EXPECT_THAT(compared->points[0].at, ElementsAre("small")) << "in the order of the first side";
  EXPECT_EQ(compared->points[0].comparison.change, stats::Change::kSame);
  EXPECT_THAT(compared->points[1].at, ElementsAre("large"));
  EXPECT_EQ(compared->points[1].comparison.change, stats::Change::kFaster);
  EXPECT_NEAR(*compared->points[1].comparison.ratio, 0.5, 1e-9);
  EXPECT_EQ(compared->points[2].comparison.change, stats::Change::kSlower);
  EXPECT_THAT(compared->differ, ElementsAre("precision=fp32 against bf16"));
}

TEST(Comparison, TheTableHasOneRowAPointAndNotesTheirGeometricMean) {
  Side a("fp32"), b("bf16");
  add_attempts(a, "small", 100);
  add_attempts(a, "large", 200);
  add_attempts(b, "small", 50);
  add_attempts(b, "large", 400);
  const auto compared = compare_results(a.done(), b.done(), {});
  ASSERT_TRUE(compared.ok());
  const Table table = comparison_table(*compared, "fp32", "bf16", {});
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.title, "bf16 against fp32");
  EXPECT_EQ(table.rows[0][0].text, "small");
  EXPECT_THAT(table.rows[0][1].text, testing::StartsWith("100.0 ± "));
  EXPECT_EQ(table.rows[0][3].text, "0.500");
  EXPECT_EQ(table.rows[0][7].text, "faster");
  EXPECT_TRUE(table.rows[0][7].bold);
  EXPECT_EQ(table.rows[0][8].text, "3+3");
  EXPECT_THAT(table.notes, Contains("geometric mean of the ratios of 2 points: 1.000"));
  EXPECT_THAT(csv(table), HasSubstr("small,"));
}

TEST(Comparison, WhatCannotBeComparedIsCounted) {
  Side a("fp32"), b("bf16");
  add_attempts(a, "small", 100);
  add_attempts(a, "only a", 100);
  a.add("small", {1, 1, 1}, Verdict::kInvalid, {{"bimodal"}});
  add_attempts(b, "small", 100);
  b.add("small", {100, 101, 99}, Verdict::kSuspect, {{"slowing"}});
  const auto compared = compare_results(a.done(), b.done(), {});
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(compared->only_a, 1U);
  EXPECT_EQ(compared->invalid, 1U);
  EXPECT_EQ(compared->suspect, 1U);
  EXPECT_EQ(compared->unsteady, 1U) << "the invalid one does not count";
  EXPECT_EQ(compared->points.at(0).comparison.a.processes, 3U) << "the invalid one is left out";
  EXPECT_EQ(compared->points.at(0).comparison.b.processes, 4U);
  const auto notes = comparison_table(*compared, "fp32", "bf16", {}).notes;
  EXPECT_THAT(notes, Contains("1 point only in fp32"));
  EXPECT_THAT(notes, Contains("1 attempt invalid and left out"));
  EXPECT_THAT(notes, Contains("1 attempt suspect, counted nevertheless"));
  EXPECT_THAT(notes, Contains("1 attempt without a steady state, counted nevertheless"));
}

TEST(Comparison, OneAttemptASideIsSaidSo) {
  Side a("fp32"), b("bf16");
  std::vector<double> steps, slower;
  for (int i = 0; i < 60; ++i) steps.push_back(100 + (i * 7 % 5) * 0.1);
  for (const double step : steps) slower.push_back(step * 1.2);
  a.add("small", steps);
  b.add("small", slower);
  const auto compared = compare_results(a.done(), b.done(), {});
  ASSERT_TRUE(compared.ok());
  EXPECT_EQ(compared->points.at(0).comparison.change, stats::Change::kSlower);
  EXPECT_THAT(comparison_table(*compared, "fp32", "bf16", {}).notes,
              Contains(HasSubstr("one attempt a side")));
}

// `unclear` would mean that the difference is within the noise.
TEST(Comparison, ASingleStepIsNotJudged) {
  Side a("fp32"), b("bf16");
  a.add("small", {100});
  b.add("small", {50});
  const auto compared = compare_results(a.done(), b.done(), {});
  ASSERT_TRUE(compared) << compared.error().message;
  const Table table = comparison_table(*compared, "fp32", "bf16", {});
  EXPECT_THAT(csv(table), HasSubstr(",not judged,1+1"));
  EXPECT_THAT(table.notes, Contains("1 point: not judged, too few steps for an interval"));
}

TEST(Comparison, SidesThatShareAnAttemptAreRefused) {
  Side a("fp32");
  add_attempts(a, "small", 100);
  const auto compared = compare_results(a.done(), a.done(), {});
  ASSERT_FALSE(compared.ok());
  EXPECT_THAT(compared.error().message, HasSubstr("both sides count attempt fp320"));
}

TEST(Comparison, SidesWithoutACommonPointAreRefused) {
  Side a("fp32"), b("bf16"), empty("fp16");
  add_attempts(a, "small", 100);
  add_attempts(a, "medium", 100);
  add_attempts(b, "large", 100);
  EXPECT_THAT(compare_results(a.done(), b.done(), {}).error().message,
              HasSubstr("no point in common: 2 and 1 points, told apart by model"));
  EXPECT_THAT(compare_results(a.done(), empty.done(), {}).error().message,
              HasSubstr("no attempt of `fp16` measures `time`"));
  Side invalid("fp16");
  invalid.add("small", {1, 2}, Verdict::kInvalid);
  EXPECT_THAT(compare_results(a.done(), invalid.done(), {}).error().message,
              HasSubstr("no attempt of `fp16` is done and valid"));
}

TEST(ComparisonTable, AnAbsurdIntervalIsNotShown) {
  ComparedResults compared;
  compared.unit = "ms";
  ComparedPoint& point = compared.points.emplace_back();
  point.comparison.method = stats::Method::kProcesses;
  point.comparison.a = {2, 20, 126.3, stats::Interval{1e-20, 5.5e26}};
  point.comparison.b = {2, 20, 130, stats::Interval{125, 140}};
  point.comparison.ratio = 1.03;
  point.comparison.interval = {1e-20, 5.5e26};
  const Table table = comparison_table(compared, "a", "b", {});
  const std::vector<Cell>& row = table.rows.at(0);
  EXPECT_EQ(row[0].text, "126.3 ± —");
  EXPECT_EQ(row[1].text, "130.0 ± 8 %");
  EXPECT_EQ(row[3].text + row[4].text, "——");
  EXPECT_EQ(row[6].text, "unclear");
  EXPECT_THAT(table.notes, Contains(HasSubstr("—: an interval that reaches 100 % or more")));
  // One that excludes 1 is wide and says something.
  point.comparison.change = stats::Change::kSlower;
  point.comparison.ratio = 10;
  point.comparison.interval = {3, 33};
  EXPECT_EQ(comparison_table(compared, "a", "b", {}).rows[0][4].text, "33.000");
}

TEST(ComparisonTable, OnlyATimeIsFasterOrSlower) {
  struct {
    const char* unit;
    Better better;
    const char* word;
  } const cases[] = {{"ms", Better::kSmaller, "faster"},
                     {"s", Better::kSmaller, "faster"},
                     {"J", Better::kSmaller, "better"},
                     {"GB/s", Better::kLarger, "better"}};
  for (const auto& c : cases) {
    ComparedResults compared;
    compared.unit = c.unit;
    compared.better = c.better;
    ComparedPoint& point = compared.points.emplace_back();
    point.comparison.method = stats::Method::kProcesses;
    point.comparison.change = stats::Change::kFaster;
    const Table table = comparison_table(compared, "a", "b", {});
    EXPECT_EQ(table.rows.at(0).at(6).text, c.word) << c.unit;
  }
}

}  // namespace
}  // namespace sweepd
