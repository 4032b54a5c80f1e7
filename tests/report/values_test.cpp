// Tests several figures side by side, in the shapes of tables written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// 002: Model | Pass | Warmup | Min | Max | Avg | Std. One read serves all four values.
TEST(Values, MinMaxAvgStd) {
  ResultsBuilder b;
  b.text("model", {"small"}).text("phase", {"forward", "backward"}).numbers("warmup", {"0", "1"});
  b.samples({"small", "forward", "0"}, {438.0, 31.2, 31.0, 30.8});
  b.samples({"small", "forward", "1"}, {31.4, 31.0, 32.7, 31.1});
  b.ended({"small", "backward", "1"}, Outcome::kOom);
  QuerySpec query = query_of({"model", "phase", "warmup"}, {});
  query.table.headings = {{"model", "Model"}, {"phase", "Pass"}, {"warmup", "Warmup"}};
  query.table.unit = "s";
  query.table.values = {value_of("Min (s)", "{min:.3f}"), value_of("Max (s)", "{max:.3f}"),
                        value_of("Avg (s)", "{mean:.3f}"), value_of("Std (s)", "{std:.3f}")};
  EXPECT_EQ(markdown({b.get()}, query),
            R"(| Model | Pass     | Warmup | Min (s) | Max (s) | Avg (s) | Std (s) |
| ----- | -------- | -----: | ------: | ------: | ------: | ------: |
| small | forward  |      0 |   0.031 |   0.438 |   0.133 |   0.204 |
| small | forward  |      1 |   0.031 |   0.033 |   0.032 |   0.001 |
| small | backward |      1 |     OOM |     OOM |     OOM |     OOM |

- figures of time, n = 4
)");
}

// 003: Model | Params | Forward (s) | Backward (s), with the peak and the outcome.
TEST(Values, MetricsAndPhasesSideBySide) {
  ResultsBuilder params("figure.parameters", "1");
  params.text("model", {"small", "xl"}).numbers("context", {"128"});
  params.samples({"small", "128"}, {128625408});
  // It is known by formula, although the attempt ran out of memory.
  ResultRow& xl = params.samples({"xl", "128"}, {1998235200});
  xl.outcome = Outcome::kOom;
  ResultsBuilder forward;
  forward.text("model", {"small", "xl"}).numbers("context", {"128"});
  forward.summary({"small", "128"}, 10, 22.153, 0.912);
  forward.ended({"xl", "128"}, Outcome::kOom, "out of memory: asked for 1.50 GiB");
  ResultsBuilder peak("peak_allocated_bytes", "B");
  peak.text("model", {"small"}).numbers("context", {"128"});
  peak.samples({"small", "128"}, {2147483648.0});
  QuerySpec query = query_of({"model", "context"}, {});
  query.table.headings = {{"model", "Size"}};
  query.table.values = {
      value_of("Params", "{mean:,.0f}", "", "figure.parameters"),
      value_of("Forward (s)", "{mean:.3f} ± {std:.3f}", "s", "", {{"phase", {"forward"}}}),
      value_of("Peak", "{max:.0f}", "MiB", "peak_allocated_bytes"),
      value_of("Status", "{outcome}", "", "", {{"phase", {"forward"}}})};
  EXPECT_EQ(markdown({params.get(), forward.get(), peak.get()}, query),
            R"(| Size  | context |        Params |   Forward (s) | Peak (MiB) | Status |
| ----- | ------: | ------------: | ------------: | ---------: | ------ |
| small |     128 |   128,625,408 | 0.022 ± 0.001 |       2048 | done   |
| xl    |     128 | 1,998,235,200 |           OOM |            | OOM    |

- mean ± std of time, n = 10
- column Status: phase forward
- OOM: out of memory: asked for 1.50 GiB
)");
}

