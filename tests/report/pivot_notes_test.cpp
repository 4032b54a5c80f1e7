#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PivotNotes, InvalidAndSuspectAreMarkedAndExplained) {
  ResultsBuilder b;
  b.text("model", {"small", "xl", "2.7B"});
  b.samples({"small"}, {12.25, 12.35});
  auto& suspect = b.samples({"xl"}, {80.0, 80.1});
  suspect.verdict = Verdict::kSuspect;
  suspect.note = "the device was throttled";
  auto& invalid = b.samples({"2.7B"}, {1.0, 1.2});
  invalid.verdict = Verdict::kInvalid;
  invalid.note = "forward ran at 1,880 TFLOP/s, above the device's dense bf16 peak";
  const auto table = pivot(b.get(), query_of({"model"}, {}, "{mean:.1f}"));
  EXPECT_EQ(to_markdown(*table), R"(| model | time (ms) |
| ----- | --------: |
| small |     12.3  |
| xl    |     80.0‡ |
| 2.7B  |      1.1† |

- mean of time, n = 2
- † invalid: forward ran at 1,880 TFLOP/s, above the device's dense bf16 peak; ‡ suspect: the device was throttled
)");
  EXPECT_TRUE(table->rows[1][1].number) << "a suspect figure is a figure";
  EXPECT_FALSE(table->rows[2][1].number) << "an invalid one must not enter somebody's arithmetic";
}

// The mark of a verdict comes first, and digits line up beside one mark, two and none.
TEST(PivotNotes, StepsThatAreNotOnOneLevelAreMarkedAndCounted) {
  ResultsBuilder b;
  b.text("model", {"small", "medium", "large", "xl"});
  b.samples({"small"}, {12.25, 12.35});
  b.samples({"medium"}, {24.0, 25.0}).unsteady = {{"bimodal"}};
  auto& both = b.samples({"large"}, {80.0, 80.1});
  both.verdict = Verdict::kSuspect;
  both.note = "the device was throttled";
  both.unsteady = {{"bimodal", 4}, {"slowing", 1}};
  b.ended({"xl"}, Outcome::kOom).unsteady = {{"bimodal"}};
  const auto table = pivot(b.get(), query_of({"model"}, {}, "{mean:.1f}"));
  EXPECT_EQ(to_markdown(*table), R"(| model  | time (ms) |
| ------ | --------: |
| small  |    12.3   |
| medium |    24.5§  |
| large  |    80.0‡§ |
| xl     |     OOM   |

- mean of time, n = 2
- ‡ suspect: the device was throttled; § in 2 of 3 cells the steps are bimodal: they jump between two levels, and mean and median describe neither (5 attempts); § in 1 of 3 cells the steps become slower: a tenth of them or more were faster than the last ones, so the figures depend on the number of steps
)");
  EXPECT_TRUE(table->rows[1][1].number);
}

TEST(PivotNotes, TheCauseOfUnsteadyStepsFollowsWhatTheyDo) {
  const auto note_of = [](const char* how) {
    ResultsBuilder b;
    b.text("model", {"small"});
    b.samples({"small"}, {24.0, 25.0}).unsteady = {{how}};
    return to_markdown(*pivot(b.get(), query_of({"model"}, {}, "{mean:.1f}")));
  };
  EXPECT_THAT(note_of("slowing: clock"),
              HasSubstr("depend on the number of steps; cause: the device's clock, which is lower "
                        "in the slower ones\n"));
  EXPECT_THAT(note_of("bimodal: host"),
              HasSubstr("describe neither; cause: the host, which needs longer around"));
  EXPECT_THAT(note_of("bimodal: moon"), HasSubstr("describe neither; cause: moon\n"))
      << "a word of a newer version";
}

