// A trial that killed its worker three times is skipped by every verb that would queue it, unless
// the user insists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr auto kKiller =
    "sweep: killer\nworkload: fault\nmatrix: {kind: [done, segv]}\n"
    "tables: [{title: T, rows: [kind], columns: [phase], unit: ms}]\n";

TEST(CrashLimit, OfATrialAreThreeAcrossDaemonsAndThenItIsSkipped) {
  const Sandbox box;
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, kKiller).exit_code, 4);
  box.kill_daemon();
  EXPECT_EQ(box.ctl({"retry", "killer", "--wait"}).exit_code, 4);
  box.kill_daemon();
  EXPECT_THAT(box.ctl({"retry", "killer", "--wait"}).out, HasSubstr("retrying 1 attempt"));
  EXPECT_EQ(box.sql("select count(*) from attempt where signal = 11"), "3");

  const Ran retried = box.ctl({"retry", "killer", "--wait"});
  EXPECT_EQ(retried.exit_code, 4);
  EXPECT_THAT(retried.out, HasSubstr("nothing to run again"));
  EXPECT_THAT(retried.out, HasSubstr("1 attempt left out: killed its worker 3 times (SIGSEGV; the "
                                     "last: attempt "));
  EXPECT_THAT(retried.out, HasSubstr(" --insist\n"));
  EXPECT_THAT(box.ctl({"show", "killer"}).out, HasSubstr("killed its worker 3 times (SIGSEGV"));
  EXPECT_THAT(box.ctl({"report", "killer"}).out, HasSubstr("skipped"));

  box.kill_daemon();
  const std::string other = "sweep: other\nworkload: fault\nparams: {kind: segv}\n";
  const Ran planned = box.ctl({"plan", "-"}, other);
  EXPECT_THAT(planned.out, HasSubstr("0 attempts"));
  EXPECT_THAT(planned.out, ContainsRegex("left out +1 attempt: killed its worker 3 times"));
  const Ran submitted = box.ctl({"submit", "-", "--wait"}, other);
  EXPECT_EQ(submitted.exit_code, 4);
  EXPECT_THAT(submitted.out + submitted.err, HasSubstr("1 left out (killed its worker 3 times"));
  EXPECT_EQ(box.sql("select count(*) from attempt where signal = 11"), "3");

  const Ran insisted = box.ctl({"retry", "other", "--insist", "--wait"});
  EXPECT_EQ(insisted.exit_code, 4);
  EXPECT_THAT(insisted.out, HasSubstr("retrying 1 attempt of other"));
  EXPECT_THAT(insisted.out, Not(HasSubstr("left out")));
  EXPECT_EQ(box.sql("select count(*) from attempt where signal = 11"), "4");
  EXPECT_THAT(box.ctl({"retry", "other", "--wait"}).out, HasSubstr("retrying 1 attempt"))
      << "the count has begun anew";
}

}  // namespace
}  // namespace sweepd::e2e
