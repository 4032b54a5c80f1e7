// `sweepctl try` and `sweepctl emit`, as the author of a program for sweepd uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kHead = "sweep: mine\nprogram: mine\nparameters: {size: 4}\n";

TEST(Try, ShowsTheOutputAndWhatWasUnderstoodOrNot) {
  const Sandbox box;
  box.write("work.sh",
            "echo working on $1\n"
            "sweepctl emit step 0 time=5 time.load=1\n"
            "sweepctl emit step 1 time=4 rate=2.5\n"
            "sweepctl emit fact compiler='gcc 12'\n"
            "sweepctl emit metrics joules=7\n");
  const std::string file =
      box.write("mine.yaml", kHead +
                                 "params: {argv: 'sh work.sh {size}', warmup: 1, device: cpu}\n"
                                 "matrix: {size: [8, 16]}\n");
  const Ran ran = box.ctl({"try", file});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("mine: the first of 2 trials, size=8"), HasSubstr("working on 8\n"),
                    HasSubstr("time    step"), HasSubstr("rate    step"), HasSubstr("joules  step"),
                    HasSubstr("fact compiler: gcc 12\n"), HasSubstr("outcome: done")));
  EXPECT_EQ(box.sql("select count(*) from sweep"), "0");
  EXPECT_EQ(box.sql("select count(*) from program"), "0") << "nothing is stored";

  const auto tried = [&](const std::string& script) {
    const std::string program = box.write("p.sh", script);
    return box.ctl({"try", "-"},
                   kHead + "params: {argv: 'sh " + program + "', device: cpu, warmup: 0}\n");
  };
  const Ran garbled = tried("echo '{\"step\":0,\"time\":fast}' >&3; sleep 5");
  EXPECT_EQ(garbled.exit_code, 4);
  EXPECT_THAT(garbled.out, AllOf(HasSubstr("metrics: none"), HasSubstr("outcome: failed"),
                                 HasSubstr("line 1 of the program's report"),
                                 HasSubstr("`{\"step\":0,\"time\":fast}`")));
  EXPECT_THAT(tried("echo nothing").out, HasSubstr("reported no step"));
  EXPECT_THAT(tried("echo no disk; exit 3").out,
              AllOf(HasSubstr("no disk\n"), HasSubstr("exit code 3: no disk")));
  EXPECT_EQ(box.ctl({"try", "-"}, "sweep: a\n").exit_code, 2);
  EXPECT_THAT(box.ctl({"try", "-"}, kHead + "params: {argv: 'true', world_size: 2}\n").err,
              HasSubstr("`try` runs one rank, not 2; add --set world_size=1"));
}

// The program prints its variables and the cores to which it is bound.
TEST(Try, RunsInTheSurroundingsOfARun) {
  const Sandbox box;
  box.write("work.sh",
            "env | grep -vE '^(SWEEPD_ATTEMPT|MASTER_PORT|TORCHELASTIC_RUN_ID|_|PWD|OLDPWD)=' |"
            " grep -v /runs/ | grep -v sweepctl-try | sort > $1\n"
            "grep Cpus_allowed_list /proc/self/status >> $1; readlink /proc/self/fd/0 >> $1\n");
  const std::string file =
      box.write("mine.yaml",
                "sweep: mine\nworkload: command\n"
                "params: {argv: 'sh work.sh {arg1}', arg1: none, reports: nothing, steps: 1, "
                "threads: 1, device: cpu}\n");
  const auto arg = [&](const char* name) { return "arg1=" + (box.folder() / name).string(); };
  ASSERT_EQ(box.ctl({"submit", "--wait", file, "--set", arg("run.txt")}).exit_code, 0);
  // The daemon was started in another shell.
  ::setenv("OF_ANOTHER_SHELL", "1", 1);
  const Ran tried = box.ctl({"try", file, "--set", arg("try.txt")});
  ::unsetenv("OF_ANOTHER_SHELL");
  EXPECT_EQ(tried.exit_code, 0) << tried.out << tried.err;
  const auto read = [&](const char* name) {
    std::ostringstream text;
    text << std::ifstream(box.folder() / name).rdbuf();
    return text.str();
  };
  EXPECT_EQ(read("try.txt"), read("run.txt"));
  EXPECT_THAT(read("try.txt"), HasSubstr("OMP_NUM_THREADS=1\n"));
}

