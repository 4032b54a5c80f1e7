// Tests pause and resume: started attempts, the texts about it, and wrong names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// The first runs until it is cancelled.
constexpr auto kHangingPair =
    "sweep: hang\nworkload: fault\nparams: {kind: hang}\nmatrix: {steps: [1, 2]}\n";
constexpr auto kQuickPair =
    "sweep: quick\nworkload: noop\nparams: {steps: 3, warmup: 1}\nmatrix: {seed: [1, 2]}\n";

// A daemon that measures nothing while `quick` is queued, paused behind a running sweep.
void pause_quick(const Sandbox& box) {
  box.ctl({"submit", "-"}, kHangingPair);
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  box.ctl({"submit", "-"}, kQuickPair);
  const Ran paused = box.ctl({"pause", "quick"});
  EXPECT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_THAT(paused.out, ContainsRegex("^paused quick: 2 queued attempts wait; to continue: "
                                        "sweepctl resume [0-9a-f]{8}\n$"));
}

TEST(Pause, IsSaidEverywhereAndOutlastsTheDaemon) {
  const Sandbox box;
  pause_quick(box);
  EXPECT_THAT(box.ctl({"list"}).out, ContainsRegex("quick .* paused *\n"));
  EXPECT_THAT(box.ctl({"show", "quick"}).out,
              AllOf(ContainsRegex("\npaused since .*; to continue: sweepctl resume"),
                    HasSubstr("its sweep is paused")));
  EXPECT_THAT(box.ctl({"status"}).out, HasSubstr("3 queued (2 of them paused), 1 running"));
  EXPECT_THAT(box.ctl({"plan", "-"}, kQuickPair).out, HasSubstr("2 queued (2 paused there"));
  box.ctl({"cancel", "hang"});
  ASSERT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
  box.kill_daemon();
  EXPECT_THAT(box.ctl({"status"}).out, HasSubstr("2 queued (2 of them paused), 0 running"));
  EXPECT_THAT(box.ctl({"stop"}).out, HasSubstr("2 queued wait for the next daemon"));
  EXPECT_THAT(box.ctl({"list"}).out, ContainsRegex("quick .* paused *\n"));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "0");

  // A waiting client reports it and ends with the sweep.
  const pid_t waiting = box.ctl_in_background({"watch", "quick"});
  const auto said = [&] { return text_of(box.folder() / "background.err"); };
  EXPECT_TRUE(eventually([&] { return said().find("quick is paused") != std::string::npos; }));
  EXPECT_EQ(box.ctl({"resume", "quick"}).out, "resumed quick: 2 attempts had waited\n");
  EXPECT_TRUE(eventually([&] { return !is_alive(waiting); }));
  EXPECT_THAT(said(),
              AllOf(HasSubstr("! quick is paused: nothing new starts until sweepctl resume"),
                    HasSubstr("quick: 2/2 ended\n")));
  EXPECT_THAT(box.ctl({"list"}).out, ContainsRegex("quick .* done *\n"));
  const Ran over = box.ctl({"pause", "quick"});
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.err, ContainsRegex("sweep quick \\([0-9a-f]{8}\\) has ended; there is nothing"));
}

TEST(Pause, WhatRunsGoesOnAndWhatIsQueuedAgainWaits) {
  const Sandbox box;
  box.ctl({"submit", "-"}, kHangingPair);
  ASSERT_TRUE(
      eventually([&] { return box.ctl({"list"}).out.find("running") != std::string::npos; }));
  EXPECT_THAT(box.ctl({"pause", "hang"}).out,
              HasSubstr("paused hang: 1 queued attempt waits, 1 running attempt finishes;"));
  EXPECT_THAT(box.ctl({"list"}).out, HasSubstr("paused, running"));
  EXPECT_EQ(box.worker_pids().size(), 1U);
  EXPECT_THAT(box.ctl({"delete", "hang", "--yes"}).err, HasSubstr("it is paused"));
  ::kill(box.worker_pids().at(0), SIGKILL);
  ASSERT_TRUE(eventually(
      [&] { return box.sql("select count(*) from attempt where outcome = 'crashed'") == "1"; }));
  EXPECT_THAT(box.ctl({"retry", "hang"}).out,
              HasSubstr("retrying 1 attempt of hang; it is paused, so they wait for: sweepctl "
                        "resume"));
  EXPECT_THAT(box.ctl({"status"}).out, HasSubstr("2 queued (2 of them paused), 0 running"));
  EXPECT_THAT(box.ctl({"cancel", "hang"}).out, HasSubstr("ended 2 queued attempts"));
}

