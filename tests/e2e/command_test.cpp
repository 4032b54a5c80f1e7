// Runs a sweep over a small program of a user. What it reports becomes a table, and however it
// ends, nothing of it is left running.
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
  // `more` is appended to the file.
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

// The program writes 40 MB, and the last lines say how it went.
TEST(CommandLog, KeepsItsBeginningAndItsEnd) {
  const Sandbox box;
  const Ran ran = box.ctl({"submit", "-", "--wait"}, R"yaml(
sweep: loud
workload: command
params:
  argv: sh -c 'echo first; yes "forty characters of one line, no less" | head -n 1000000; echo last; exit 3'
)yaml");
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  const std::string attempt = box.sql("select uid from attempt");
  const auto log = box.state() / "runs" / attempt / "log.0.txt";
  EXPECT_LE(std::filesystem::file_size(log), 12U << 20);
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text,
              AllOf(HasSubstr("first\nforty"), HasSubstr("bytes left out here: a log keeps its "
                                                         "first 4MiB and its last 4MiB]\n")));
  EXPECT_NE(text.find("\nlast\n", text.size() - 2000), std::string::npos);
  EXPECT_THAT(box.ctl({"show", "loud"}).out, HasSubstr("exit code 3: last"));
}

// The value must be nowhere in the state folder but in the file that the user wrote.
TEST(CommandSecrets, AreStoredNowhere) {
  const Sandbox box;
  constexpr auto kValue = "hf_0123456789abcdef";
  const std::string sweep = R"yaml(
sweep: private
workload: command
params:
  argv: sh -c 'echo "token $HF_TOKEN"; echo "{{\"fact\":\"token\",\"text\":\"$HF_TOKEN\"}}" >&3; test ${{#HF_TOKEN}} = 19 && echo "{{\"step\":0,\"time\":1}}" >&3'
  secrets: HF_TOKEN
  warmup: 0
)yaml";
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, sweep).exit_code, 4);
  EXPECT_THAT(box.ctl({"show", "private"}).out, HasSubstr("there is no secret HF_TOKEN"));
  EXPECT_EQ(box.sql("select outcome from attempt"), "skipped");

  const auto file = box.state() / "secrets";
  std::ofstream(file) << "HF_TOKEN=" << kValue << "\n";
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  const Ran retried = box.ctl({"retry", "private", "--only", "skipped", "--wait"});
  EXPECT_EQ(retried.exit_code, 0) << retried.err;
  EXPECT_THAT(box.ctl({"log", box.sql("select uid from attempt where outcome = 'done'")}).out,
              HasSubstr("token [HF_TOKEN]"));
  box.ctl({"stop"});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(box.state())) {
    if (!entry.is_regular_file() || entry.path() == file) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text.find(kValue), std::string::npos) << entry.path();
  }
}

TEST(CommandTemplates, AMistakeIsToldBeforeAnythingIsQueued) {
  const Sandbox box;
  const std::string sweep = box.write("c.yaml",
                                      "sweep: c\nworkload: command\nparams:\n"
                                      "  argv: echo {contxt}\n");
  for (const char* verb : {"plan", "submit"}) {
    const Ran ran = box.ctl({verb, sweep});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, AllOf(HasSubstr("c.yaml:4:9: error: argv: {contxt} is not a parameter"),
                               HasSubstr("context")));
  }
  const Ran unset = box.ctl({"submit", sweep, "--set", "argv=echo {context}"});
  EXPECT_EQ(unset.exit_code, 2) << "the file must be valid by itself";
  const Ran absent =
      box.ctl({"submit", "-"}, "sweep: c\nworkload: command\nparams: {argv: 'echo {context}'}\n");
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("does not set `context`"));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
}

struct Case {
  std::string kind, outcome, why;
  std::size_t processes = 1;  // of the program
};

class CommandOutcomes : public Command, public testing::WithParamInterface<Case> {};

TEST_P(CommandOutcomes, AreRowsAndNothingIsLeftBehind) {
  const Case& c = GetParam();
  // If the timeout does not end it, Python needs time to start on a busy machine.
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
                    Case{"garbage", "failed", "not a JSON object: `Segmentation fault, probably`"},
                    Case{"skipped", "skipped", "needs eight GPUs; rent some"},
                    Case{"oom", "oom", "out of memory"}, Case{"killed", "crashed", "SIGKILL"},
                    Case{"slow", "timeout", "took longer than 5s"},
                    Case{"ignores_sigterm", "timeout", "took longer than 5s", 2},
                    Case{"kills_worker", "crashed", "SIGKILL", 3}),
    [](const auto& param_info) { return param_info.param.kind; });

}  // namespace
}  // namespace sweepd::e2e
