// Tests that a file's text becomes exactly the values that it gives.
#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Value param(const Sweep& sweep, std::string_view name) {
  for (const Setting& setting : sweep.params) {
    if (def_of(sweep).params[setting.param].name == name) return setting.value;
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

TEST(Sweep, EverySectionArrives) {
  const Sweep sweep = one(R"(
sweep: lm-end-to-end
description: Step time of the five model sizes
workload: lm_step
passes: [timing, memory]
params: {batch: 8}
matrix:
  model: [small, xl]
  context: [128, 256]
zip:
  - {warmup: [0, 1, 5], steps: [20, 10, 10]}
exclude:
  - {model: [xl], context: 256}
include:
  - {model: small, context: 2048, precision: bf16}
order: shuffled
sentinel: 5m
frontier: off
tables:
  - title: Step time
    rows: [model, context]
    columns: [precision, phase]
    pool: [repeat, warmup, steps]
    cell: "{mean:.1f} ± {std:.1f}"
    metric: host_time
    unit: ms
    where: {pass: timing, context: [128, 2K], phase: [forward, step]}
    warmup: true
)");
  EXPECT_EQ(sweep.name, "lm-end-to-end");
  EXPECT_EQ(sweep.description, "Step time of the five model sizes");
  EXPECT_EQ(sweep.workload, "lm_step");
  EXPECT_THAT(sweep.passes, ElementsAre(Pass::kTiming, Pass::kMemory));
  EXPECT_EQ(sweep.order, Order::kShuffled);
  EXPECT_EQ(sweep.sentinel, seconds(300));
  EXPECT_FALSE(sweep.frontier);
  ASSERT_EQ(sweep.exclude.size(), 1U);
  EXPECT_EQ(sweep.exclude[0].line, 13);
  EXPECT_EQ(count_points(sweep), 2 * 2 * 3 + 1);
  ASSERT_EQ(sweep.tables.size(), 1U);
  const TableSpec& table = sweep.tables[0];
  EXPECT_EQ(table.title, "Step time");
  EXPECT_THAT(table.rows, ElementsAre("model", "context"));
  EXPECT_THAT(table.columns, ElementsAre("precision", "phase"));
  EXPECT_THAT(table.pool, ElementsAre("repeat", "warmup", "steps"));
  EXPECT_EQ(table.cell, "{mean:.1f} ± {std:.1f}");
  EXPECT_EQ(table.metric, "host_time");
  EXPECT_EQ(table.unit, "ms");
  EXPECT_TRUE(table.warmup);
  ASSERT_EQ(table.where.size(), 3U);
  EXPECT_EQ(table.where[1].name, "context");
  EXPECT_THAT(table.where[1].values, ElementsAre("128", "2000")) << "canonical, as results show it";
}

TEST(Sweep, ATableWithValuesAndABaselineArrives) {
  const Sweep sweep = one(R"yaml(
sweep: a
workload: lm_step
tables:
  - rows: [{model: Size}, context]
    columns: [{phase: Part}]
    baseline: {precision: fp32, context: 2K}
    bold: slower
    sort: [model, -Peak, mean]
    limit: 20
    values:
      - {name: "Min (s)", cell: "{min:.3f}", unit: s}
      - {name: Peak, metric: peak_allocated_bytes, where: {phase: [step], context: 1K}, warmup: true}
      - {name: Change, cell: "{change:+.1%}", bold: best_in_row}
)yaml");
  const TableSpec& table = sweep.tables.at(0);
  EXPECT_THAT(table.rows, ElementsAre("model", "context"));
  EXPECT_THAT(table.columns, ElementsAre("phase"));
  ASSERT_EQ(table.headings.size(), 2U);
  EXPECT_EQ(table.headings[0].name + " " + table.headings[0].text, "model Size");
  EXPECT_EQ(table.headings[1].name + " " + table.headings[1].text, "phase Part");
  ASSERT_EQ(table.baseline.size(), 2U);
  EXPECT_EQ(table.baseline[0].name, "precision");
  EXPECT_THAT(table.baseline[1].values, ElementsAre("2000"));
  EXPECT_EQ(table.bold, Bold::kSlower);
  EXPECT_THAT(table.sort, ElementsAre("model", "-Peak", "mean"));
  EXPECT_EQ(table.limit, 20);
  ASSERT_EQ(table.values.size(), 3U);
  EXPECT_EQ(table.values[0].name, "Min (s)");
  EXPECT_EQ(table.values[0].cell, "{min:.3f}");
  EXPECT_EQ(table.values[0].unit, "s");
  EXPECT_EQ(table.values[0].warmup, std::nullopt);
  EXPECT_EQ(table.values[1].metric, "peak_allocated_bytes");
  EXPECT_EQ(table.values[1].warmup, true);
  ASSERT_EQ(table.values[1].where.size(), 2U);
  EXPECT_THAT(table.values[1].where[1].values, ElementsAre("1000"));
  EXPECT_EQ(table.values[2].bold, Bold::kBestInRow);
}

TEST(Sweep, LeftOutSectionsHaveDefaults) {
  const Sweep sweep = one("sweep: a\nworkload: noop\n");
  EXPECT_THAT(sweep.passes, ElementsAre(Pass::kTiming));
  EXPECT_EQ(sweep.order, Order::kInterleaved);
  EXPECT_EQ(sweep.sentinel, Duration{0});
  EXPECT_TRUE(sweep.frontier);
  EXPECT_TRUE(sweep.tables.empty());
  EXPECT_THAT(labels(sweep), ElementsAre(""));
}

TEST(Sweep, ValuesHaveTheirParametersType) {
  const Sweep sweep = one(R"(
sweep: a
workload: matmul
params:
  size: 64K
  transposed: true
  timeout: 10m
  min_time: 250ms
  memory_limit: 1.5GiB
  relative_error: 2%
  seed: 9007199254740993
  precision: bf16
)");
  EXPECT_EQ(param(sweep, "size"), Value(std::int64_t{64'000}));
  EXPECT_EQ(param(sweep, "transposed"), Value(true));
  EXPECT_EQ(param(sweep, "timeout"), Value(std::int64_t{600'000'000'000}));
  EXPECT_EQ(param(sweep, "min_time"), Value(std::int64_t{250'000'000}));
  EXPECT_EQ(param(sweep, "memory_limit"), Value(std::int64_t{1'610'612'736}));
  EXPECT_EQ(param(sweep, "relative_error"), Value(0.02));
  EXPECT_EQ(param(sweep, "seed"), Value(std::int64_t{9007199254740993})) << "2^53 + 1, exactly";
  EXPECT_EQ(param(sweep, "precision"), Value(std::string("bf16")));
}

// Sweeps from before the parameter keep their trials.
TEST(Sweep, AFlushOfTheCacheIsAnotherTrialAndNoneIsTheSame) {
  const auto key = [](const std::string& params) {
    const Sweep sweep = one("sweep: a\nworkload: matmul\nparams: " + params + "\n");
    return expand(sweep, def_of(sweep)).trials.at(0).key;
  };
  EXPECT_EQ(key("{flush_cache: none}"), key("{}"));
  EXPECT_NE(key("{flush_cache: L2}"), key("{}"));
  EXPECT_THAT(labels("sweep: a\nworkload: matmul\nmatrix: {flush_cache: [none, L2]}\n"),
              ElementsAre("", "flush_cache=L2"));
}

TEST(Sweep, QuotesMakeNoDifference) {
  const auto plain = labels("sweep: a\nworkload: lm_step\nparams: {batch: 8, model: 2.7B}\n");
  const auto quoted =
      labels("'sweep': \"a\"\nworkload: 'lm_step'\nparams: {batch: '8', \"model\": \"2.7B\"}\n");
  EXPECT_EQ(plain, quoted);
  EXPECT_THAT(plain, ElementsAre("model=2.7B batch=8"));
}

TEST(Sweep, AliasesRepeatValues) {
  EXPECT_THAT(
      labels(R"(
sweep: a
workload: lm_step
matrix:
  d_model: &sizes [1, 2]
  d_ff: *sizes
)"),
      ElementsAre("d_model=1 d_ff=1", "d_model=1 d_ff=2", "d_model=2 d_ff=1", "d_model=2 d_ff=2"));
}

TEST(Sweep, EachDocumentIsASweepWithItsOwnText) {
  const Parsed parsed = parse(
      "# two\n"
      "sweep: a\n"
      "workload: noop\n"
      "---\n"
      "# the second\n"
      "sweep: b\n"
      "workload: matmul\n"
      "...\n"
      "---\n");
  ASSERT_EQ(parsed.sweeps.size(), 2U) << render(parsed.errors);
  EXPECT_EQ(parsed.sweeps[0].source, "# two\nsweep: a\nworkload: noop\n");
  EXPECT_EQ(parsed.sweeps[1].source, "# the second\nsweep: b\nworkload: matmul\n...\n");
  const Parsed again = parse(parsed.sweeps[1].source);
  ASSERT_EQ(again.sweeps.size(), 1U) << "the source is a file of its own";
  EXPECT_EQ(again.sweeps[0].name, "b");
}

TEST(Sweep, WindowsLineEndsAndAByteOrderMarkAreFine) {
  EXPECT_THAT(labels("\xef\xbb\xbfsweep: a\r\nworkload: noop\r\nparams:\r\n  steps: 3\r\n"),
              ElementsAre("steps=3"));
  EXPECT_THAT(messages("\xef\xbb\xbfsweap: a\r\nsweep: a\r\nworkload: noop\r\n"),
              ElementsAre(HasSubstr("1:1 `sweap` is not a key")));
}

TEST(Sweep, TheWorkloadMayComeLast) {
  EXPECT_THAT(labels("params: {steps: 3}\nsweep: a\nworkload: noop\n"), ElementsAre("steps=3"));
}

TEST(Sweep, EmptyCollectionsAreNothing) {
  EXPECT_THAT(labels("sweep: a\nworkload: noop\nparams: {}\nmatrix: {}\nzip: []\nexclude: []\n"
                     "include: []\ntables: []\n"),
              ElementsAre(""));
}

TEST(Sweep, NamesAreLettersDigitsAndThreeSigns) {
  const auto faults = [](const std::string& name) {
    return messages("sweep: '" + name + "'\nworkload: noop\n").size();
  };
  EXPECT_EQ(faults("a.B_c-9"), 0U);
  EXPECT_EQ(faults(std::string(64, 'x')), 0U);
  EXPECT_EQ(faults(std::string(65, 'x')), 1U);
  EXPECT_EQ(faults(""), 1U);
  EXPECT_EQ(faults("a/b"), 1U);
  EXPECT_EQ(faults("größe"), 1U);
}

}  // namespace
}  // namespace sweepd::test
