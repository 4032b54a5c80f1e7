// Tests `submit --notify`: the command runs once when the sweep has ended, and the texts about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr auto kNotified =
    "sweep: notified\nworkload: noop\nparams: {steps: 3, warmup: 1}\nmatrix: {seed: [1, 2]}\n";

std::string lines_of(const Sandbox& box, const std::string& name) {
  return box.run("/bin/cat", {(box.state() / name).string()}).out;
}
bool is_over(const Sandbox& box) {
  return eventually(
      [&] { return box.sql("select count(*) from notification where ended_ns is null") == "0"; });
}

TEST(Notify, RunsOnceWhenTheSweepHasEndedAndAsksTheSameDaemon) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait", "--notify",
                           "echo \"$SWEEPD_SWEEP $SWEEPD_DONE $SWEEPD_SECONDS\" >> ran; " SWEEPCTL
                           " --no-start list > listed; cat"},
                          kNotified);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  ASSERT_TRUE(is_over(box));
  EXPECT_THAT(lines_of(box, "ran"), ContainsRegex("^notified 2 [0-9]+\n$"));
  EXPECT_THAT(lines_of(box, "listed"), HasSubstr("notified"));
  EXPECT_THAT(lines_of(box, "notify.log"),
              AllOf(ContainsRegex("^sweep notified \\([0-9a-f]+\\) has ended\n"),
                    HasSubstr("\n2 attempts: 2 done\n")));
  EXPECT_THAT(box.ctl({"show", "notified"}).out, ContainsRegex("command `echo .*` ended well \\("));
  box.kill_daemon();
  box.ctl({"status"});
  EXPECT_TRUE(is_over(box));
  EXPECT_THAT(lines_of(box, "ran"), ContainsRegex("^notified 2 [0-9]+\n$")) << "once";
}

TEST(Notify, NotBeforeAPausedSweepHasEndedAndAFailureIsShown) {
  const Sandbox box;
  box.ctl({"pause", "--device", "cpu"});
  box.ctl({"submit", "-", "--notify", "touch ran; echo no mail here; exit 7"}, kNotified);
  box.ctl({"pause", "notified"});
  box.ctl({"resume", "--device", "cpu"});
  EXPECT_THAT(box.ctl({"show", "notified"}).out,
              HasSubstr("exit 7` runs when the sweep has ended"));
  EXPECT_FALSE(std::filesystem::exists(box.state() / "ran"));
  box.ctl({"resume", "notified"});
  EXPECT_EQ(box.ctl({"watch", "notified"}).exit_code, 0);
  ASSERT_TRUE(is_over(box));
  EXPECT_TRUE(std::filesystem::exists(box.state() / "ran"));
  EXPECT_THAT(box.ctl({"show", "notified"}).out, HasSubstr("` failed: exit status 7 ("));
  EXPECT_THAT(lines_of(box, "notify.log"), HasSubstr("no mail here"));
  EXPECT_THAT(lines_of(box, "sweepd.log"), HasSubstr("failed: exit status 7"));
}

TEST(Notify, ASweepThatEndedWhileNoDaemonRanIsNotForgotten) {
  const Sandbox box;
  box.ctl({"submit", "-", "--notify", "touch ran"},
          "sweep: hang\nworkload: fault\nparams: {kind: hang}\n");
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  box.kill_daemon();
  box.run("/bin/kill", {"-9", std::to_string(box.worker_pids().at(0))});
  box.ctl({"status"});
  ASSERT_TRUE(is_over(box));
  EXPECT_TRUE(std::filesystem::exists(box.state() / "ran"));
}

}  // namespace
}  // namespace sweepd::e2e
