// A cell of a table holds one trial, unless the table allows several.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const char* const kTwoByTwo =
    "sweep: q\nworkload: noop\nparams: {sleep: 0}\nmatrix: {steps: [2, 3], warmup: [0, 1]}\n";

std::vector<std::string> with(std::vector<std::string> words,
                              const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Pooling, IsRefusedInEveryFormatAndWithoutADaemon) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, kTwoByTwo);
  const std::vector<std::string> query{"query", "noop", "--rows", "steps"};
  const char* const refusal =
      "these cells would pool warmup (0, 1): add --columns warmup or --where warmup=0, or say "
      "--pool warmup";
  for (const char* format : {"text", "md", "csv", "json"}) {
    const Ran ran = box.ctl(with(query, {"--format", format}));
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(refusal));
    EXPECT_EQ(ran.out, "");
  }
  const Ran read = box.ctl(with({"--db", box.state().string()}, query));
  EXPECT_EQ(read.exit_code, 2);
  EXPECT_THAT(read.err, HasSubstr(refusal));
  for (const std::vector<std::string>& advised : {std::vector<std::string>{"--columns", "warmup"},
                                                  {"--where", "warmup=0"},
                                                  {"--pool", "warmup"},
                                                  {"--pool", "seed,warmup"},
                                                  {"--pool", "seed", "--pool", "warmup"},
                                                  {"--pool", "all"}}) {
    const Ran ran = box.ctl(with(query, advised));
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
  }
  const Ran wrong = box.ctl(with(query, {"--pool", "wramup"}));
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("pool: there is no column `wramup` (did you mean `warmup`?)"));
}

TEST(Pooling, OfADeclaredTableIsSaidInItsFileAndStored) {
  const Sandbox box;
  const std::string file = std::string(kTwoByTwo) + "tables:\n  - rows: [steps]\n";
  const Ran refused = box.ctl({"submit", "-"}, file);
  EXPECT_EQ(refused.exit_code, 2) << refused.out;
  EXPECT_THAT(refused.err,
              HasSubstr("6:5: error: the cells of this table would pool warmup (0, 1)"));
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, file + "    cell: \"{n}\"\n    pool: [warmup]\n")
                .exit_code,
            0);
  const std::vector<std::string> question{"report", "q", "--format", "csv"};
  const Ran report = box.ctl(question);
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, AllOf(HasSubstr("\r\n2,4,"), HasSubstr("\r\n3,6,")));
  EXPECT_THAT(report.err, AllOf(HasSubstr("note: pooled: 2 cells hold results of different trials, "
                                          "which differ in warmup (not shown)"),
                                Not(HasSubstr("warning"))));
  // A sweep that was stored before tables had `pool`.
  box.ctl({"stop"});
  SQLite::Database((box.state() / "results.db").string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE sweep_declaration SET json = json_remove(json, '$.pool')");
  const Ran old = box.ctl(question);
  EXPECT_EQ(old.exit_code, 0) << old.err;
  EXPECT_THAT(old.out, AllOf(HasSubstr("\r\n2,4,"), HasSubstr("\r\n3,6,")));
  EXPECT_THAT(old.err, HasSubstr("note: warning: 2 cells pool warmup (0, 1), which the table "
                                 "neither names nor fixes"));
}

}  // namespace
}  // namespace sweepd::e2e
