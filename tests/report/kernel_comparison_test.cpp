// Tests `compare --kernels`: which profiles count, the difference of each kernel, the table.
#include "runner/report/compare/kernel_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

using Kernels = std::vector<StepKernels::Kernel>;

StepKernels on_gpu(Kernels kernels) {
  return {.on_gpu = true, .ranks = 1, .kernels = std::move(kernels)};
}
StepKernels on_cpu(Kernels operators) {
  return {.on_gpu = false, .ranks = 1, .kernels = std::move(operators)};
}

// A side of one point, with an attempt for each profile.
ProfiledSide side_of(const std::string& name, std::vector<StepKernels> profiles,
                     const std::string& device = "H100") {
  ProfiledSide side;
  side.side.name = name;
  side.side.results.dimensions = {{"precision", false, {name}}};
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    ResultRow row;
    row.at = {0};
    row.attempt = name + std::to_string(i);
    side.side.ran[row.attempt] = {device};
    side.side.results.rows.push_back(row);
  }
  side.profiles = std::move(profiles);
  return side;
}

constexpr double kTolerance = 0.02;

Table table_of(const ProfiledSide& a, const ProfiledSide& b) {
  const auto compared = compare_kernels(a, b);
  EXPECT_TRUE(compared) << compared.error().message;
  return compared ? kernel_comparison_table(*compared, a, b, kTolerance) : Table{};
}

// "a | b | c" for each row.
std::vector<std::string> rows_of(const Table& table) {
  std::vector<std::string> rows;
  for (const auto& row : table.rows) {
    std::string& text = rows.emplace_back();
    for (const Cell& cell : row) text += (text.empty() ? "" : " | ") + cell.text;
  }
  return rows;
}

TEST(KernelComparison, SaysWhichKernelsAppearedVanishedAndTakeAnotherTime) {
  const Table table = table_of(side_of("fp32", {on_gpu({{"sgemm", "matmul", 8, 4},
                                                        {"silu", "elementwise", 1, 2},
                                                        {"norm", "reduction", 0.5, 2},
                                                        {"copy", "copy", 0.1, 1}})}),
                               side_of("bf16", {on_gpu({{"hgemm", "matmul", 3, 4},
                                                        {"silu", "elementwise", 0.5, 1},
                                                        {"norm", "reduction", 1, 4},
                                                        {"copy", "copy", 0.101, 1}})}));
  EXPECT_EQ(table.title, "Kernels of bf16 against fp32");
  EXPECT_THAT(rows_of(table),
              ElementsAre("sgemm | matmul | 8.000 | 0.000 | -8.000 | 4 -> 0 | 160.0 | vanished",
                          "hgemm | matmul | 0.000 | 3.000 | +3.000 | 0 -> 4 | -60.0 | appeared",
                          "norm | reduction | 0.500 | 1.000 | +0.500 | 2 -> 4 | -10.0 | slower",
                          "silu | elementwise | 1.000 | 0.500 | -0.500 | 2 -> 1 | 10.0 | faster",
                          "copy | copy | 0.100 | 0.101 | +0.001 | 1 | 0.0 | same",
                          "total |  | 9.600 | 4.601 | -4.999 | 9 -> 10 | 100.0 | faster"));
  EXPECT_THAT(table.notes, ElementsAre("times and launches are of one step: means of 1 profile of "
                                       "`fp32` and 1 profile of `bf16`",
                                       "the sides differ in precision=fp32 against bf16"));
  EXPECT_EQ(table.warnings, 0U);
}

TEST(KernelComparison, TheRowsAddUpToTheTotal) {
  Kernels before, after;
  for (int i = 0; i < 30; ++i) {
    before.push_back({"k" + std::to_string(i), "other", 1, 1});
    after.push_back({"k" + std::to_string(i), "other", 1 + 0.1 * i * (i % 3 == 0 ? -1 : 1), 1});
  }
  const Table table = table_of(side_of("a", {on_gpu(before)}), side_of("b", {on_gpu(after)}));
  ASSERT_EQ(table.rows.size(), kMostKernelRows + 2);
  EXPECT_EQ(table.rows[kMostKernelRows][0].text, "10 more kernels");
  for (const std::size_t column : {2U, 3U, 4U, 6U}) {
    double sum = 0;
    for (std::size_t i = 0; i <= kMostKernelRows; ++i) sum += *table.rows[i][column].number;
    EXPECT_NEAR(sum, *table.rows.back()[column].number, 1e-9) << table.columns[column].name;
  }
}