TEST(Pause, OfAllAndWhatEndsIt) {
  const Sandbox box;
  EXPECT_THAT(box.ctl({"pause", "--all"}).out, HasSubstr("nothing to pause"));
  EXPECT_THAT(box.ctl({"resume", "--all"}).out, HasSubstr("nothing to resume"));
  pause_quick(box);
  EXPECT_THAT(box.ctl({"pause", "quick"}).out, HasSubstr("already paused quick: 2 queued"));
  EXPECT_THAT(box.ctl({"pause", "--all"}).out,
              AllOf(HasSubstr("already paused quick"), HasSubstr("paused hang: 1 queued attempt")));
  EXPECT_THAT(box.ctl({"resume", "--all"}).out,
              AllOf(HasSubstr("resumed quick"), HasSubstr("resumed hang")));
  EXPECT_EQ(box.ctl({"resume", "quick"}).out, "quick is not paused\n");

  // A wrong name is named, and nothing is paused.
  const Ran wrong = box.ctl({"pause", "hang", "quikc"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("`quikc`"), HasSubstr("quick")));
  EXPECT_EQ(box.sql("select count(*) from sweep where paused_ns is not null"), "0");
  EXPECT_EQ(box.ctl({"resume", "quikc"}).exit_code, 3);
  const Ran neither = box.ctl({"pause"});
  EXPECT_EQ(neither.exit_code, 2);
  EXPECT_THAT(neither.err, HasSubstr("pause: expected names of sweeps, --all, or --device"));
  EXPECT_EQ(box.ctl({"resume", "quick", "--all"}).exit_code, 2);

  // Another sweep with the same points starts them.
  box.ctl({"pause", "quick"});
  const Ran again = box.ctl({"submit", "-"}, std::string(kQuickPair).replace(7, 5, "again"));
  EXPECT_THAT(again.out, HasSubstr("2 already queued (2 of a paused sweep, which now start)"));
  box.ctl({"cancel", "hang"});
  EXPECT_EQ(box.ctl({"watch", "again"}).exit_code, 0);
  EXPECT_THAT(box.ctl({"list"}).out,
              AllOf(ContainsRegex("again .* done *\n"), ContainsRegex("quick .* done *\n")))
      << "nothing of it waits any more";
}

TEST(Pause, OfADeviceIsSaidAndOutlastsTheDaemon) {
  const Sandbox box;
  const Ran wrong = box.ctl({"pause", "--device", "cpu,cuda:77"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("this machine has no device `cuda:77`; it has cpu"));
  EXPECT_EQ(box.sql("select count(*) from device where paused_ns is not null"), "0");
  EXPECT_EQ(box.ctl({"pause", "quick", "--device", "cpu"}).exit_code, 2);
  const Ran paused = box.ctl({"pause", "--device", "cpu"});
  EXPECT_EQ(paused.exit_code, 0) << paused.err;
  EXPECT_THAT(paused.out, ContainsRegex("^paused cpu \\(.*\\): nothing new starts on it; to "
                                        "continue: sweepctl resume --device cpu\n$"));
  box.ctl({"submit", "-"}, kQuickPair);
  box.kill_daemon();
  EXPECT_THAT(box.ctl({"devices"}).out, ContainsRegex("cpu .* paused *\n"));
  EXPECT_THAT(box.ctl({"status"}).out,
              AllOf(HasSubstr("2 queued, 0 running\n"),
                    HasSubstr("! cpu is paused: nothing new starts on it until sweepctl resume "
                              "--device cpu\n")));
  EXPECT_THAT(box.ctl({"pause", "--all", "--device", "cpu"}).out, HasSubstr("already paused cpu"));
  EXPECT_EQ(box.sql("select count(*) from sweep where paused_ns is not null"), "0");
  const pid_t waiting = box.ctl_in_background({"watch", "quick"});
  const auto said = [&] { return text_of(box.folder() / "background.err"); };
  EXPECT_TRUE(eventually([&] { return said().find("! cpu is paused") != std::string::npos; }));
  EXPECT_EQ(box.ctl({"resume", "--device", "cpu"}).out, "cpu is in use again\n");
  EXPECT_TRUE(eventually([&] { return !is_alive(waiting); }));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "2");
  EXPECT_EQ(box.ctl({"resume", "--device", "cpu"}).out, "cpu is not paused\n");
}

}  // namespace
}  // namespace sweepd::e2e
