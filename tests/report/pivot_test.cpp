#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string markdown(const ResultSet& results, const QuerySpec& query) {
  const auto table = pivot(results, query);
  return table ? to_markdown(*table) : "error: " + table.error().message;
}

// 003, section benchmarking_script: Model | Params | Forward | Backward as "s ± s".
TEST(Pivot, StepTimesByModelAndContext) {
  ResultsBuilder b;
  b.text("model", {"small", "large"}).numbers("context", {"128", "1024"});
  b.text("phase", {"forward", "backward"});
  b.summary({"small", "128", "forward"}, 10, 22.153, 0.912);
  b.summary({"small", "128", "backward"}, 10, 43.017, 1.208);
  b.summary({"large", "128", "forward"}, 10, 76.409, 2.497);
  b.summary({"large", "128", "backward"}, 10, 165.961, 2.494);
  b.summary({"large", "1024", "forward"}, 10, 647.840, 0.234);
  b.ended({"large", "1024", "backward"}, Outcome::kOom);
  QuerySpec query = query_of({"model", "context"}, {"phase"}, "{mean:.3f} ± {std:.3f}", "s");
  query.table.title = "Step time";
  EXPECT_EQ(markdown(b.get(), query), R"(**Step time**

| model | context |   forward (s) |  backward (s) |
| ----- | ------: | ------------: | ------------: |
| small |     128 | 0.022 ± 0.001 | 0.043 ± 0.001 |
| large |     128 | 0.076 ± 0.002 | 0.166 ± 0.002 |
| large |    1024 | 0.648 ± 0.000 |           OOM |

- mean ± std of time, n = 10
)");
}

// 004, section mixed precision: fp32 beside bf16, and failures have a word.
TEST(Pivot, Fp32AgainstBf16) {
  ResultsBuilder b;
  b.text("size", {"small", "xl"}).numbers("context", {"128", "1024"});
  b.text("precision", {"fp32", "bf16"}).text("phase", {"forward", "backward"});
  b.summary({"small", "128", "fp32", "forward"}, 10, 29.5, 0.4);
  b.summary({"small", "128", "fp32", "backward"}, 10, 47.1, 0.6);
  b.summary({"small", "128", "bf16", "forward"}, 10, 31.7, 0.3);
  b.summary({"small", "128", "bf16", "backward"}, 10, 55.1, 0.5);
  b.ended({"xl", "1024", "fp32", "*"}, Outcome::kOom,
          "out of memory: asked for 1.50 GiB with 78.2 GiB in use of 79.1 GiB, in forward");
  b.ended({"xl", "1024", "bf16", "*"}, Outcome::kTimeout, "took longer than 10m, in setup");
  EXPECT_EQ(
      markdown(b.get(), query_of({"size", "context"}, {"precision", "phase"}, "{mean:.1f}")),
      R"(| size  | context | fp32 forward (ms) | fp32 backward (ms) | bf16 forward (ms) | bf16 backward (ms) |
| ----- | ------: | ----------------: | -----------------: | ----------------: | -----------------: |
| small |     128 |              29.5 |               47.1 |              31.7 |               55.1 |
| xl    |    1024 |               OOM |                OOM |           timeout |            timeout |

- mean of time, n = 10
- OOM: out of memory: asked for 1.50 GiB with 78.2 GiB in use of 79.1 GiB, in forward
- timeout: took longer than 10m, in setup
)");
}

// 002, section benchmarking_script: the only one of the five with a minimum and a maximum.
TEST(Pivot, WarmUpStudyWithExtremes) {
  ResultsBuilder b;
  b.text("model", {"small"}).text("phase", {"forward"}).numbers("warmup", {"0", "1"});
  b.samples({"small", "forward", "0"}, {438.0, 31.2, 31.0, 30.8});
  b.samples({"small", "forward", "1"}, {31.4, 31.0, 32.7, 31.1});
  EXPECT_EQ(markdown(b.get(), query_of({"model", "phase", "warmup"}, {},
                                       "{min:.1f} / {max:.1f} / {mean:.1f} / {std:.1f}")),
            R"(| model | phase   | warmup |                    time (ms) |
| ----- | ------- | -----: | ---------------------------: |
| small | forward |      0 | 30.8 / 438.0 / 132.8 / 203.5 |
| small | forward |      1 |     31.0 / 32.7 / 31.6 / 0.8 |

- min / max / mean / std of time, n = 4
)");
}

