// A sweep over a small program that is not ours: what it reports becomes a table, and however it
// ends, nothing of it stays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kProgram = R"(
import json, os, signal, subprocess, sys, time

kind, context, warmup, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
report = os.fdopen(int(os.environ["SWEEPD_METRICS_FD"]), "w", buffering=1)
with open(sys.argv[5] + "/pids", "a") as pids:
    print(os.getpid(), file=pids)
for step in range(warmup + steps):
    ms = {"forward": context / 100, "step": context / 10}
    print(json.dumps({"step": step, "warmup": step < warmup, "time": ms}), file=report)
print(json.dumps({"fact": "answer", "text": f"forty-two at {context}"}), file=report)
if kind == "wrong_exit":
    sys.exit("the disk is on fire")
if kind == "garbage":
    print("Segmentation fault, probably", file=report)
if kind == "skipped":
    print("needs eight GPUs; rent some")
    sys.exit(77)
if kind == "oom":
    raise MemoryError()
if kind == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if kind == "ignores_sigterm":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    escaped = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    with open(sys.argv[5] + "/pids", "a") as pids:
        print(escaped.pid, file=pids)
if kind == "kills_worker":
    for session in (False, True):
        child = subprocess.Popen(["sleep", "1000"], start_new_session=session)
        with open(sys.argv[5] + "/pids", "a") as pids:
            print(child.pid, file=pids)
    os.kill(os.getppid(), signal.SIGKILL)
if kind in ("garbage", "slow", "ignores_sigterm", "kills_worker"):
    time.sleep(1000)
)";

class Command : public testing::Test {
 protected:
  // `more`: what stands at the end of the file
  Ran submit(const std::string& kind, const std::string& contexts, const std::string& timeout,
             const std::string& more = "") const {
    const std::string program = box.write("program.py", kProgram);
    return box.ctl({"submit", "-", "--wait"},
                   "sweep: programs\nworkload: command\nparams:\n  argv: \"python3 " + program +
                       " {variant} {context} {warmup} {steps} " + box.folder().string() +
                       "\"\n  warmup: 1\n  steps: 3\n  timeout: " + timeout +
                       "\n  variant: " + kind +
                       "\n"
                       "matrix: {context: " +
                       contexts + "}\n" + more);
  }
  std::vector<pid_t> pids() const {
    std::vector<pid_t> found;
    std::ifstream file(box.folder() / "pids");
    for (pid_t pid = 0; file >> pid;) found.push_back(pid);
    return found;
  }
  Sandbox box;
};

TEST_F(Command, WhatItReportsIsATable) {
  const Ran submitted = submit("fine", "[128, 256]", "60s", R"yaml(
tables:
  - title: Programs
    rows: [{context: Context}]
    columns: [phase]
    cell: "{mean:.2f} (n = {n})"
    unit: ms
  - title: Facts
    rows: [context]
    values:
      - {name: Answer, metric: fact.answer, cell: "{text}"}
)yaml");
  EXPECT_EQ(submitted.exit_code, 0) << submitted.err;
  const Ran report = box.ctl({"report", "programs"});
  EXPECT_THAT(report.out, AllOf(HasSubstr("1.28 (n = 3)"), HasSubstr("12.80 (n = 3)"),
                                HasSubstr("2.56 (n = 3)"), HasSubstr("25.60 (n = 3)"),
                                HasSubstr("forty-two at 256")))
      << report.err;
  EXPECT_EQ(box.sql("select count(*) from samples where metric = 'time' and phase = 'step' and "
                    "warmup = 1"),
            "2");
  const Ran query = box.ctl({"query", "command", "--rows", "context", "--where", "phase=forward"});
  EXPECT_THAT(query.out, HasSubstr("256")) << query.err;
}

struct Case {
  std::string kind, outcome, why;
  std::size_t processes = 1;  // of the program
};

class CommandOutcomes : public Command, public testing::WithParamInterface<Case> {};

TEST_P(CommandOutcomes, AreRowsAndNothingIsLeftBehind) {
  const Case& c = GetParam();
  // Long enough for Python to start on a busy machine where the end is the timeout's.
  const bool waits = c.outcome == "timeout";
  EXPECT_EQ(submit(c.kind, "[128]", waits ? "5s" : "60s").exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), c.outcome);
  EXPECT_THAT(box.ctl({"show", "programs"}).out, HasSubstr(c.why));
  const std::vector<pid_t> all = pids();
  EXPECT_EQ(all.size(), c.processes);
  for (const pid_t pid : all) EXPECT_FALSE(is_alive(pid)) << pid;
}

INSTANTIATE_TEST_SUITE_P(
    EndToEnd, CommandOutcomes,
    testing::Values(Case{"wrong_exit", "failed", "exit code 1: the disk is on fire"},
                    Case{"garbage", "failed", "no JSON object: `Segmentation fault, probably`"},
                    Case{"skipped", "skipped", "needs eight GPUs; rent some"},
                    Case{"oom", "oom", "out of memory"}, Case{"killed", "crashed", "SIGKILL"},
                    Case{"slow", "timeout", "took longer than 5s"},
                    Case{"ignores_sigterm", "timeout", "took longer than 5s", 2},
                    Case{"kills_worker", "crashed", "SIGKILL", 3}),
    [](const auto& param_info) { return param_info.param.kind; });

}  // namespace
}  // namespace sweepd::e2e
