// Columns behind a figure's own, for programs that cannot read marks and notes.
#include <gmock/gmock.h>

#include "runner/report/cell/report.h"
#include "tests/report/results_builder.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

std::vector<std::string> texts(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.text);
  return texts;
}

TEST(WithColumns, SayHowManyAndHowGood) {
  ResultsBuilder b;
  b.text("model", {"small", "xl", "2.7B", "none"});
  b.samples({"small"}, {1, 3}).trial = "t1";
  b.samples({"small"}, {2, 2}).trial = "t1";
  auto& suspect = b.samples({"xl"}, {5});
  suspect.verdict = Verdict::kSuspect;
  suspect.trial = "t2";
  b.ended({"xl"}, Outcome::kTimeout).trial = "t2";
  b.ended({"2.7B"}, Outcome::kOom).trial = "t3";
  b.pending({"2.7B"}).trial = "t3";
  QuerySpec query = query_of({"model"}, {}, "{mean}");
  query.with = {"n", "attempts", "verdict", "outcome"};
  const auto table = pivot(b.get(), query);
  ASSERT_TRUE(table) << table.error().message;
  std::vector<std::string> headers;
  for (const Column& column : table->columns) headers.push_back(column.name);
  EXPECT_THAT(headers, ElementsAre("model", "time", "time n", "time attempts", "time verdict",
                                   "time outcome"));
  EXPECT_THAT(texts(table->rows[0]), ElementsAre("small", "2", "4", "2", "valid", "done"));
  EXPECT_THAT(texts(table->rows[1]), ElementsAre("xl", "5‡", "1", "1", "suspect", "done/timeout"));
  EXPECT_THAT(texts(table->rows[2]), ElementsAre("2.7B", "OOM/…", "0", "0", "", "oom/pending"));
  EXPECT_EQ(table->rows[0][2].number, 4);
}

TEST(WithColumns, APointThatTheSweepNeverHadIsEmpty) {
  ResultsBuilder b;
  b.text("model", {"small", "xl"}).numbers("batch", {"1", "2"});
  b.samples({"small", "1"}, {1}).trial = "t1";
  b.samples({"xl", "2"}, {2}).trial = "t2";
  QuerySpec query = query_of({"model"}, {"batch"}, "{mean}");
  query.with = {"outcome"};
  EXPECT_THAT(texts(pivot(b.get(), query)->rows[0]), ElementsAre("small", "1", "done", "", ""));
}

TEST(WithColumns, OnlyKnownWords) {
  ResultsBuilder b;
  b.text("model", {"small"});
  QuerySpec query = query_of({"model"}, {});
  query.with = {"verdit"};
  EXPECT_EQ(pivot(b.get(), query).error().message,
            "with: `verdit` is not one of n, attempts, verdict, outcome, attempt (did you mean "
            "`verdict`?)");
}

// The warnings for stderr, without the notes on the kind of figures.
TEST(WithColumns, WarningsAreTheLastNotes) {
  ResultsBuilder b;
  b.text("model", {"small"});
  b.samples({"small"}, {1, 2}).verdict = Verdict::kSuspect;
  const auto table = pivot(b.get(), query_of({"model"}, {}, "{mean}"));
  EXPECT_THAT(table->notes, ElementsAre("mean of time, n = 2", "‡ suspect"));
  EXPECT_EQ(table->warnings, 1U);
}

TEST(Texts, HaveNoMean) {
  ResultsBuilder b("fact.dtype", "");
  b.text("model", {"small", "xl"});
  b.row({"small"}).text = "bf16";
  b.row({"xl"}).text = "fp32";
  QuerySpec query = query_of({"model"}, {}, "{mean:.1f}");
  query.table.metric = "fact.dtype";
  EXPECT_EQ(pivot(b.get(), query).error().message,
            "cell: `{mean:.1f}` of fact.dtype is not a number: its values are texts, such as "
            "`bf16`; write {text}");
  for (const char* cell : {"", "{text}"}) {
    query.table.cell = cell;
    EXPECT_THAT(texts(pivot(b.get(), query)->rows[0]), ElementsAre("small", "bf16")) << cell;
  }
  query.table.cell = "{mean}";
  query.declared = true;
  EXPECT_THAT(texts(pivot(b.get(), query)->rows[0]), ElementsAre("small", "bf16"))
      << "a stored table is shown";
}

}  // namespace
}  // namespace sweepd