// 001, section pytorch_attention: peaks of memory, with units in the header.
TEST(Pivot, PeakMemoryOfAttention) {
  ResultsBuilder b("peak_allocated_bytes", "B");
  b.numbers("d_head", {"16", "64"}).numbers("sequence", {"256", "16384"});
  b.summary({"16", "256"}, 1, 24117248, 0);
  b.summary({"64", "256"}, 1, 31457280, 0);
  b.ended({"16", "16384"}, Outcome::kOom);
  b.ended({"64", "16384"}, Outcome::kOom);
  EXPECT_EQ(markdown(b.get(), query_of({"d_head"}, {"sequence"}, "", "MiB")),
            R"(| d_head | sequence 256 (MiB) | sequence 16384 (MiB) |
| -----: | -----------------: | -------------------: |
|     16 |               23.0 |                  OOM |
|     64 |               30.0 |                  OOM |
)");
}

// 003, section all-reduce: rates have their own unit in the header.
TEST(Pivot, RatesNameTheirUnit) {
  ResultsBuilder b;
  b.text("size", {"1MiB", "1GiB"}).numbers("world_size", {"2", "4"});
  for (const char* size : {"1MiB", "1GiB"}) {
    for (const char* ranks : {"2", "4"}) {
      b.samples({size, ranks}, {2.0, 2.5, 2.0}).bytes = size[1] == 'M' ? 1048576 : 1073741824;
    }
  }
  EXPECT_EQ(markdown(b.get(), query_of({"size"}, {"world_size"}, "{gbps:,.1f}")),
            R"(| size | world_size 2 (GB/s) | world_size 4 (GB/s) |
| ---- | ------------------: | ------------------: |
| 1MiB |                 0.5 |                 0.5 |
| 1GiB |               495.6 |               495.6 |

- GB/s by the mean time, n = 3
)");
}

TEST(Pivot, MetricsSideBySideBringTheirUnits) {
  ResultsBuilder b("time, peak_allocated_bytes", "");
  b.text("model", {"tiny"}).text("metric", {"time", "peak_allocated_bytes"});
  b.samples({"tiny", "time"}, {12.5});
  b.samples({"tiny", "peak_allocated_bytes"}, {1048576});
  const auto columns = pivot(b.get(), query_of({"model"}, {"metric"}, "{mean:,.1f}"))->columns;
  EXPECT_EQ(columns[1].unit, "ms");
  EXPECT_EQ(columns[2].unit, "B");
  const auto rows = pivot(b.get(), query_of({"model", "metric"}, {}, "{mean:,.1f}"))->rows;
  EXPECT_EQ(rows[0][1].text, "time (ms)");
  EXPECT_EQ(rows[1][1].text, "peak_allocated_bytes (B)");
}

TEST(Pivot, AMetricIsCalledAsItsProgramDoes) {
  ResultsBuilder b("val_loss", "");
  b.text("model", {"tiny"}).shown("val_loss", "val/loss").samples({"tiny"}, {2, 3});
  EXPECT_EQ(markdown(b.get(), query_of({"model"}, {}, "{mean:.1f}")), R"(| model | val/loss |
| ----- | -------: |
| tiny  |      2.5 |

- mean of val/loss, n = 2
)");
  ResultsBuilder rows("val_loss, time", "");
  rows.text("metric", {"val_loss", "time"}).shown("val_loss", "val/loss");
  rows.samples({"val_loss"}, {2}), rows.samples({"time"}, {5});
  const auto table = pivot(rows.get(), query_of({"metric"}, {}, "{mean:.1f}"));
  EXPECT_EQ(table->columns[1].name, "val/loss, time");
  EXPECT_EQ(table->rows[0][0].text, "val/loss");
  EXPECT_EQ(table->rows[1][0].text, "time (ms)");
}

TEST(Pivot, WithoutColumnsTheMetricNamesTheOne) {
  ResultsBuilder b;
  b.text("model", {"tiny"});
  b.samples({"tiny"}, {10, 20}).flops = 3e11;
  EXPECT_EQ(pivot(b.get(), query_of({"model"}, {}))->columns[1].name, "time");
  EXPECT_EQ(pivot(b.get(), query_of({"model"}, {}))->columns[1].unit, "ms");
  const auto rate = pivot(b.get(), query_of({"model"}, {}, "{tflops:.1f}"));
  EXPECT_EQ(rate->columns[1].name, "TFLOP/s");
  EXPECT_EQ(rate->rows[0][1].text, "20.0");
  EXPECT_DOUBLE_EQ(*rate->rows[0][1].number, 20.0);
}