// Steps of 43 ms on an H100, disturbed by a virtual machine's host.
TEST(PivotNotes, AMeanFarAboveTheMedianIsSaid) {
  ResultsBuilder b;
  b.text("model", {"small", "medium", "large"});
  b.samples({"small"}, {16, 16.1, 15.9, 16, 16, 17});
  b.samples({"medium"}, {43, 43.1, 43, 98.4, 49.3, 42.9, 57.9, 69.2, 43, 42.8});
  b.samples({"large"}, {100, 200});  // two steps have no usual one
  const auto mean = pivot(b.get(), query_of({"model"}, {}, "{mean:.1f} ± {std:.1f}"));
  EXPECT_THAT(mean->notes,
              Contains("in 1 of 2 cells the mean is more than a tenth above the median, by 24 % at "
                       "most (medium); slow steps move `{median}` less"));
  const auto median = pivot(b.get(), query_of({"model"}, {}, "{median:.1f}"));
  EXPECT_THAT(median->notes, Not(Contains(HasSubstr("slow steps"))));
  // The columns before it show no mean.
  QuerySpec several = query_of({"model"}, {}, "");
  for (const auto& [name, cell] :
       {std::pair{"Fastest", "{min:.1f}"}, std::pair{"Mean", "{mean:.1f}"},
        std::pair{"Rate", "{tflops:.1f}"}}) {
    several.table.values.emplace_back();
    several.table.values.back().name = name;
    several.table.values.back().cell = cell;
  }
  EXPECT_THAT(pivot(b.get(), several)->notes, Contains(HasSubstr("at most (medium, Mean);")));
  several.table.values.resize(1);
  EXPECT_THAT(pivot(b.get(), several)->notes, Not(Contains(HasSubstr("slow steps"))));
  ResultsBuilder losses("loss", "");
  losses.text("model", {"small"});
  losses.samples({"small"}, {9, 2, 1, 1, 1});
  EXPECT_THAT(pivot(losses.get(), query_of({"model"}, {}, "{mean:.1f}"))->notes,
              Not(Contains(HasSubstr("slow steps"))));
}

TEST(PivotNotes, ReasonsAreCountedNotRepeated) {
  ResultsBuilder b;
  b.numbers("context", {"1", "2", "3", "4", "5", "6", "7"});
  for (const char* context : {"1", "2", "3", "4", "5", "6", "7"}) {
    auto& row = b.samples({context}, {1, 2});
    row.verdict = Verdict::kSuspect;
    row.note = context[0] < '4' ? "2 other processes" : std::string("load ") + context;
  }
  const auto table = pivot(b.get(), query_of({"context"}, {}));
  EXPECT_THAT(
      table->notes,
      ElementsAre("mean ± std of time, n = 2",
                  "‡ suspect in 3 cells: 2 other processes (3 attempts); in 4 cells: load 4 "
                  "(in 4 attempts; the numbers are of one of them)"));
}

TEST(PivotNotes, SeveralReasonsSayWhoseTheyAre) {
  ResultsBuilder b;
  b.text("model", {"a", "b", "c", "d", "e"}).text("phase", {"forward"});
  for (const char* model : {"a", "b", "c", "d"}) {
    b.ended({model, "forward"}, Outcome::kFailed, "no such model");
  }
  b.ended({"e", "forward"}, Outcome::kFailed, "no space");
  EXPECT_THAT(
      pivot(b.get(), query_of({"model"}, {"phase"}))->notes,
      ElementsAre("failed in 4 cells: no such model (4 attempts); in e, forward: no space"));
}

TEST(PivotNotes, ALongReasonIsOneShortLine) {
  ResultsBuilder b;
  b.text("model", {"a", "b", "c"});
  const auto options = [](const std::string& each) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += each;
    return text;
  };
  b.ended({"a"}, Outcome::kSkipped, "no package; make it with" + options(" --context 64"));
  b.ended({"b"}, Outcome::kSkipped, "no package; make it with" + options(" --context 128"));
  b.ended({"c"}, Outcome::kFailed, "words without end" + options(" and again"));
  const auto notes = pivot(b.get(), query_of({"model"}, {}))->notes;
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], testing::StartsWith("failed: words without end and again"));
  EXPECT_THAT(notes[0], testing::EndsWith("again … (`sweepctl show` has the rest)"));
  EXPECT_LT(notes[0].size(), 220U);
  EXPECT_EQ(notes[1], "skipped: no package … (`sweepctl show` has the rest) (2 attempts)");
}

// Without a GPU, half of the sweep is skipped, and those columns would have no device name.
TEST(PivotNotes, WhatRanNowhereHasNoColumnButItsReason) {
  ResultsBuilder b;
  b.text("model", {"small", "xl"}).text("device_name", {"AMD EPYC", ""});
  b.samples({"small", "AMD EPYC"}, {5});
  b.samples({"xl", "AMD EPYC"}, {50});
  b.ended({"small", ""}, Outcome::kSkipped, "needs a CUDA device");
  b.ended({"xl", ""}, Outcome::kSkipped, "needs a CUDA device");
  EXPECT_EQ(to_markdown(*pivot(b.get(), query_of({"model"}, {"device_name"}, "{mean:.0f}"))),
            R"(| model | AMD EPYC (ms) |
| ----- | ------------: |
| small |             5 |
| xl    |            50 |

- mean of time, n = 1
- skipped: needs a CUDA device (2 attempts)
)");
}

