// Tests which parts of a report a golden file has: a figure that repeats, to the digit; a time,
// only that it exists.
#include "tests/e2e/report_mask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

Sweep sweep_of(TableSpec table) {
  Sweep sweep;
  sweep.workload = "lm_step";
  sweep.tables.push_back(std::move(table));
  return sweep;
}

TableSpec::Value value(const char* name, const char* metric, const char* cell) {
  TableSpec::Value made;
  made.name = name;
  made.metric = metric;
  made.cell = cell;
  return made;
}

Sweep of_values() {
  TableSpec table;
  table.rows = {"model", "context"};
  table.values = {value("Params", "figure.parameters", "{mean:,.0f}"),
                  value("Forward", "", "{mean:.1f} ± {std:.1f}"),
                  value("Peak (MiB)", "peak_allocated_bytes", "{max:,.1f}"),
                  value("Loss", "loss", "{mean:.4f}"),
                  value("Steps", "", "{n}"),
                  value("Fit", "fact.fit.exposed_ms", "{mean:.2f}"),
                  value("#wrong", "fact.wrong", "{max:.0f}")};
  return sweep_of(table);
}

const char* const kReport =
    "**Time with 5 steps of warm-up**\n"
    "batch 4, fp32; EPYC 9; 2026-11-26 to 2026-11-27; sweepd 0.2.0\n\n"
    "| Model | context |  Params | EPYC 9 Forward (ms) | Peak (MiB) | Loss   | Steps | Fit  | "
    "#wrong |\n"
    "| ----- | ------: | ------: | ------------------: | ---------: | -----: | ----: | ---: | "
    "-----: |\n"
    "| 2.7B  |     128 | 123,456 |    1,234.5 ± 0.03‡ |      -61.5 | 9.2103 |    10 |    — |      "
    "0 |\n"
    "| tiny  |      64 |   1,234 |                 OOM |        OOM |      — |     3 | 1.25 |      "
    "0 |\n\n"
    "- mean ± std of time, n = 3 to 10\n"
    "- pooled: each figure is of 2 attempts of its trial; their means differ by up to 12% and "
    "agree "
    "within ± std in 10 of 12 cells\n"
    "- ‡ suspect: kernels were busy for 1.5 ms; in 2 of 3 cells the mean is more than a tenth "
    "above the median, by 24 % at most (tiny); slow steps move `{median}` less; ? "
    "not judged: in 1 cell, too few steps for an interval\n"
    "- OOM: asked for 1.50 GiB\n";

TEST(ReportMask, ShowsAnyChangeOfWhatRepeatsAndHidesTimes) {
  EXPECT_EQ(
      mask(kReport, of_values(), {{"EPYC 9", "DEVICE"}}),
      "**Time with 5 steps of warm-up**\n"
      "batch 4, fp32; DEVICE; DATE; sweepd VERSION\n\n"
      "| Model | context | Params | DEVICE Forward (ms) | Peak (MiB) | Loss | Steps | Fit | "
      "#wrong |\n"
      "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
      "| 2.7B | 128 | 123,456 | # ± #‡ | -61.5 | 9.2103 | 10 | # | 0 |\n"
      "| tiny | 64 | 1,234 | OOM | OOM | — | 3 | # | 0 |\n\n"
      "- mean ± std of time, n = 3 to 10\n"
      "- pooled: each figure is of 2 attempts of its trial; their means differ by up to #% and "
      "agree within ± std in # of # cells\n"
      "- ‡ suspect: kernels were busy for # ms\n"
      "- OOM: asked for 1.50 GiB\n");

  // Each change of one digit, one mark or one word would be a mistake of the program.
  const std::string right = mask(kReport, of_values(), {});
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string report = kReport;
    report.replace(report.find(from), from.size(), to);
    return mask(report, of_values(), {});
  };
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"123,456", "123,457"},
                                                        {"-61.5", "61.5"},
                                                        {"9.2103", "9.2104"},
                                                        {"‡ |", " |"},
                                                        {"    10 |", "    11 |"},
                                                        {"0 |\n| tiny", "1 |\n| tiny"},
                                                        {"128 |", "256 |"},
                                                        {"(MiB)", "(MB)"},
                                                        {"GiB", "MiB"},
                                                        {"n = 3", "n = 2"},
                                                        {"of 2 attempts", "of 3 attempts"}}) {
    EXPECT_NE(with(from, to), right) << from << " -> " << to;
  }
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"1,234.5", "7"}, {"1.25", "—"}, {"0.03", "1e-05"}, {"12%", "3%"}, {"1.5 ms", "2 ms"}}) {
    EXPECT_EQ(with(from, to), right) << from << " -> " << to;
  }
}

TEST(ReportMask, KnowsByItsMetricWhatRepeatsAndLeavesTheOrderOfTimesOpen) {
  const auto of = [](const char* metric, const char* cell = "{mean}") {
    return repeats("lm_step", value("", metric, cell));
  };
  for (const char* metric : {"figure.parameters", "figure", "fact", "fact.weights_bytes", "loss",
                             "at_end_bytes", "allocation_bytes", "kernel_calls", "fact.wrong"}) {
    EXPECT_TRUE(of(metric)) << metric;
  }
  for (const char* metric :
       {"", "time", "host_time", "start_time", "algbw", "exposed_share", "kernel_time",
        "kernel_share", "fact.skew_mean_ms", "fact.fit.overhead_ms", "fact.check.largest_error",
        "operator_self_cpu_time"}) {
    EXPECT_FALSE(of(metric)) << metric;
  }
  EXPECT_TRUE(of("time", "{n}"));
  EXPECT_TRUE(of("time", "{outcome}"));
  EXPECT_FALSE(of("time", "{mean} (n = {n})"));
  EXPECT_FALSE(of("time", "")) << "a cell that the table chooses";
  EXPECT_FALSE(repeats("fsdp", value("", "peak_allocated_bytes", "{max}")));
  EXPECT_TRUE(repeats("fsdp", value("", "at_end_bytes", "{max}")));

  // Rows that are sorted by a time may be in any order. With a limit, any of them may appear.
  TableSpec table;
  table.rows = {"kernel"};
  table.values = {value("Time", "kernel_time", "{mean}"), value("Calls", "kernel_calls", "{mean}")};
  const char* const report =
      "| kernel | Time (ms) | Calls |\n"
      "| ------ | --------: | ----: |\n"
      "| b      |       2.5 |     3 |\n"
      "| a      |       1.5 |     4 |\n";
  EXPECT_THAT(mask(report, sweep_of(table), {}), HasSubstr("| b | # | 3 |\n| a | # | 4 |\n"));
  table.sort = {"-Time"};
  EXPECT_THAT(mask(report, sweep_of(table), {}), HasSubstr("| a | # | 4 |\n| b | # | 3 |\n"));
  table.limit = 2;
  EXPECT_THAT(mask(report, sweep_of(table), {}), HasSubstr("| # | # | # |\n| # | # | # |\n"));
  table.sort = {"-kernel"};
  EXPECT_THAT(mask(report, sweep_of(table), {}), HasSubstr("| b | # | 3 |\n"));
  EXPECT_EQ(mask_numbers("-3.1% of 1.2e+09, bf16 at 1,234.5 in fp32"),
            "#% of #, bf16 at # in fp32");
  // A column that no value heads is refused.
  EXPECT_THROW(mask("| kernel | Backward (ms) |\n| --- | ---: |\n| b | 1 |\n", sweep_of(table), {}),
               std::runtime_error);
}

}  // namespace
}  // namespace sweepd::e2e
