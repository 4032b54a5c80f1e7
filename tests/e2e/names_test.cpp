// Every verb suggests the nearest name for a mistyped one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

TEST(Names, EveryVerbSuggestsTheNearest) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, "sweep: quick\nworkload: noop\n").exit_code, 0);
  struct Case {
    std::vector<std::string> arguments;
    int exit_code;
    const char* said;
  };
  const std::vector<Case> cases{
      {{"watch", "quikc"}, 3, "did you mean `quick`?"},
      {{"show", "quikc"}, 3, "did you mean `quick`?"},
      {{"report", "quikc"}, 3, "did you mean `quick`?"},
      {{"cancel", "quikc"}, 3, "did you mean `quick`?"},
      {{"retry", "quikc"}, 3, "did you mean `quick`?"},
      {{"query", "noop", "--sweep", "quikc"}, 3, "did you mean `quick`?"},
      {{"retry", "quick", "--only", "omo"}, 2, "did you mean `oom`?"},
      {{"query", "nop"}, 3, "did you mean `noop`?"},
      {{"query", "noop", "--where", "stesp=3"}, 2, "did you mean `steps`?"},
      {{"workloads", "nop"}, 3, "did you mean `noop`?"},
      {{"sumbit", "f.yaml"}, 2, "no command `sumbit` (did you mean `submit`?)"},
      {{"watch", "--sate-dir=x"}, 2, "did you mean `--state-dir`?"},
      {{"log", "quick"}, 2, "`quick` is a sweep; expected 4 hex digits or more"},
      {{"log", "nobody"}, 2, "as `sweepctl show SWEEP` lists them"},
  };
  for (const Case& c : cases) {
    const Ran ran = box.ctl(c.arguments);
    EXPECT_EQ(ran.exit_code, c.exit_code) << c.arguments[0] << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(c.said));
  }
}

TEST(Names, TheBeginningOfAnIdIsEnoughAndASweepsNameWins) {
  const Sandbox box;
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"}, "sweep: quick\nworkload: noop\n").exit_code, 0);
  const std::string sweep = box.sql("select uid from sweep").substr(0, 8);
  for (const char* verb : {"watch", "show", "report", "retry"}) {
    const Ran ran = box.ctl({verb, sweep});
    EXPECT_EQ(ran.exit_code, 0) << verb << ": " << ran.err;
  }
  const std::string attempt = box.sql("select uid from attempt").substr(0, 8);
  EXPECT_EQ(box.ctl({"log", attempt}).exit_code, 0);

  // Among many thousands of trials some id begins with any name of hex digits.
  for (const char* id : {"select uid from attempt", "select key from trial"}) {
    const std::string name = box.sql(id).substr(0, 5);
    box.ctl({"submit", "-", "--wait"}, "sweep: \"" + name + "\"\nworkload: noop\n");
    const Ran ran = box.ctl({"show", name});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("`" + name + "` of noop"));
  }
}

}  // namespace
}  // namespace sweepd::e2e