TEST(Try, EndsAtTheTimeoutAndAtASignalAndLeavesNothing) {
  const Sandbox box;
  const auto folder = box.folder() / "tmp";
  std::filesystem::create_directory(folder);
  box.write("work.sh", "echo begun; trap '' TERM; sleep 600 & wait; sleep 600\n");
  const std::string file =
      box.write("mine.yaml", kHead + "params: {argv: 'sh work.sh', device: cpu, timeout: 1s}\n");
  ASSERT_EQ(box.ctl({"list"}).exit_code, 0);
  ::setenv("TMPDIR", folder.c_str(), 1);
  const Ran late = box.ctl({"try", file});
  EXPECT_EQ(late.exit_code, 4);
  EXPECT_THAT(late.out, AllOf(HasSubstr("begun\n"), HasSubstr("outcome: timeout")));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  const std::string reader = SWEEPCTL " try " + file + " | head -n 1";
  EXPECT_THAT(box.run("/bin/sh", {"-c", reader}).out, HasSubstr("mine: the first of 1 trials"));
  EXPECT_TRUE(eventually([&] { return std::filesystem::is_empty(folder); }));
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t pid = box.ctl_in_background({"try", file, "--set", "timeout=600s"});
    EXPECT_TRUE(eventually([&] {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        if (entry.path().filename() == "log.0.txt" && entry.file_size() > 0) return true;
      }
      return false;
    }));
    ::kill(pid, signal);
    ::waitpid(pid, nullptr, 0);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << signal;
  }
  ::unsetenv("TMPDIR");
}

TEST(Try, RunsEveryPassAndSaysWhatElseThereIs) {
  const Sandbox box;
  box.write("torch.py", "");
  box.write("model.py", "if False:\n    from torch import nn\n");
  box.write("train.py",
            "import model\n"
            "for step in range(3):\n    print('step took', step + 1, 'ms')\n");
  const std::string file = box.write("mine.yaml", kHead +
                                                      "passes: [timing, memory]\n"
                                                      "params:\n"
                                                      "  argv: train.py\n"
                                                      "  device: cpu\n"
                                                      "  warmup: 1\n"
                                                      "  patterns: |\n"
                                                      "    time = step took ([0-9]+) ms\n"
                                                      "    loss = loss ([0-9.]+)\n");
  const Ran ran = box.ctl({"try", file});
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("pass timing:"), HasSubstr("pass memory:"),
                             HasSubstr("memory of step: in use"),
                             HasSubstr("fact patterns.unmatched: loss\n"),
                             HasSubstr("note: model.py imports torch: `observe: torch` would")));
}

TEST(Try, AndPlanWarnOfRanksThatShareTheLease) {
  const Sandbox box;
  box.write("torchrun", "echo ran\n");
  const std::string file = box.write(
      "mine.yaml", kHead + "params: {argv: 'sh ./torchrun', reports: nothing, steps: 1}\n");
  const auto warning = HasSubstr("! each rank that `torchrun` starts inherits OMP_NUM_THREADS");
  EXPECT_THAT(box.ctl({"try", file}).out, AllOf(warning, HasSubstr("outcome: done")));
  EXPECT_THAT(box.ctl({"plan", file}).out, warning);
  EXPECT_THAT(box.ctl({"plan", file, "--set", "env=OMP_NUM_THREADS=1"}).out, testing::Not(warning));
}

