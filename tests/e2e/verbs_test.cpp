// Tests the output and exit codes of cancel, list, log, show, status, stop, watch, workloads and
// devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr auto kHang =
    "sweep: hang\nworkload: fault\nparams: {kind: hang}\nmatrix: {steps: [1, 2]}\n";
constexpr auto kNoop = "sweep: quick\nworkload: noop\nparams: {steps: 3, warmup: 1}\n";

TEST(Cancel, EndsWhatRunsAndWhatWaitsAndCtrlCOfAWatcherDoesNot) {
  const Sandbox box;
  box.ctl({"submit", "-"}, kHang);
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  const pid_t watcher = box.ctl_in_background({"watch", "hang"});
  const auto said = [&] { return text_of(box.folder() / "background.err"); };
  ASSERT_TRUE(eventually([&] { return !said().empty(); }));
  ::kill(watcher, SIGINT);
  int status = 0;
  ::waitpid(watcher, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_THAT(said(), HasSubstr("the sweep continues"));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome is null"), "2");

  const Ran wrong = box.ctl({"cancel", "hagn"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("hagn"), HasSubstr("hang")));
  const Ran cancelled = box.ctl({"cancel", "hang"});
  EXPECT_EQ(cancelled.exit_code, 0) << cancelled.err;
  EXPECT_THAT(cancelled.out, HasSubstr("ended 1 queued attempt, stopping 1 running attempt"));
  EXPECT_EQ(box.ctl({"watch", "hang"}).exit_code, 4);
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'cancelled'"), "2");
  EXPECT_TRUE(eventually([&] { return box.worker_pids().empty(); }));
}

TEST(Output, ThatCannotBeWrittenIsAFailure) {
  const Sandbox box;
  const auto list = [&box](const std::string& redirected) {
    return box.run("/bin/sh", {"-c", std::string(SWEEPCTL) + " list " + redirected});
  };
  const Ran full = list(">/dev/full");
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("cannot write to standard output: No space left on device"));
  // The output must not go into the socket.
  EXPECT_EQ(list("2>&-").exit_code, 0);
  const std::string watch = std::string(SWEEPCTL) + " submit --wait " + box.write("q.yaml", kNoop);
  EXPECT_EQ(box.run("/bin/sh", {"-c", watch + " <&- >&- 2>&-"}).exit_code, 0);
  EXPECT_EQ(box.run("/bin/sh", {"-c", watch + " --again 2>/dev/full"}).exit_code, 1);
}

TEST(Show, TellsEverythingOfASweepATrialAndAnAttempt) {
  const Sandbox box;
  EXPECT_THAT(box.ctl({"list"}).out, HasSubstr("no sweeps yet"));
  box.ctl({"submit", "-", "--wait"}, kNoop);
  EXPECT_THAT(box.ctl({"list"}).out, AllOf(HasSubstr("quick"), HasSubstr("done")));
  EXPECT_THAT(box.ctl({"list", "--format", "json"}).out, HasSubstr("\"quick\""));
  EXPECT_THAT(box.ctl({"show", "quick"}).out, AllOf(HasSubstr("1 trial,"), HasSubstr("done")));
  EXPECT_EQ(box.ctl({"show", "quick", "--source"}).out, kNoop);
  const std::string uid = box.sql("select uid from attempt");
  const Ran attempt = box.ctl({"show", uid, "--steps"});
  EXPECT_EQ(attempt.exit_code, 0) << attempt.err;
  EXPECT_THAT(attempt.out, AllOf(HasSubstr("host_time"), HasSubstr("steps")));
  EXPECT_EQ(box.ctl({"show", box.sql("select key from trial")}).exit_code, 0);
  EXPECT_EQ(box.ctl({"show", "ffffffffffff"}).exit_code, 3);
  const Ran log = box.ctl({"log", uid.substr(0, 8)});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_THAT(log.out, HasSubstr("noop"));
  EXPECT_EQ(box.ctl({"log", uid, "--rank", "7"}).exit_code, 3);
}

// More ranks than cores make a timing suspect. Other figures stay valid.
TEST(Report, MarksTimesAndNoFactThatIsNone) {
  const Sandbox box;
  const unsigned ranks = std::thread::hardware_concurrency() + 1;
  const Ran ran =
      box.ctl({"submit", "-", "--wait"},
              "sweep: crowd\nworkload: fault\nparams: {kind: slow, sleep: 1ms, steps: 3, "
              "warmup: 0, world_size: " +
                  std::to_string(ranks) +
                  "}\n"
                  "tables: [{rows: [kind], values: ["
                  "{name: Kind, metric: fact.kind, cell: '{text}'}, "
                  "{name: Steps, metric: fact.steps, cell: '{mean:.0f}'}, "
                  "{name: Times, where: {phase: step}, cell: '{mean:.0f} ms'}]}]\n");
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(box.ctl({"report", "crowd"}).out,
              AllOf(ContainsRegex("\\| slow +\\| slow +\\| +3 \\| +[0-9]+ ms‡ *\\|"),
                    HasSubstr("ranks shared")));
}