// 000: one column per pass, each with an average and a deviation.
TEST(Values, EachColumnHasAllValues) {
  ResultsBuilder b;
  b.text("model", {"small"}).numbers("warmup", {"0", "5"});
  b.samples({"small", "0"}, {90, 30});
  b.samples({"small", "5"}, {31, 29});
  QuerySpec query = query_of({"model"}, {"warmup"});
  query.table.headings = {{"warmup", "warm-up"}};
  query.table.values = {value_of("avg", "{mean:.1f}"), value_of("std", "{std:.1f}")};
  const auto table = pivot({b.get()}, query);
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> names;
  for (const Column& column : table->columns) names.push_back(column.name);
  EXPECT_THAT(names, ElementsAre("model", "warm-up 0, avg", "warm-up 0, std", "warm-up 5, avg",
                                 "warm-up 5, std"));
  EXPECT_EQ(table->rows[0][3].text, "30.0");
  EXPECT_EQ(table->rows[0][3].number, 30.0);
}

// 001: Size | forward vanilla | forward compiled: the values are points of one parameter.
TEST(Values, ReadApartTheyMeetByTheirRows) {
  const auto results = [](std::vector<std::string> models, double ms) {
    ResultsBuilder b;
    b.text("model", models);
    for (const std::string& model : models) b.samples({model}, {ms});
    return b.get();
  };
  QuerySpec query = query_of({"model"}, {}, "{mean:.0f}");
  query.table.values = {value_of("vanilla", "", "", "", {{"compile", {"false"}}}),
                        value_of("compiled", "", "", "", {{"compile", {"true"}}})};
  const auto table =
      pivot({results({"large", "small"}, 1), results({"medium", "small", "xl"}, 2)}, query);
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> lines;
  for (const auto& row : table->rows) {
    lines.push_back(row[0].text + ":" + row[1].text + ":" + row[2].text);
  }
  EXPECT_THAT(lines, ElementsAre("medium::2", "large:1:", "small:1:2", "xl::2"));
}

// 004: size by device, from one database that was merged from three machines.
TEST(Values, DevicesAsColumns) {
  ResultsBuilder b;
  b.text("model", {"small", "2.7B"}).text("device_name", {"AMD EPYC", "Apple M3", "NVIDIA L4"});
  b.text("phase", {"forward", "step"}).text("host", {"one", "two", "three"});
  b.samples({"small", "AMD EPYC", "forward", "one"}, {700});
  b.samples({"small", "AMD EPYC", "step", "one"}, {2500});
  b.samples({"small", "NVIDIA L4", "forward", "three"}, {12});
  b.samples({"small", "NVIDIA L4", "step", "three"}, {40});
  b.ended({"2.7B", "NVIDIA L4", "*", "three"}, Outcome::kOom);
  b.pending({"2.7B", "Apple M3", "*", "two"});
  EXPECT_EQ(
      markdown({b.get()}, query_of({"model"}, {"device_name", "phase"}, "{mean:,.0f}")),
      R"(| model | AMD EPYC forward (ms) | AMD EPYC step (ms) | Apple M3 forward (ms) | Apple M3 step (ms) | NVIDIA L4 forward (ms) | NVIDIA L4 step (ms) |
| ----- | --------------------: | -----------------: | --------------------: | -----------------: | ---------------------: | ------------------: |
| small |                   700 |              2,500 |                       |                    |                     12 |                  40 |
| 2.7B  |                       |                    |                     … |                  … |                    OOM |                 OOM |

- mean of time, n = 1
- …: not measured yet (1 attempt pending)
)");
}

// 004: ten runs one by one, with and without warm-up.
TEST(Values, StepsOneByOne) {
  ResultsBuilder b;
  b.text("model", {"large"}).numbers("warmup", {"0", "5"});
  b.numbers("step", {"0", "1", "2"});
  const double without[] = {1763.2, 140.3, 139.9};
  for (int step = 0; step < 3; ++step) {
    b.samples({"large", "0", std::to_string(step)}, {without[step]});
    b.samples({"large", "5", std::to_string(step)}, {139.8});
  }
  QuerySpec query = query_of({"model", "warmup"}, {"step"}, "{mean:.1f}");
  query.table.headings = {{"step", ""}};
  EXPECT_EQ(markdown({b.get()}, query), R"(| model | warmup | 0 (ms) | 1 (ms) | 2 (ms) |
| ----- | -----: | -----: | -----: | -----: |
| large |      0 | 1763.2 |  140.3 |  139.9 |
| large |      5 |  139.8 |  139.8 |  139.8 |

- mean of time, n = 1
)");
}