TEST(KernelComparison, TwentyKernelsHaveNoRowForTheRest) {
  Kernels kernels;
  for (std::size_t i = 0; i < kMostKernelRows; ++i) {
    kernels.push_back({"k" + std::to_string(i), "other", 1, 1});
  }
  const Table table = table_of(side_of("a", {on_gpu(kernels)}), side_of("b", {on_gpu(kernels)}));
  EXPECT_EQ(table.rows.size(), kMostKernelRows + 1);
  EXPECT_EQ(rows_of(table).back(), "total |  | 20.000 | 20.000 | 0.000 | 20 |  | same");
  EXPECT_THAT(table.notes, Not(Contains(HasSubstr("cancel"))));
}

TEST(KernelComparison, SeveralAttemptsOfASideAreTheirMean) {
  const Table table =
      table_of(side_of("a", {on_gpu({{"gemm", "matmul", 1, 2}}),
                             on_gpu({{"gemm", "matmul", 3, 2}, {"copy", "copy", 1, 1}})}),
               side_of("b", {on_gpu({{"gemm", "matmul", 1, 2}})}));
  EXPECT_THAT(rows_of(table),
              ElementsAre("gemm | matmul | 2.000 | 1.000 | -1.000 | 2 | 66.7 | faster",
                          "copy | copy | 0.500 | 0.000 | -0.500 | 0.5 -> 0 | 33.3 | vanished",
                          "total |  | 2.500 | 1.000 | -1.500 | 2.5 -> 2 | 100.0 | faster"));
  EXPECT_THAT(table.notes, Contains(HasSubstr("means of 2 profiles of `a` and 1 profile of `b`")));
}

TEST(KernelComparison, DifferencesThatCancelHaveNoShares) {
  const Table table =
      table_of(side_of("a", {on_gpu({{"x", "other", 2, 1}, {"y", "other", 1, 1}})}),
               side_of("b", {on_gpu({{"x", "other", 1, 1}, {"y", "other", 2, 1}})}));
  for (const auto& row : table.rows) EXPECT_EQ(row[6].text, "");
  EXPECT_THAT(table.notes, Contains(HasSubstr("cancel each other")));
  EXPECT_EQ(table.rows.back()[7].text, "same");
  EXPECT_THAT(render(table, Format::kCsv, 0), HasSubstr("x,other,2,1,-1,1,,faster"));
}

TEST(KernelComparison, ProfilesOfACpuCompareOperators) {
  const Table table = table_of(side_of("a", {on_cpu({{"aten::mm", "matmul", 2, 1}})}),
                               side_of("b", {on_cpu({{"aten::mm", "matmul", 4, 1}})}));
  EXPECT_EQ(table.title, "Operators of b against a");
  EXPECT_EQ(table.columns[0].name, "operator");
  EXPECT_THAT(rows_of(table), Contains("aten::mm | matmul | 2.000 | 4.000 | +2.000 | 1 | 100.0 | "
                                       "slower"));
  EXPECT_THAT(table.notes, Contains(HasSubstr("by their self time")));
}

TEST(KernelComparison, AGpuAndACpuCompareOperators) {
  StepKernels gpu = on_gpu({{"sgemm", "matmul", 1, 1}, {"memset", "copy", 0.5, 1}});
  const ProfiledSide cpu = side_of("b", {on_cpu({{"aten::mm", "matmul", 4, 1}})}, "Test CPU");
  const auto lacking = compare_kernels(side_of("a", {gpu}), cpu);
  ASSERT_FALSE(lacking);
  EXPECT_THAT(lacking.error().message, HasSubstr("`a` has kernels without operators, and `b`"));
  gpu.operators = {{"aten::mm", "", 1, 1}, {"(no operator)", "", 0.5, 0}};
  const Table table = table_of(side_of("a", {gpu}), cpu);
  EXPECT_THAT(rows_of(table),
              ElementsAre("aten::mm | matmul | 1.000 | 4.000 | +3.000 | 1 | 120.0 | slower",
                          "(no operator) |  | 0.500 | 0.000 | -0.500 | 0 | -20.0 | vanished",
                          "total |  | 1.500 | 4.000 | +2.500 | 1 | 100.0 | slower"));
  EXPECT_THAT(table.notes, Contains(HasSubstr("not every profile has kernels of a GPU")));
}

TEST(KernelComparison, OtherDevicesRanksAndStepsAreWarnings) {
  const StepKernels one = on_gpu({{"gemm", "matmul", 1, 1}});
  StepKernels other = one;
  other.ranks = 2;
  other.steps = 5;
  const Table table = table_of(side_of("a", {one}), side_of("b", {other}, "A100"));
  EXPECT_EQ(table.warnings, 3U);
  EXPECT_THAT(std::vector(table.notes.end() - 3, table.notes.end()),
              ElementsAre(HasSubstr("also differ in device_name=H100 against A100"),
                          HasSubstr("differ in ranks: 1 against 2"),
                          HasSubstr("differ in steps: 1 against 5")));
}