TEST(Status, StartsTheDaemonAndStopEndsIt) {
  const Sandbox box;
  const Ran without = box.ctl({"--no-start", "status"});
  EXPECT_EQ(without.exit_code, 5);
  EXPECT_THAT(without.err, HasSubstr("no daemon listens"));
  EXPECT_THAT(box.ctl({"stop"}).out, HasSubstr("no daemon runs"));
  const Ran ran = box.ctl({"status"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("results.db"), HasSubstr("0 queued, 0 running")));
  EXPECT_THAT(box.ctl({"devices"}).out, HasSubstr("cpu"));
  EXPECT_THAT(box.ctl({"workloads"}).out, HasSubstr("noop"));
  const Ran one = box.ctl({"workloads", "noop"});
  EXPECT_EQ(one.exit_code, 0);
  for (const char* name : {"sleep", "warmup", "relative_error", "memory_limit", "timeout"}) {
    EXPECT_THAT(one.out, HasSubstr(name));
  }
  const Ran wrong = box.ctl({"workloads", "nop"});
  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean `noop`?"));
  const pid_t daemon = box.daemon_pid();
  EXPECT_THAT(box.ctl({"stop"}).out, HasSubstr("stopped"));
  EXPECT_TRUE(eventually([daemon] { return !is_alive(daemon); }));
}

TEST(Query, GroupsAndFormats) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"},
          "sweep: q\nworkload: noop\nmatrix: {steps: [2, 3], warmup: [0, 1]}\n");
  const Ran csv = box.ctl({"query", "noop", "--rows", "steps", "--columns", "warmup", "--cell",
                           "{n}", "--format", "csv"});
  EXPECT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, AllOf(HasSubstr("\r\n2,2,2,"), HasSubstr("\r\n3,3,3,")));
  const Ran wrong = box.ctl({"query", "noop", "--rows", "stepz"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean `steps`?"));
  EXPECT_THAT(box.ctl({"query", "noop", "--where", "steps=3", "--rows", "steps,warmup"}).out,
              Not(HasSubstr("NULL")));
  const Ran with = box.ctl({"query", "noop", "--rows", "steps", "--columns", "warmup", "--cell",
                            "{n}", "--with", "n", "--with", "attempts,outcome", "--format", "csv"});
  EXPECT_THAT(with.out,
              AllOf(HasSubstr("steps,warmup 0,warmup 0 n,warmup 0 attempts,warmup 0 outcome,"),
                    HasSubstr("\r\n3,3,3,1,done,3,3,1,done,")));
  const Ran sorted = box.ctl({"query", "noop", "--rows", "steps", "--where", "warmup=0", "--cell",
                              "{n}", "--sort=-steps", "--limit", "1", "--format", "csv"});
  EXPECT_THAT(sorted.out, MatchesRegex("steps,[^\n]*\n3,3,[^\n]*\n")) << sorted.err;
  // A declared table does the same.
  ASSERT_EQ(box.ctl({"submit", "-", "--wait"},
                    "sweep: sorted\nworkload: noop\nparams: {steps: 3}\n"
                    "matrix: {seed: [1, 2, 3]}\n"
                    "tables: [{rows: [seed], cell: '{n}', sort: [-seed], limit: 2}]\n")
                .exit_code,
            0);
  const Ran declared = box.ctl({"report", "sorted", "--format", "csv"});
  EXPECT_THAT(declared.out, MatchesRegex("seed,[^\n]*\n3,3,[^\n]*\n2,3,[^\n]*\n")) << declared.err;
}

TEST(Query, RefusesWhatItWouldHaveToIgnore) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, "sweep: q\nworkload: noop\nmatrix: {steps: [2, 3]}\n");
  const auto refused = [&](const std::vector<std::string>& words, const char* why) {
    const Ran ran = box.ctl(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.out;
    EXPECT_THAT(ran.err, HasSubstr(why));
  };
  refused({"query", "--sweep", "q", "--where", "steps=3", "warmup=5"},
          "`warmup=5` is not a workload; a filter is written --where warmup=5");
  refused({"query", "noop", "--where", "steps=3", "warmup=5"},
          "`warmup=5` is one word too many; did you mean `--where warmup=5`?");
  refused({"query", "noop", "--rows", "steps", "warmup"}, "`warmup` is one word too many");
  refused({"query", "noop", "--columns", "steps", "warmup"}, "`warmup` is one word too many");
  refused({"query", "noop", "--sort", "mean", "steps"}, "`steps` is one word too many");
  refused({"retry", "q", "--only", "failed", "oom"}, "`oom` is one word too many");
  refused({"compare", "q", "--where", "steps=3", "warmup=5"},
          "`warmup=5` is not a sweep; a filter is written --where warmup=5");
  refused({"query", "lm_step", "--sweep", "q"}, "sweep `q` measures `noop`, not `lm_step`");
  refused({"query", "noop", "--rows", "steps", "--bold", "faster"},
          "--bold faster: nothing is compared; add --baseline NAME=VALUE");
  const Ran ran = box.ctl({"query", "q"});
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_THAT(ran.err, HasSubstr("no workload `q`; a sweep is named with --sweep q"));
}

TEST(Help, EveryVerbHasAnExample) {
  const Sandbox box;
  for (const char* verb :
       {"plan",      "submit",  "watch",  "list",   "show",  "report",    "query",
        "export",    "log",     "cancel", "retry",  "merge", "noise",     "compare",
        "workloads", "devices", "doctor", "status", "stop",  "completion"}) {
    const Ran help = box.ctl({verb, "--help"});
    EXPECT_EQ(help.exit_code, 0) << verb;
    EXPECT_THAT(help.out, AllOf(HasSubstr("Example"), HasSubstr("sweepctl " + std::string(verb))))
        << verb;
  }
  EXPECT_EQ(box.ctl({"submitt"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(box.state())) << "help must not start a daemon";
}

}  // namespace
}  // namespace sweepd::e2e