TEST(PivotNotes, WhatAllRanNowhereKeepsItsColumn) {
  ResultsBuilder b;
  b.text("model", {"small"}).text("device_name", {""});
  b.ended({"small", ""}, Outcome::kSkipped, "needs a CUDA device");
  EXPECT_EQ(pivot(b.get(), query_of({"model"}, {"device_name"}))->rows[0][1].text, "skipped");
}

TEST(PivotNotes, ACaptionNamesFiguresWithoutTheLettersOfTheirValues) {
  ResultsBuilder b;
  b.text("model", {"small", "xl"});
  b.samples({"small"}, {5, 6});
  b.samples({"xl"}, {50, 60});
  QuerySpec query = query_of({"model"}, {}, "{mean:.1f} ({speedup:.2f}x)");
  query.table.baseline = {{"model", {"small"}}};
  EXPECT_EQ(pivot(b.get(), query)->notes[0],
            "mean (speed-up) of time, n = 2; compared with model small by the means");
}

TEST(PivotNotes, RatesBesideATimeAreNamedByIt) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {10, 10, 40}).flops = 2e12;
  EXPECT_EQ(pivot(b.get(), query_of({"model"}, {}, "{mean:.0f}, {tflops:.0f}"))->rows[0][1].text,
            "20, 100");
  const auto median = pivot(b.get(), query_of({"model"}, {}, "{median:.0f}, {tflops:.0f}"));
  EXPECT_EQ(median->rows[0][1].text, "10, 200");
  EXPECT_EQ(median->notes[0], "median, TFLOP/s of time (rates by its median), n = 3");
  QuerySpec apart = query_of({"model"}, {});
  apart.table.values = {{"Time", "{mean:.0f}", "", "", {}, {}, {}},
                        {"TFLOP/s", "{tflops:.0f}", "", "", {}, {}, {}}};
  EXPECT_EQ(pivot(b.get(), apart)->notes[0], "figures of time (rates by its mean), n = 3");
}

TEST(PivotNotes, RepeatsAreOneFigureAndSaySo) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {1, 2, 3}).trial = "t";
  b.samples({"small"}, {4, 5, 6}).trial = "t";
  const auto table = pivot(b.get(), query_of({"model"}, {}, "{mean:.1f}, {median:.1f} of {n}"));
  EXPECT_EQ(table->rows[0][1].text, "3.5, 3.5 of 6");
  EXPECT_THAT(
      table->notes,
      ElementsAre("mean, median of n of time, n = 6",
                  "pooled: each figure is of 2 attempts of its trial; their means differ by "
                  "up to 86% and agree within ± std in 0 of 1 cell"));
}

TEST(PivotNotes, RepeatsAgreeWhereTheirSpreadsMeet) {
  ResultsBuilder b;
  b.text("model", {"small", "medium", "large"});
  b.samples({"small"}, {1, 2, 3}).trial = "s";
  b.samples({"small"}, {2, 3, 4}).trial = "s";
  b.samples({"medium"}, {8, 10}).trial = "m";
  b.samples({"medium"}, {14, 15}).trial = "m";
  b.samples({"large"}, {100}).trial = "l";  // one sample each: no spread to agree within
  b.samples({"large"}, {900}).trial = "l";
  const auto table = pivot(b.get(), query_of({"model"}, {}));
  EXPECT_EQ(
      table->notes.back(),
      "pooled: each figure is of 2 attempts of its trial; their means differ by up to 47% and "
      "agree within ± std in 1 of 2 cells");
}

// A table made this mistake: it averaged two batch sizes without saying so.
TEST(PivotNotes, DifferentTrialsInOneCellAreNamed) {
  ResultsBuilder b;
  b.text("model", {"small", "xl"}).numbers("batch", {"4", "8"});
  b.samples({"small", "4"}, {1, 1}).trial = "t1";
  b.samples({"small", "8"}, {2, 2}).trial = "t2";
  b.samples({"xl", "4"}, {9, 9}).trial = "t3";
  QuerySpec query = query_of({"model"}, {});
  query.table.pool = {"batch"};
  const auto table = pivot(b.get(), query);
  EXPECT_THAT(table->notes,
              ElementsAre("mean ± std of time, n = 2 to 4",
                          "pooled: 1 cell holds results of different trials, which differ in batch "
                          "(not shown)"));
}