TEST(Values, TextFactsAndNumbersInOneColumn) {
  ResultsBuilder b("fact", "");
  b.text("fact", {"fc1.dtype", "loss.dtype", "sum"}).text("dtype", {"fp16", "bf16"});
  b.row({"fc1.dtype", "fp16"}).text = "float16";
  b.row({"fc1.dtype", "bf16"}).text = "bfloat16";
  b.row({"loss.dtype", "fp16"}).text = "float32";
  b.ended({"loss.dtype", "bf16"}, Outcome::kFailed);
  b.samples({"sum", "fp16"}, {9.953125});
  for (const std::string cell : {"", "{text}"}) {
    const auto table = pivot({b.get()}, query_of({"fact"}, {"dtype"}, cell));
    ASSERT_TRUE(table) << table.error().message;
    std::vector<std::string> cells;
    for (const auto& row : table->rows) cells.push_back(row[1].text + ":" + row[2].text);
    EXPECT_THAT(cells, ElementsAre("float16:bfloat16", "float32:failed", "9.95312:"));
    EXPECT_EQ(table->rows[2][1].number, 9.953125);
    EXPECT_EQ(table->columns[1].align, Align::kLeft);
  }
}

TEST(Values, AreSortedByTheirNames) {
  ResultsBuilder time, peak("peak_allocated_bytes", "B");
  time.text("model", {"a", "b", "c"});
  peak.text("model", {"a", "b", "c"});
  for (const auto& [model, ms, bytes] : {std::tuple{"a", 1.0, 30.0}, {"b", 2.0, 10.0}}) {
    time.samples({model}, {ms});
    peak.samples({model}, {bytes});
  }
  time.ended({"c"}, Outcome::kOom);
  QuerySpec query = query_of({"model"}, {});
  query.table.values = {value_of("Time", "{mean}"),
                        value_of("Peak", "{max}", "", "peak_allocated_bytes"),
                        value_of("Status", "{outcome}")};
  const auto order = [&](std::vector<std::string> sort) {
    query.table.sort = std::move(sort);
    const auto table = pivot({time.get(), peak.get()}, query);
    if (!table) return table.error().message;
    std::string rows;
    for (const auto& row : table->rows) rows += row[0].text;
    return rows;
  };
  EXPECT_EQ(order({"Peak"}), "bac");
  EXPECT_EQ(order({"-Time"}), "bac");
  EXPECT_EQ(order({"-Peak"}), "abc");
  EXPECT_EQ(order({"-model"}), "cba");
  EXPECT_THAT(order({"Peek"}), HasSubstr("expected one of model, Time, Peak, Status, n, mean"));
}

TEST(Values, OneWithoutResultsKeepsItsColumn) {
  ResultsBuilder time, peak("peak_allocated_bytes", "B");
  time.text("model", {"a"});
  peak.text("model", {});
  time.samples({"a"}, {1.5});
  QuerySpec query = query_of({"model"}, {});
  query.table.values = {value_of("Time", "{mean}"),
                        value_of("Peak", "{max}", "MiB", "peak_allocated_bytes")};
  const auto table = pivot({time.get(), peak.get()}, query);
  ASSERT_EQ(table->columns.size(), 3U);
  EXPECT_EQ(table->columns[2].unit, "MiB");
  EXPECT_EQ(table->rows[0][2].text, "");
}

// The first value's filter matches nothing. The second value has the names of the rows.
TEST(Values, AnEmptyFirstOneLosesNoRow) {
  ResultsBuilder none, some;
  none.text("model", {}).numbers("context", {});
  some.text("model", {"tiny"}).numbers("context", {"64"});
  some.samples({"tiny", "64"}, {2.5});
  QuerySpec query = query_of({"model", "context"}, {});
  query.table.values = {value_of("fp32", "{mean:.1f}", "", "", {{"precision", {"fp32"}}}),
                        value_of("bf16", "{mean:.1f}", "", "", {{"precision", {"bf16"}}})};
  EXPECT_EQ(markdown({none.get(), some.get()}, query),
            R"(| model | context | fp32 (ms) | bf16 (ms) |
| ----- | ------: | --------: | --------: |
| tiny  |      64 |           |       2.5 |

- mean of time, n = 1
)");
}

