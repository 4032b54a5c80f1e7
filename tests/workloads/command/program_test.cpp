// Tests how a program is started, its lines, and its end. tests/e2e has the daemon's side
// (timeouts).
#include "workloads/command/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/worker/temp_folder.h"
#include "workloads/api/failure.h"

namespace sweepd::command {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Heard {
  Ended ended;
  std::vector<std::string> output, reports;
};

Heard run_shell(const std::string& script, ProgramStart plan = {}) {
  plan.argv = {"sh", "-c", script};
  if (plan.folder.empty()) plan.folder = "/";
  Heard heard;
  heard.ended = run(
      plan, [&](std::string_view line) { heard.output.emplace_back(line); },
      [&](std::string_view line) { heard.reports.emplace_back(line); });
  return heard;
}

// A zombie counts as gone, because in a container nobody may ever reap it.
bool lives(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.at(name_end + 2) != 'Z';
}

TEST(Program, ItsOutputAndReportsComeLineByLine) {
  const Heard heard = run_shell(
      "echo one; echo two >&2; echo report >&3; echo again >&$SWEEPD_METRICS_FD; printf end; exit "
      "3",
      {.environment = {{"SWEEPD_METRICS_FD", "3"}}});
  EXPECT_THAT(heard.output, ElementsAre("one", "two", "end"));
  EXPECT_THAT(heard.reports, ElementsAre("report", "again"));
  EXPECT_EQ(heard.ended.exit_code, 3);
  EXPECT_EQ(heard.ended.signal, std::nullopt);
  EXPECT_GT(heard.ended.wall.ns, 0);
}

TEST(Program, ACarriageReturnEndsALine) {
  EXPECT_THAT(run_shell("printf '\\rit 1 step_ms=1.0\\rit 2 step_ms=2.0'").output,
              ElementsAre("it 1 step_ms=1.0", "it 2 step_ms=2.0"));
  EXPECT_THAT(run_shell("printf 'one\\r\\n\\r\\n\\ntwo\\r'; sleep 0.01; printf '\\nthree'").output,
              ElementsAre("one", "", "", "two", "three"));
}

TEST(Program, HasItsFolderItsEnvironmentAndNoInput) {
  const TempFolder folder;
  const Heard heard = run_shell("pwd; echo $A; echo $PATH | wc -c; cat",
                                {.environment = {{"A", "x y"}}, .folder = folder.path()});
  ASSERT_EQ(heard.output.size(), 3u);
  EXPECT_EQ(heard.output[0], folder.path());
  EXPECT_EQ(heard.output[1], "x y");
  EXPECT_NE(heard.output[2], "1") << "the rest of the environment is the worker's";
}

TEST(Program, GetsNoOtherDescriptors) {
  EXPECT_THAT(run_shell("ls /proc/self/fd | tr '\\n' ' '").output.at(0),
              AnyOf("0 1 2 3 4 ", "0 1 2 3 "));  // 4 is the folder that ls reads
}

TEST(Program, ASignalIsKnown) {
  EXPECT_EQ(run_shell("kill -SEGV $$").ended.signal, SIGSEGV);
}

TEST(Program, LongLinesComeInPieces) {
  const Heard heard = run_shell("head -c 3000000 /dev/zero | tr '\\0' a");
  std::size_t bytes = 0;
  for (const std::string& line : heard.output) {
    EXPECT_LE(line.size(), kLongestLine + (1 << 16));
    bytes += line.size();
  }
  EXPECT_EQ(bytes, 3'000'000u);
}

TEST(Program, ALongLineIsCutWhereItMayBe) {
  ProgramStart plan;
  plan.cut = [](std::string_view line) { return line.rfind('b') + 1; };
  const Heard heard = run_shell(
      "head -c 1500000 /dev/zero | tr '\\0' a; printf b; head -c 1500000 /dev/zero | tr '\\0' a",
      plan);
  ASSERT_EQ(heard.output.size(), 2U);
  EXPECT_EQ(heard.output[0].size(), 1'500'001U);
  EXPECT_EQ(heard.output[1].size(), 1'500'000U);
  // Without an end the line is cut somewhere.
  plan.cut = [](std::string_view) { return std::size_t{0}; };
  EXPECT_GT(run_shell("head -c 9000000 /dev/zero | tr '\\0' a", plan).output.size(), 1U);
}

TEST(Program, MoreOutputThanAPipeHoldsAfterItsEnd) {
  EXPECT_EQ(run_shell("seq 100000 >&3; seq 5000").reports.size(), 100000u);
}

TEST(Program, ThatIsNotThereIsUnavailable) {
  const auto ignore = [](std::string_view) {};
  try {
    run({.argv = {"sweepd-no-such-program"}, .folder = "/"}, ignore, ignore);
    FAIL();
  } catch (const Unavailable& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot run `sweepd-no-such-program`: No such file"));
  }
  try {
    run({.argv = {"true"}, .folder = "/sweepd/no/such"}, ignore, ignore);
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "cwd: `/sweepd/no/such`: No such file or directory");
  }
  EXPECT_THROW(run({.argv = {"/etc"}, .folder = "/"}, ignore, ignore), std::runtime_error);
}