// The rows are in the order in which the file zips them; neither parameter alone has it.
TEST(Pivot, RowsFollowTheFileWhereItListsPoints) {
  ResultsBuilder b;
  b.text("sum", {"fp32", "fp16", "bf16"}).text("addend", {"fp32", "fp16", "bf16"});
  b.numbers("count", {"1000", "10000"});
  for (const char* count : {"1000", "10000"}) {
    b.samples({"bf16", "bf16", count}, {1});
    b.samples({"fp32", "fp16", count}, {1});
    b.samples({"fp32", "bf16", count}, {1});
    b.samples({"fp16", "fp16", count}, {1});
  }
  QuerySpec query = query_of({"count", "sum", "addend"}, {});
  query.file_order = {{{"addend", "seed", "sum"},
                       {{"fp16", "0", "fp16"},
                        {"fp16", "0", "fp32"},
                        {"bf16", "0", "bf16"},
                        {"fp16", "1", "fp16"}}}};
  const auto rows = [](const Table& table) {
    std::vector<std::string> texts;
    for (const auto& row : table.rows) texts.push_back(row[0].text + row[1].text + row[2].text);
    return texts;
  };
  EXPECT_THAT(rows(*pivot(b.get(), query)),
              ElementsAre("1000fp16fp16", "1000fp32fp16", "1000bf16bf16", "1000fp32bf16",
                          "10000fp16fp16", "10000fp32fp16", "10000bf16bf16", "10000fp32bf16"));
  query.table.sort = {"-count"};
  EXPECT_EQ(rows(*pivot(b.get(), query)).front(), "10000fp16fp16") << "a sort key comes first";
}

TEST(Pivot, AHeaderSaysItsUnitOnce) {
  ResultsBuilder b;
  b.text("model", {"tiny"}).text("precision", {"fp32"});
  b.samples({"tiny", "fp32"}, {10}).flops = 3e11;
  QuerySpec query = query_of({"model"}, {"precision"});
  query.table.values = {{"TFLOP/s", "{tflops:.1f}", "", "", {}, {}, {}}};
  EXPECT_THAT(markdown(b.get(), query), HasSubstr("| fp32 TFLOP/s |"));
}

TEST(Pivot, OrderIsTheDimensionsNotTheRows) {
  ResultsBuilder b;
  b.text("model", {"small", "medium", "large"});
  for (const char* model : {"large", "small", "medium"}) b.samples({model}, {1, 2});
  const auto table = pivot(b.get(), query_of({"model"}, {}));
  EXPECT_EQ(table->rows[0][0].text, "small");
  EXPECT_EQ(table->rows[1][0].text, "medium");
  EXPECT_EQ(table->rows[2][0].text, "large");
}

TEST(Pivot, EveryOutcomeIsAWordAndOnlyWhatNeverWasIsEmpty) {
  ResultsBuilder b;
  b.text("case", {"done", "oom", "timeout", "crashed", "failed", "cancelled", "skipped", "pending",
                  "two ways", "unmeasured"});
  b.text("phase", {"forward", "backward"});
  b.samples({"done", "forward"}, {1, 2});
  b.ended({"oom", "*"}, Outcome::kOom);
  b.ended({"timeout", "*"}, Outcome::kTimeout);
  b.ended({"crashed", "*"}, Outcome::kCrashed);
  b.ended({"failed", "*"}, Outcome::kFailed);
  b.ended({"cancelled", "*"}, Outcome::kCancelled);
  b.ended({"skipped", "*"}, Outcome::kSkipped);
  b.pending({"pending", "*"});
  b.ended({"two ways", "*"}, Outcome::kOom);
  b.ended({"two ways", "*"}, Outcome::kCrashed);
  b.row({"unmeasured", "*"});
  const auto table = pivot(b.get(), query_of({"case"}, {"phase"}));
  ASSERT_TRUE(table);
  std::vector<std::string> words;
  for (const auto& row : table->rows) words.push_back(row[1].text);
  EXPECT_THAT(words, ElementsAre("1.50 ± 0.71", "OOM", "timeout", "crashed", "failed", "cancelled",
                                 "skipped", "…", "OOM/crashed", "—"));
  EXPECT_EQ(table->columns.size(), 2u) << "backward appears in no result";
}

TEST(Pivot, AFailureIsSpreadOverThePhasesThatOthersHave) {
  ResultsBuilder b;
  b.text("model", {"a", "b"}).text("phase", {"forward", "backward", "optimizer"});
  b.samples({"a", "forward"}, {1, 1});
  b.samples({"a", "backward"}, {2, 2});
  b.ended({"b", "*"}, Outcome::kOom);
  const auto table = pivot(b.get(), query_of({"model"}, {"phase"}));
  ASSERT_EQ(table->columns.size(), 3u);
  EXPECT_EQ(table->rows[1][1].text, "OOM");
  EXPECT_EQ(table->rows[1][2].text, "OOM");
}

TEST(Pivot, ASweepOfFailuresAloneStillHasAColumn) {
  ResultsBuilder b;
  b.text("model", {"a"}).text("phase", {});
  b.ended({"a", "*"}, Outcome::kSkipped, "needs a CUDA device");
  EXPECT_EQ(markdown(b.get(), query_of({"model"}, {"phase"})), R"(| model | time (ms) |
| ----- | --------: |
| a     |   skipped |

- skipped: needs a CUDA device
)");
}