// The file is in another folder than the daemon and the client, and so is the program.
TEST(ProgramFiles, AreFoundBesideTheSweepFileAndInTheSubmittersPath) {
  const Sandbox box;
  std::filesystem::create_directories(box.folder() / "tools");
  box.write("tools/my-tool",
            "#!/bin/sh\nread word < \"$1\"; echo \"{\\\"metrics\\\":{\\\"n\\\":$word}}\" >&3\n");
  std::filesystem::permissions(box.folder() / "tools/my-tool", std::filesystem::perms(0755));
  box.write("data.txt", "42\n");
  const std::string file =
      box.write("mine.yaml", kHead + "params: {argv: my-tool data.txt, device: cpu}\n");
  ASSERT_EQ(box.ctl({"list"}).exit_code, 0);  // starts the daemon, which has no my-tool
  const std::string with_path = "PATH=" + (box.folder() / "tools").string() + ":$PATH ";
  const auto submit = [&] {
    return box.run("/bin/sh", {"-c", with_path + "exec " SWEEPCTL " --state-dir " +
                                         box.state().string() + " submit --wait " + file});
  };
  const Ran ran = submit();
  EXPECT_EQ(ran.exit_code, 0) << ran.err << box.ctl({"show", "mine"}).out;
  EXPECT_EQ(box.sql("select value from samples where metric = 'n'"), "42.0");
  EXPECT_THAT(submit().out, HasSubstr("1 reused"));
  box.write("data.txt", "43\n");
  EXPECT_THAT(submit().out, HasSubstr("1 to run")) << "its content is part of the trial";
}

TEST(CppHeader, ReportsLikeTheOthers) {
  const Sandbox box;
  const std::string source = box.write("own.cpp", R"(#include "sweepd_metrics.h"
int main() {
  sweepd::step(0).warmup(true).time("load", 0.5).time(1.25).metric("rate", 12);
  sweepd::step(1).time(1.5);
  sweepd::metrics().metric("size", std::stod(sweepd::param("size", "0")));
  sweepd::fact("quoted \"", "back\\slash");
}
)");
  const std::string program = (box.folder() / "own").string();
  ASSERT_EQ(box.run("/bin/sh", {"-c", "c++ -std=c++17 -Wall -Wextra -Werror -I " EXPERIMENTS
                                      "/scripts/metrics " +
                                          source + " -o " + program})
                .exit_code,
            0);
  EXPECT_THAT(box.run(program, {}).out, HasSubstr("{\"step\":1,\"time\":{\"step\":1.5}}\n"))
      << "by hand";
  const Ran ran = box.ctl({"submit", "-", "--wait"}, kHead + "params: {argv: " + program +
                                                         ", size: 7, warmup: 1, device: cpu}\n");
  EXPECT_EQ(ran.exit_code, 0) << ran.err << box.ctl({"show", "mine"}).out;
  EXPECT_EQ(
      box.sql("select group_concat(text, ' ') from (select metric || ' ' || phase || ' ' || "
              "value || ' ' || warmup as text from samples where phase <> 'setup' order by 1)"),
      "rate step 12.0 1 size step 7.0 0 time load 0.5 1 time step 1.25 1 time step 1.5 0");
  EXPECT_EQ(box.sql("select text from facts where name = 'quoted \"'"), "back\\slash");
}

TEST(Emit, WritesLinesAndRefusesWhatIsNone) {
  const Sandbox box;
  const auto emit = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "emit");
    return box.ctl(words);
  };
  EXPECT_EQ(emit({"step", "3", "time=1.25", "time.load=0.5", "warmup=true"}).out,
            "{\"step\":3,\"time\":{\"step\":1.25,\"load\":0.5},\"warmup\":true}\n");
  EXPECT_EQ(emit({"metrics", "joules=nan"}).out, "{\"metrics\":{\"joules\":{\"step\":\"nan\"}}}\n");
  EXPECT_EQ(emit({"memory", "step", "peak_allocated=2KiB"}).out,
            "{\"memory\":\"step\",\"peak_allocated\":2048}\n");
  EXPECT_EQ(emit({"skip", "no GPU"}).out, "{\"skipped\":\"no GPU\"}\n");
  EXPECT_EQ(emit({"skip", "no\u009b2J"}).out, "{\"skipped\":\"no\\u009b2J\"}\n") << "a terminal's";
  for (const auto& [words, message] :
       {std::pair<std::vector<std::string>, const char*>{{"stop", "3"}, "expected step, metrics"},
        {{"step", "x", "time=1"}, "emit: step: "},
        {{"step", "1"}, "expected `step NUMBER NAME=VALUE ...`"},
        {{"step", "1", "time=fast"}, "time: `fast` is not a number"},
        {{"step", "1", "time"}, "`time` is not NAME=VALUE"}}) {
    const Ran ran = emit(words);
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.err, HasSubstr(message));
  }
}

}  // namespace
}  // namespace sweepd::e2e