TEST(Program, NothingOfItIsLeftBehind) {
  // One process is in the background, one in its own session; both would outlive the shell.
  const TempFolder folder;
  const Heard heard = run_shell(
      "sleep 1000 & echo $!; setsid sh -c 'echo $$; echo > there; exec sleep 1000' & "
      "while [ ! -e there ]; do sleep 0.01; done",
      {.folder = folder.path()});
  ASSERT_EQ(heard.output.size(), 2u);
  for (const std::string& pid : heard.output) EXPECT_FALSE(lives(std::stoi(pid))) << pid;
}

TEST(Program, WhatAHandlerThrowsEndsIt) {
  pid_t pid = 0;
  const ProgramStart plan{.argv = {"sh", "-c", "echo $$; trap '' TERM; echo bad >&3; sleep 1000"},
                          .folder = "/"};
  EXPECT_THROW(run(
                   plan, [&](std::string_view line) { pid = std::stoi(std::string(line)); },
                   [](std::string_view line) { throw std::runtime_error(std::string(line)); }),
               std::runtime_error);
  EXPECT_GT(pid, 0);
  EXPECT_FALSE(lives(pid));
}

TEST(Program, ALimitOnItsMemoryHolds) {
  const Heard heard =
      run_shell("head -c 300000000 /dev/zero | tail -c 300000000 | wc -c", {.data_limit = 64_MiB});
  EXPECT_THAT(heard.output, testing::Contains(HasSubstr("memory exhausted")));
}

TEST(Program, ItsPeakMemoryIsSeen) {
  // `tail` holds all of it in memory.
  const ProgramStart plan{.watch_memory = true};
  const Heard heard = run_shell("head -c 600000000 /dev/zero | tail -c 600000000 | wc -c", plan);
  EXPECT_THAT(heard.output, ElementsAre("600000000"));
  ASSERT_TRUE(heard.ended.peak_resident);
  EXPECT_GT(heard.ended.peak_resident->value, 500'000'000);
  EXPECT_LT(heard.ended.peak_resident->value, 900'000'000);
}

// Either it was seen in time, or nothing is known; 0 bytes is no answer.
TEST(Program, AShortOnesPeakMemoryIsNotZero) {
  for (int i = 0; i < 5; ++i) {
    const auto peak = run_shell("exit 0", {.watch_memory = true}).ended.peak_resident;
    EXPECT_TRUE(!peak || peak->value > 0);
  }
}

// The worker's own reaction to SIGTERM, in a process of its own.
TEST(ProgramDeathTest, SigtermWaitsForTheProgramAndThenEndsTheWorker) {
  const auto ignore = [](std::string_view) {};
  const auto as_worker = [&](const std::string& script) {
    run({.argv = {"sh", "-c", script}, .folder = "/"}, ignore, ignore);
    ::_exit(0);  // not reached
  };
  const TempFolder folder;
  const std::string cleaned = (folder.path() / "cleaned").string();
  EXPECT_EXIT(as_worker("kill -TERM $PPID; sleep 0.2; echo > " + cleaned),
              testing::KilledBySignal(SIGTERM), "");
  EXPECT_TRUE(std::filesystem::exists(cleaned)) << "it had time to end by itself";
  const std::string pid_file = (folder.path() / "pid").string();
  EXPECT_EXIT(as_worker("echo $$ > " + pid_file + "; trap '' TERM; kill -TERM $PPID; sleep 1000"),
              testing::KilledBySignal(SIGTERM), "");
  pid_t pid = 0;
  std::ifstream(pid_file) >> pid;
  EXPECT_GT(pid, 0);
  EXPECT_FALSE(lives(pid));
}

}  // namespace
}  // namespace sweepd::command
