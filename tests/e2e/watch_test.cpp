// Tests how a sweep is followed: plain lines in a file, a picture on a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// The first takes long enough for a watcher to be there when the second fails.
constexpr auto kMixed =
    "sweep: mixed\nworkload: fault\nparams: {sleep: 400ms, warmup: 0, steps: 1}\n"
    "matrix: {kind: [slow, oom]}\n";

TEST(Watch, InAFileEveryLineIsPlainAndFailuresHaveTheirOwn) {
  const Sandbox box;
  const Ran none = box.ctl({"watch"});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_THAT(none.err, HasSubstr("there is no sweep yet"));
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kMixed);
  EXPECT_EQ(ran.exit_code, 4);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("oom kind=oom"), HasSubstr("out of memory"),
                             HasSubstr("mixed: 2/2 ended, 1 oom\n"),
                             HasSubstr("1 of 2 attempts not done; why: sweepctl show ")));
  EXPECT_THAT(ran.err, AllOf(Not(HasSubstr("\r")), Not(HasSubstr("\x1b"))));

  // Without a name it is the latest sweep.
  box.ctl({"submit", "-", "--wait"}, "sweep: second\nworkload: noop\nparams: {steps: 2}\n");
  EXPECT_THAT(box.ctl({"watch"}).err, HasSubstr("second: 1/1 ended"));
  EXPECT_THAT(box.ctl({"show"}).out, HasSubstr("`second`"));
  EXPECT_EQ(box.ctl({"report"}).out, box.ctl({"report", "second"}).out);
  const Ran wrong = box.ctl({"watch", "secnod"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean `second`?"));
}

// script(1) gives the program a pseudo terminal and writes its output to stdout.
Ran on_a_terminal(const Sandbox& box, const std::string& environment, const std::string& command) {
  return box.run("/usr/bin/script",
                 {"-qefc", "stty cols 60 rows 24; " + environment + " " + command, "/dev/null"});
}

TEST(Watch, OnATerminalTheLastPictureIsAFullBar) {
  if (!std::filesystem::exists("/usr/bin/script")) GTEST_SKIP() << "no script(1)";
  const Sandbox box;
  const std::string submit =
      std::string(SWEEPCTL) + " submit " + box.write("m.yaml", kMixed) + " --wait";
  const Ran live = on_a_terminal(box, "TERM=xterm", submit);
  EXPECT_EQ(live.exit_code, 4);
  EXPECT_THAT(live.out, AllOf(HasSubstr("\x1b[31moom\x1b[0m kind=oom"), HasSubstr("2/2  100%"),
                              HasSubstr("━━━━━━━━━━━━━━━━━━━━")));

  const std::string watch = std::string(SWEEPCTL) + " watch";
  const Ran colourless = on_a_terminal(box, "TERM=xterm NO_COLOR=1", watch);
  EXPECT_EQ(colourless.exit_code, 4);
  EXPECT_THAT(colourless.out, AllOf(HasSubstr("oom kind=oom"), HasSubstr("2/2  100%, 1 oom"),
                                    Not(HasSubstr("\x1b[3"))))
      << "what failed before somebody watched is told too";
  const Ran dumb = on_a_terminal(box, "TERM=dumb", watch);
  EXPECT_THAT(dumb.out, AllOf(HasSubstr("mixed: 2/2 ended, 1 oom"), Not(HasSubstr("\x1b"))));
}

// The sizes of the trials, for the time left, come from a worker. Its answer comes when the daemon
// has nothing left that could use it, which the address sanitizer would see.
TEST(Watch, ADaemonThatIsStoppedWhileAWorkerIsAskedForSizesEndsInOrder) {
  const Sandbox box;
  const std::string asked = (box.folder() / "asked").string();
  const std::string worker =
      box.write("worker", "#!/bin/sh\ncase $* in *--work*) touch " + asked +
                              "; sleep 1;; esac\nexec " + TEST_SWEEP_WORKER + " \"$@\"\n");
  std::filesystem::permissions(worker, std::filesystem::perms::owner_all);
  ::setenv("SWEEPD_WORKER", worker.c_str(), 1);
  ASSERT_EQ(box.ctl({"submit", "-"}, kMixed).exit_code, 0);
  const pid_t watching = box.ctl_in_background({"watch"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(asked); }));
  const pid_t daemon = box.daemon_pid();
  EXPECT_EQ(box.ctl({"stop", "--now"}).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));
  ::kill(watching, SIGINT);  // else it waits for the next daemon
  ::waitpid(watching, nullptr, 0);
  std::ifstream file(box.state() / "sweepd.log");
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  EXPECT_THAT(log, HasSubstr("stopped\n"));
}

}  // namespace
}  // namespace sweepd::e2e