TEST(PivotNotes, WhatTheReaderPooledCountsAsItsAttempts) {
  ResultsBuilder b;
  b.text("model", {"xl"}).numbers("seed", {"1", "2"});
  auto& pooled = b.summary({"xl", "*"}, 40, 5, 1);
  pooled.attempts = 4;
  pooled.several_trials = true;
  pooled.trial = "trial1";
  auto& one = b.summary({"xl", "1"}, 10, 5, 1);
  one.verdict = Verdict::kSuspect;
  one.trial = "trial2";
  b.ended({"xl", "2"}, Outcome::kTimeout);
  QuerySpec query = query_of({"model"}, {}, "{mean:.1f}");
  query.table.pool = {"seed"};
  const auto table = pivot(b.get(), query);
  EXPECT_EQ(table->rows[0][1].text, "5.0‡");
  EXPECT_THAT(table->notes,
              ElementsAre("mean of time, n = 50", "‡ suspect",
                          "pooled: 1 cell holds results of different trials, which differ in seed "
                          "(not shown)",
                          "xl: 5 of 6 attempts done (1 timeout)"));
  query.table.cell = "{median}";
  EXPECT_FALSE(pivot(b.get(), query)) << "needs their samples";
}

TEST(PivotNotes, UnknownTrialsArePooledWithAWarning) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {1, 1});
  b.samples({"small"}, {2, 2});
  EXPECT_THAT(pivot(b.get(), query_of({"model"}, {}))->notes[1],
              HasSubstr("1 cell holds several attempts (repeats, hosts, or trials that differ in"));
}

TEST(PivotNotes, FiguresOfOneAttemptPooledAreNamed) {
  ResultsBuilder b;
  b.text("model", {"small"}).text("phase", {"forward", "backward"});
  b.samples({"small", "forward"}, {1, 1}).attempt = "a";
  b.samples({"small", "backward"}, {2, 2}).attempt = "a";
  EXPECT_THAT(pivot(b.get(), query_of({"model"}, {}))->notes[1],
              "pooled: 1 cell holds several figures of one attempt, which differ in phase (not "
              "shown)");
}

TEST(PivotNotes, DoneAttemptsCountAndTheOthersAreNamed) {
  ResultsBuilder b;
  b.text("model", {"xl"}).text("phase", {"forward"});
  b.samples({"xl", "forward"}, {10, 12}).trial = "t";
  b.ended({"xl", "*"}, Outcome::kTimeout).trial = "t";
  b.pending({"xl", "*"}).trial = "t";
  const auto table = pivot(b.get(), query_of({"model"}, {"phase"}, "{mean:.1f}"));
  EXPECT_EQ(table->rows[0][1].text, "11.0");
  EXPECT_THAT(table->notes,
              ElementsAre("mean of time, n = 2",
                          "xl, forward: 1 of 3 attempts done (1 timeout, 1 pending)"));
}

// The caption names them.
TEST(PivotNotes, OnlyVaryingDropsConstants) {
  ResultsBuilder b;
  b.text("model", {"small", "xl"}).numbers("batch", {"4"}).text("precision", {"fp32", "bf16"});
  b.text("phase", {"forward"});
  b.samples({"small", "4", "bf16", "forward"}, {1, 2});
  b.samples({"xl", "4", "bf16", "forward"}, {3, 4});
  QuerySpec query = query_of({"model", "batch", "precision"}, {"phase"});
  query.only_varying = true;
  const auto table = pivot(b.get(), query);
  ASSERT_EQ(table->columns.size(), 2u);
  EXPECT_EQ(table->columns[1].name, "time");
  EXPECT_THAT(table->notes, ElementsAre("mean ± std of time, n = 2"));
}

TEST(PivotNotes, FiltersAreShownUnlessTheTableSaysThemElsewhere) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {1, 2});
  QuerySpec query = query_of({"model"}, {});
  query.table.where = {
      {"precision", {"bf16", "fp16"}}, {"batch", {"4"}}, {"model", {"small"}}, {"phase", {"step"}}};
  query.said = {"batch"};
  EXPECT_THAT(pivot(b.get(), query)->notes,
              ElementsAre("mean ± std of time, n = 2", "only results with precision bf16 or fp16"));
}

}  // namespace
}  // namespace sweepd
