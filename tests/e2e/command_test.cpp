// Runs a sweep over a small program of a user. Its reports become a table, and no process of it
// remains after any kind of end.
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
  // A sweep of the program, to which `more` is appended.
  std::string sweep(const std::string& more) const {
    const std::string program = box.write("program.py", kProgram);
    return "sweep: programs\nworkload: command\nparams:\n  argv: \"python3 " + program +
           " {variant} {context} {warmup} {steps} " + box.folder().string() +
           "\"\n  warmup: 1\n  steps: 3\n" + more;
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
  const Ran submitted = box.ctl({"submit", "-", "--wait"}, sweep(R"yaml(
matrix: {variant: [fine], context: [128, 256]}
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
)yaml"));
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

// The program writes 40 MB, and the last lines have the result.
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

// The value must be nowhere in the state folder but in the file that the user wrote, nor in a
// bundle.
TEST(CommandSecrets, AreStoredNowhere) {
  const Sandbox box;
  constexpr auto kValue = R"(pa"ss\Zx81kq/ö)";
  const std::string script = box.write("say.py", R"py(
import json, os
token = os.environ["HF_TOKEN"]
reports = os.fdopen(3, "w")
texts = [token, json.dumps(token), json.dumps(token, ensure_ascii=False), json.dumps(json.dumps(token)), repr(token),
         json.dumps(token).replace("/", "\\/"), "".join("\\u%04x" % ord(c) for c in token)]
for i, text in enumerate(texts):
    print("token", text)
    print(json.dumps({"fact": "fact%d" % i, "text": text}), file=reports)
    open("file%d" % i, "w").write(text)
print(json.dumps({"step": 0, "time": 1}), file=reports)
)py");
  const std::string sweep = "sweep: private\nworkload: command\nparams: {argv: python3 " + script +
                            ", secrets: HF_TOKEN, warmup: 0}\n";
  EXPECT_EQ(box.ctl({"submit", "-", "--wait"}, sweep).exit_code, 4);
  EXPECT_THAT(box.ctl({"show", "private"}).out, HasSubstr("there is no secret HF_TOKEN"));
  EXPECT_EQ(box.sql("select outcome from attempt"), "skipped");

  const auto file = box.state() / "secrets";
  std::ofstream(file) << "HF_TOKEN=" << kValue << "\n";
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  const Ran retried = box.ctl({"retry", "private", "--only", "skipped", "--wait"});
  EXPECT_EQ(retried.exit_code, 0) << retried.err;
  const std::string attempt = box.sql("select uid from attempt where outcome = 'done'");
  EXPECT_THAT(box.ctl({"log", attempt}).out, HasSubstr("token [HF_TOKEN]"));
  EXPECT_EQ(box.sql("select text from facts where name = 'fact3'"), R"("\"[HF_TOKEN]\"")");
  EXPECT_EQ(box.ctl({"bundle", attempt, "-o", (box.folder() / "b.tar.gz").string()}).exit_code, 0);
  const std::string bundle =
      box.run("/bin/tar", {"-xzOf", (box.folder() / "b.tar.gz").string()}).out;
  EXPECT_THAT(bundle, HasSubstr("[HF_TOKEN]"));
  box.ctl({"stop"});
  const auto look = [](const std::string& text, const std::filesystem::path& where) {
    for (const char* part : {"Zx81kq", "u005au0078", "\\u005a\\u0078"})
      EXPECT_EQ(text.find(part), std::string::npos) << part << " is in " << where;
  };
  look(bundle, "the bundle");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(box.state())) {
    if (!entry.is_regular_file() || entry.path() == file) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    look({std::istreambuf_iterator<char>(in), {}}, entry.path());
  }
}

TEST_F(Command, HoweverItEndsThereIsARowAndNothingIsLeftBehind) {
  struct Case {
    std::string kind, outcome, why;
    std::size_t processes = 1;  // of the program
  };
  const std::vector<Case> cases{
      {"wrong_exit", "failed", "exit code 1: the disk is on fire"},
      {"garbage", "failed", "not a JSON object: `Segmentation fault, probably`"},
      {"skipped", "skipped", "needs eight GPUs; rent some"},
      {"oom", "oom", "out of memory"},
      {"killed", "crashed", "SIGKILL"},
      {"kills_worker", "crashed", "SIGKILL", 3}};
  std::string kinds;
  std::size_t processes = 0;
  for (const Case& c : cases) {
    kinds += (kinds.empty() ? "" : ", ") + c.kind;
    processes += c.processes;
  }
  const Ran ran = box.ctl({"submit", "-", "--wait"},
                          sweep("  context: 128\nmatrix: {variant: [" + kinds + "]}\n"));
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  const std::string shown = box.ctl({"show", "programs"}).out;
  for (const Case& c : cases) {
    EXPECT_EQ(box.sql("select distinct outcome from command where variant = '" + c.kind + "'"),
              c.outcome);
    EXPECT_THAT(shown, HasSubstr(c.why));
  }
  const std::vector<pid_t> all = pids();
  EXPECT_EQ(all.size(), processes);
  for (const pid_t pid : all) EXPECT_FALSE(is_alive(pid)) << pid;
}

TEST_F(Command, ThatIgnoresSigtermIsEndedWithWhatItStarted) {
  ASSERT_EQ(
      box.ctl({"submit", "-"}, sweep("  context: 128\n  variant: ignores_sigterm\n")).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return pids().size() == 2; }));
  EXPECT_EQ(box.ctl({"cancel", "programs"}).exit_code, 0);
  EXPECT_EQ(box.ctl({"watch", "programs"}).exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), "cancelled");
  for (const pid_t pid : pids()) EXPECT_FALSE(is_alive(pid)) << pid;
}

}  // namespace
}  // namespace sweepd::e2e