TEST(KernelComparison, TheContentOfOtherFilesIsNoFurtherDifference) {
  const auto code_noted = [](const char* files_of_b) {
    ProfiledSide a = side_of("a", {on_gpu({{"gemm", "matmul", 1, 1}})}), b = a;
    b.side.name = "b";
    b.side.results.rows[0].attempt = "b0";
    for (auto& [side, files, code] :
         {std::tuple{&a, "one.json", "c1"}, std::tuple{&b, files_of_b, "c2"}}) {
      side->side.results.dimensions = {{"files", false, {files}}, {"code", false, {code}}};
      side->side.results.rows[0].at = {0, 0};
    }
    return table_of(a, b).warnings > 0;
  };
  EXPECT_TRUE(code_noted("one.json"));
  EXPECT_FALSE(code_noted("two.json"));
}

TEST(KernelComparison, SidesThatShareAnAttemptHaveNothingToCompare) {
  const ProfiledSide side = side_of("a", {on_gpu({{"gemm", "matmul", 1, 1}})});
  const auto compared = compare_kernels(side, side);
  ASSERT_FALSE(compared);
  EXPECT_THAT(compared.error().message, HasSubstr("both sides count attempt a0"));
}

// The rows of a side as its query returns them.
struct Candidate {
  bool pending = false;
  Outcome outcome = Outcome::kDone;
  Verdict verdict = Verdict::kValid;
  std::int64_t n = 1;
  std::uint32_t context = 0;
};

Result<ProfiledSide> choose(const std::vector<Candidate>& candidates,
                            const std::string& phase = "") {
  ComparedSide side;
  side.name = "before";
  side.results.dimensions = {{"context", true, {"512", "1024"}}};
  for (const Candidate& each : candidates) {
    ResultRow row;
    row.at = {each.context};
    row.pending = each.pending;
    row.outcome = each.outcome;
    row.verdict = each.verdict;
    row.stats.n = each.n;
    row.note = "the reason";
    side.results.rows.push_back(row);
  }
  return choose_profiles(std::move(side), phase);
}

TEST(KernelComparison, ASideWithoutAProfileSaysWhy) {
  const Candidate queued{.pending = true}, failed{.outcome = Outcome::kOom, .n = 0},
      invalid{.verdict = Verdict::kInvalid}, empty{.n = 0};
  const std::pair<Result<ProfiledSide>, const char*> cases[] = {
      {choose({}), "`before` has no profile: add `profile` to `passes`"},
      {choose({queued}), "no profile of `before` can be compared: it is not done yet"},
      {choose({failed}), "it is oom: the reason"},
      {choose({invalid}), "it is invalid: the reason"},
      {choose({empty}), "it has no kernels"},
      {choose({empty}, "forward"), "it has no kernels in phase `forward`"},
  };
  for (const auto& [side, said] : cases) {
    ASSERT_FALSE(side) << said;
    EXPECT_THAT(side.error().message, HasSubstr(said));
  }
}

TEST(KernelComparison, WhatDoesNotCountIsLeftOutAndNoted) {
  auto side = choose({{},
                      {.pending = true},
                      {.outcome = Outcome::kOom, .n = 0},
                      {.verdict = Verdict::kInvalid},
                      {.verdict = Verdict::kSuspect}});
  ASSERT_TRUE(side) << side.error().message;
  EXPECT_EQ(side->side.results.rows.size(), 2U);
  side->side.results.rows[0].attempt = "1";
  side->side.results.rows[1].attempt = "2";
  side->profiles.assign(2, on_gpu({{"gemm", "matmul", 1, 1}}));
  ProfiledSide other = side_of("b", {on_gpu({{"gemm", "matmul", 2, 1}})});
  other.side.results.dimensions = side->side.results.dimensions;
  EXPECT_THAT(table_of(*side, other).notes,
              AllOf(Contains("1 profile of `before` suspect, counted nevertheless"),
                    Contains("1 profile of `before` invalid and left out"),
                    Contains("2 profiles of `before` not done or without kernels, and left out"),
                    Not(Contains(HasSubstr("of `b` not done")))));
}

TEST(KernelComparison, ASideOfSeveralPointsNamesThem) {
  const auto side = choose({{}, {.context = 1}});
  ASSERT_FALSE(side);
  EXPECT_THAT(side.error().message,
              HasSubstr("several points, which differ in context (512, 1024); choose one, such as "
                        "--where context=512"));
}

}  // namespace
}  // namespace sweepd