TEST(Values, ATextStandsWhereAMeanWasAsked) {
  ResultsBuilder b("fact", "");
  b.text("fact", {"loss.dtype", "sum"});
  b.row({"loss.dtype"}).text = "float32";
  b.samples({"sum"}, {2});
  const auto table = pivot({b.get()}, query_of({"fact"}, {}, "{mean:.1f}"));
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows[0][1].text, "float32");
  EXPECT_EQ(table->rows[0][1].number, std::nullopt);
  EXPECT_EQ(table->rows[1][1].text, "2.0");
}

TEST(Values, WhatNoResultHasIsNamedOnceSomethingIsDone) {
  ResultsBuilder b("kernel_time", "ms");
  b.text("model", {"tiny"});
  b.row({"tiny"});
  ResultSet results = b.get();
  results.unknown = {"range `attention.scores`"};
  EXPECT_THAT(pivot(results, query_of({"model"}, {}))->notes,
              ElementsAre("no result has range `attention.scores`"));
  results.rows[0].pending = true;
  EXPECT_THAT(pivot(results, query_of({"model"}, {}))->notes,
              ElementsAre("…: not measured yet (1 attempt pending)"));
}

// 003-11: Seq | Memory | Memory/seq^2.
TEST(Values, AMetricDividedByAPowerOfAParameter) {
  ResultsBuilder b("peak_allocated_bytes", "B");
  b.numbers("sequence", {"256", "1000"}).text("device", {"cpu"});
  b.samples({"256", "cpu"}, {1048576.0});
  b.samples({"1000", "cpu"}, {16000000.0});
  QuerySpec query = query_of({"sequence"}, {});
  const auto largest = [](const char* name, const char* metric, const char* unit) {
    TableSpec::Value made;
    made.name = name;
    made.metric = metric;
    made.unit = unit;
    made.cell = "{max:,.2f}";
    return made;
  };
  query.table.values = {largest("Memory", "peak_allocated_bytes", "MiB"),
                        largest("Memory/seq²", "peak_allocated_bytes per sequence^2", ""),
                        largest("Memory/seq", "peak_allocated_bytes per sequence", "KiB")};
  query.table.sort = {"-Memory/seq²"};
  EXPECT_EQ(plan_reads(query).reads.size(), 1U) << "all three show the same results";
  EXPECT_EQ(validate(query.table, {"sequence", "device"}).ok(), true);
  const auto table = pivot(std::vector{b.get()}, query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(to_markdown(*table),
            R"(| sequence | Memory (MiB) | Memory/seq² (B) | Memory/seq (KiB) |
| -------: | -----------: | --------------: | ---------------: |
|      256 |         1.00 |           16.00 |             4.00 |
|     1000 |        15.26 |           16.00 |            15.62 |
)");
  for (const auto& [metric, says] : std::vector<std::pair<const char*, const char*>>{
           {"peak_allocated_bytes per ^2", "not METRIC per PARAMETER"},
           {"peak_allocated_bytes per sequence^", "the power from 1 to 4"},
           {"peak_allocated_bytes per sequence^9", "the power from 1 to 4"},
           {"peak_allocated_bytes per device^2 x", "the power from 1 to 4"},
           {"peak_allocated_bytes per batch", "neither a row nor a column"}}) {
    query.table.values = {largest("Memory", metric, "")};
    query.table.sort.clear();
    const auto checked = validate(query.table, {"sequence", "device", "batch"});
    ASSERT_FALSE(checked) << metric;
    EXPECT_THAT(checked.error().message, testing::HasSubstr(says)) << metric;
  }
}

}  // namespace
}  // namespace sweepd
