// A cell holds one trial, unless its table names the pooled parameters.
#include <gmock/gmock.h>

#include "runner/report/cell/pooling.h"
#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

// Two models; the small one in two precisions and two batches.
ResultsBuilder four_trials() {
  ResultsBuilder b;
  b.text("model", {"small", "xl"}).text("precision", {"fp32", "bf16"}).numbers("batch", {"4", "8"});
  b.samples({"small", "fp32", "4"}, {1}).trial = "t1";
  b.samples({"small", "bf16", "4"}, {2}).trial = "t2";
  b.samples({"small", "fp32", "8"}, {3}).trial = "t3";
  b.samples({"xl", "fp32", "4"}, {4}).trial = "t4";
  return b;
}

QuerySpec by_model(std::vector<std::string> pool) {
  QuerySpec query;
  query.table.rows = {"model"};
  query.table.cell = "{mean}";
  query.table.pool = std::move(pool);
  return query;
}

std::string refusal(const ResultsBuilder& b, const QuerySpec& query) {
  const auto table = pivot(b.get(), query);
  return table ? "" : table.error().message;
}

TEST(OneTrial, RepeatsMayShareACell) {
  const auto row = [](const char* trial, const char* attempt, bool several = false) {
    ResultRow made;
    made.trial = trial;
    made.attempt = attempt;
    made.several_trials = several;
    return made;
  };
  using report::OneTrial;
  const struct {
    const char* what;
    std::vector<ResultRow> rows;
    OneTrial expected;
  } cases[] = {
      {"none", {}, OneTrial::kYes},
      {"one attempt", {row("t1", "a")}, OneTrial::kYes},
      {"repeats", {row("t1", "a"), row("t1", "b")}, OneTrial::kYes},
      {"two trials", {row("t1", "a"), row("t1", "b"), row("t2", "c")}, OneTrial::kNo},
      {"pooled by the reader", {row("t1", "", true)}, OneTrial::kNo},
      {"one of two is unknown", {row("t1", "a"), row("", "b")}, OneTrial::kNo},
      {"figures of an unknown trial", {row("", "a"), row("", "a")}, OneTrial::kYes},
      {"several unknown ones", {row("", "a"), row("", "b")}, OneTrial::kUnknown},
  };
  for (const auto& c : cases) {
    std::vector<const ResultRow*> rows;
    for (const ResultRow& each : c.rows) rows.push_back(&each);
    EXPECT_EQ(report::one_trial(rows), c.expected) << c.what;
  }
}

TEST(Pooling, IsRefusedWithWhatWouldHelp) {
  const ResultsBuilder b = four_trials();
  EXPECT_EQ(refusal(b, by_model({})),
            "these cells would pool precision (fp32, bf16) and batch (4, 8): add --columns "
            "precision --where batch=4, or say --pool precision,batch");
  EXPECT_EQ(refusal(b, by_model({"precision"})),
            "these cells would pool batch (4, 8): add --columns batch or --where batch=4, or say "
            "--pool batch");
}

TEST(Pooling, IsDoneWhenToldTo) {
  const ResultsBuilder b = four_trials();
  for (const auto& pool : {std::vector<std::string>{"batch", "precision"}, {"all"}}) {
    const auto table = pivot(b.get(), by_model(pool));
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_EQ(table->rows[0][1].text, "2");
  }
}

TEST(Pooling, OfRepeatsNeedsNoWord) {
  ResultsBuilder b;
  b.text("model", {"small"}).numbers("batch", {"4", "8"});
  for (const double time : {1, 3}) b.samples({"small", "4"}, {time}).trial = "t1";
  EXPECT_EQ(refusal(b, by_model({})), "");
}

TEST(Pooling, CountsAttemptsThatDidNotEndWell) {
  ResultsBuilder b;
  b.text("model", {"small"}).numbers("batch", {"4", "8"});
  b.samples({"small", "4"}, {1}).trial = "t1";
  b.ended({"small", "8"}, Outcome::kOom).trial = "t2";
  EXPECT_THAT(refusal(b, by_model({})), HasSubstr("batch (4, 8)"));
}

TEST(Pooling, DoesNotCountWhatHasNotRun) {
  ResultsBuilder b;
  b.text("model", {"small"}).numbers("batch", {"4", "8", "16"});
  b.samples({"small", "4"}, {1}).trial = "t1";
  b.pending({"small", "8"}).trial = "t2";
  b.ended({"small", "16"}, Outcome::kSkipped).trial = "t3";
  EXPECT_EQ(refusal(b, by_model({})), "");
}

TEST(Pooling, OfTrialsThatDifferInNothingKnown) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {1}).trial = "t1";
  b.samples({"small"}, {2}).trial = "t2";
  EXPECT_THAT(refusal(b, by_model({})), HasSubstr("name a sweep with --sweep"));
  EXPECT_EQ(refusal(b, by_model({"all"})), "");
}

TEST(Pooling, ByTheReaderIsFoundToo) {
  ResultsBuilder b;
  b.text("model", {"small"}).numbers("seed", {"1", "2", "3", "4", "5"});
  auto& pooled = b.summary({"small", "*"}, 40, 5, 1);
  pooled.attempts = 5;
  pooled.several_trials = true;
  pooled.trial = "t1";
  EXPECT_EQ(refusal(b, by_model({})),
            "these cells would pool seed (1, 2, 3, 4 ...): add --rows seed, or say --pool seed");
}

TEST(Pooling, OfABaselineIsFoundToo) {
  ResultsBuilder b;
  b.text("precision", {"fp32", "bf16"}).numbers("batch", {"4", "8"});
  b.samples({"bf16", "4"}, {1}).trial = "t1";
  b.samples({"fp32", "4"}, {2}).trial = "t2";
  ResultsBuilder baseline;
  baseline.text("precision", {"fp32", "bf16"}).numbers("batch", {"4", "8"});
  baseline.samples({"fp32", "4"}, {2}).trial = "t2";
  baseline.samples({"fp32", "8"}, {3}).trial = "t3";
  QuerySpec query;
  query.table.rows = {"precision"};
  query.table.cell = "{ratio}";
  query.table.baseline = {{"precision", {"fp32"}}};
  const auto table = pivot({b.get(), baseline.get()}, query);
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("batch (4, 8)"));
}

// The sweeps of older versions are still shown.
TEST(Pooling, OfADeclaredTableIsAWarning) {
  const ResultsBuilder b = four_trials();
  QuerySpec query = by_model({});
  query.declared = true;
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(table->notes,
              Contains("warning: 1 cell pools precision (fp32, bf16) and batch (4, 8), which the "
                       "table neither names nor fixes; name it in `rows` or `columns`, fix it in "
                       "`where`, or write `pool: [precision, batch]`"));
  query.table.pool = {"batch", "precision"};
  EXPECT_THAT(pivot(b.get(), query)->notes, Not(Contains(StartsWith("warning"))));
}

TEST(Pooling, ValuesThatAShellSplitsAreQuoted) {
  ResultsBuilder b;
  b.text("model", {"small"}).text("argv", {"a b", "c"});
  b.samples({"small", "a b"}, {1}).trial = "t1";
  b.samples({"small", "c"}, {2}).trial = "t2";
  EXPECT_THAT(refusal(b, by_model({})), HasSubstr("--where argv='a b',"));
}

}  // namespace
}  // namespace sweepd