TEST(Pivot, SortsByDimensionsAndFiguresAndLimits) {
  ResultsBuilder b;
  b.text("model", {"a", "b", "c", "d"});
  b.samples({"a"}, {20, 20});
  b.samples({"b"}, {30, 30});
  b.ended({"c"}, Outcome::kOom);
  b.samples({"d"}, {20, 20});
  const auto order = [&](std::vector<std::string> sort, std::int64_t limit = 0) {
    QuerySpec query = query_of({"model"}, {});
    query.table.sort = std::move(sort);
    query.table.limit = limit;
    const auto table = pivot(b.get(), query);
    std::string models;
    for (const auto& row : table->rows) models += row[0].text;
    return models;
  };
  EXPECT_EQ(order({}), "abcd");
  EXPECT_EQ(order({"-model"}), "dcba");
  EXPECT_EQ(order({"mean"}), "adbc") << "without a figure: last";
  EXPECT_EQ(order({"-mean"}), "badc") << "without a figure: last, here too";
  EXPECT_EQ(order({"-mean", "-model"}), "bdac");
  EXPECT_EQ(order({"-median"}, 2), "ba");
  QuerySpec limited = query_of({"model"}, {});
  limited.table.limit = 3;
  EXPECT_THAT(pivot(b.get(), limited)->notes, ::testing::Contains("the first 3 of 4 rows"));
}

TEST(Pivot, MistakesAreNamed) {
  ResultsBuilder b;
  b.text("model", {"a"});
  b.samples({"a"}, {1});
  const auto error = [&](const QuerySpec& query) { return pivot(b.get(), query).error().message; };
  EXPECT_THAT(error(query_of({"modl"}, {})), HasSubstr("no column `modl` (did you mean `model`?)"));
  EXPECT_THAT(error(query_of({"model"}, {}, "", "GB")), HasSubstr("in ms cannot be shown in GB"));
  EXPECT_THAT(error(query_of({"model"}, {}, "{men}")), HasSubstr("did you mean `mean`?"));
  QuerySpec query = query_of({"model"}, {});
  query.table.sort = {"medain"};
  EXPECT_THAT(error(query), HasSubstr("sort: `medain` is neither"));
}

TEST(Pivot, DefaultCellShowsEnoughDigits) {
  const auto cell = [](std::vector<std::vector<double>> attempts, std::string metric = "time",
                       std::string unit = "ms") {
    ResultsBuilder b(std::move(metric), std::move(unit));
    b.numbers("i", {"0", "1", "2"});
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      b.samples({std::to_string(i)}, attempts[i]);
    }
    return pivot(b.get(), query_of({"i"}, {}))->rows[0][1].text;
  };
  EXPECT_EQ(cell({{12, 13}}), "12.5 ± 0.7");
  EXPECT_EQ(cell({{1200, 1201}}), "1,200.5 ± 0.7");
  EXPECT_EQ(cell({{12, 13}, {0.05, 0.06}}), "12.5000 ± 0.7071") << "one choice for all cells";
  EXPECT_EQ(cell({{12}}), "12.0") << "one value has no spread";
  EXPECT_EQ(cell({{1073741824}}, "peak_allocated_bytes", "B"), "1,073,741,824");
  EXPECT_EQ(cell({{9.2103, 9.2105}}, "loss", "1"), "9.21 ± 0.00");
  EXPECT_EQ(cell({{12, 13}, {7}}), "12.50 ± 0.71");
}

TEST(Pivot, AMissingSpreadIsADash) {
  ResultsBuilder b;
  b.numbers("i", {"0"});
  b.samples({"0"}, {7.5});
  EXPECT_EQ(pivot(b.get(), query_of({"i"}, {}, "{mean:.1f} ± {std:.1f}"))->rows[0][1].text,
            "7.5 ± —");
  EXPECT_EQ(pivot(b.get(), query_of({"i"}, {}, "{mfu:.1%}"))->rows[0][1].text, "—");
  EXPECT_FALSE(pivot(b.get(), query_of({"i"}, {}, "{mfu:.1%}"))->rows[0][1].number);
}

TEST(Pivot, WordsOfOutcomeAndVerdict) {
  ResultsBuilder b;
  b.text("model", {"a"});
  b.samples({"a"}, {1, 2}).verdict = Verdict::kSuspect;
  EXPECT_EQ(pivot(b.get(), query_of({"model"}, {}, "{outcome}, {verdict}"))->rows[0][1].text,
            "done, suspect‡");
}

TEST(Pivot, NothingGivesATableWithoutRows) {
  ResultsBuilder b;
  b.text("model", {});
  const auto table = pivot(b.get(), query_of({"model"}, {}));
  ASSERT_TRUE(table);
  EXPECT_TRUE(table->rows.empty());
  EXPECT_EQ(to_markdown(*table), "No rows.\n");
}

}  // namespace
}  // namespace sweepd
