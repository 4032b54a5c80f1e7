// Runs the real programs as the daemon starts them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "runner/wire/catalog_json.h"
#include "runner/wire/status.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;

pid_t start(std::vector<std::string> command, const std::filesystem::path& output) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (freopen(output.c_str(), "w", stdout) == nullptr) _exit(127);
  dup2(STDOUT_FILENO, STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

struct Finished {
  int status;
  std::string output;
  int exit_code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};
Finished run(std::vector<std::string> command) {
  TempFolder folder;
  const auto output = folder.path() / "output";
  const int status = wait_for(start(std::move(command), output));
  return {status, read(output)};
}

TEST(SweepWorker, RunsNoopEndToEnd) {
  AttemptFiles files("noop", {{"warmup", "2"}, {"steps", "5"}});
  const Finished finished = run({SWEEP_WORKER, "--run", files.folder.path()});
  EXPECT_EQ(finished.exit_code(), 0) << finished.output;
  EXPECT_EQ(files.ending(), "done");
  EXPECT_THAT(finished.output, HasSubstr("measured 5 step(s) after 2 of warm-up"));
  int warmup = 0, measured = 0;
  for (const StepEvent& step : files.all<StepEvent>()) {
    if (step.samples.at(0).phase == "setup") continue;
    (step.warmup ? warmup : measured) += 1;
    ASSERT_EQ(step.samples.size(), 3U);
    EXPECT_EQ(step.samples[0].phase, "idle");
    EXPECT_EQ(step.samples[1].metric, "time");
    EXPECT_EQ(step.samples[2].metric, "host_time");
    for (const Sample& sample : step.samples) EXPECT_GE(sample.value, 0);
    EXPECT_LE(step.samples[0].value, step.samples[1].value);
    EXPECT_LE(step.samples[1].value, step.samples[2].value);
  }
  EXPECT_EQ(warmup, 2);
  EXPECT_EQ(measured, 5);
}

TEST(SweepWorker, ASleepIsInEveryClock) {
  AttemptFiles files("noop", {{"warmup", "0"}, {"steps", "1"}, {"sleep", "20ms"}});
  EXPECT_EQ(run({SWEEP_WORKER, "--run", files.folder.path()}).exit_code(), 0);
  const StepEvent step = files.all<StepEvent>().at(1);
  for (const Sample& sample : step.samples) {
    EXPECT_GE(sample.value, 20) << sample.phase << " " << sample.metric;
  }
}

TEST(SweepWorker, DescribesItsCatalog) {
  const Finished finished = run({SWEEP_WORKER, "--describe"});
  EXPECT_EQ(finished.exit_code(), 0);
  const auto catalog = catalog_from_json(nlohmann::json::parse(finished.output));
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  const WorkloadDef* noop = catalog->find("noop");
  ASSERT_NE(noop, nullptr);
  EXPECT_NE(noop->find("sleep"), nullptr);
  EXPECT_NE(noop->find("relative_error"), nullptr);
}

TEST(SweepWorker, AWrongCommandLineGetsTheHelpAndExitCode2) {
  EXPECT_EQ(run({SWEEP_WORKER, "--help"}).exit_code(), 0);
  EXPECT_THAT(run({SWEEP_WORKER, "--version"}).output,
              MatchesRegex(R"(sweep-worker [0-9.]+ \([0-9a-z-]+; .+, with(out)? LibTorch\).*)"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--run"}, {"--runn", "x"}, {"--describe", "x"}}) {
    std::vector<std::string> command{SWEEP_WORKER};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished finished = run(command);
    EXPECT_EQ(finished.exit_code(), 2);
    EXPECT_THAT(finished.output, HasSubstr("--describe"));
  }
}

TEST(SweepWorker, ARankThatIsNoNumberIsExitCode2) {
  AttemptFiles files("noop", {});
  const Finished finished =
      run({"/usr/bin/env", "RANK=one", SWEEP_WORKER, "--run", files.folder.path()});
  EXPECT_EQ(finished.exit_code(), 2);
  EXPECT_THAT(finished.output, HasSubstr("RANK is `one`"));
}

TEST(SweepWorker, EachRankHasItsFiles) {
  AttemptFiles files("noop", {{"world_size", "2"}});
  files.request.lease.ranks.push_back({{0}, "", -1});
  files.write();
  EXPECT_EQ(run({"/usr/bin/env", "RANK=1", SWEEP_WORKER, "--run", files.folder.path()}).exit_code(),
            0);
  EXPECT_FALSE(std::filesystem::exists(files.files.events(0)));
  EXPECT_EQ(files.ending(1), "done");
  EXPECT_EQ(files.all<EndEvent>(1).at(0).ending.rank, 1);
}

// A new workload is one new .cpp and nothing else: tests/worker/example_workload.cpp.
TEST(ExampleWorker, DescribesAndRunsANewWorkload) {
  const Finished described = run({SWEEP_WORKER_EXAMPLE, "--describe"});
  const auto catalog = catalog_from_json(nlohmann::json::parse(described.output));
  ASSERT_TRUE(catalog.ok()) << catalog.error().message;
  ASSERT_EQ(catalog->names(), (std::vector<std::string>{"axpy", "plugin"}));
  EXPECT_EQ(catalog->workloads[0].find("size")->help, "elements of x and y");

  AttemptFiles files("axpy", {{"size", "1000"}, {"warmup", "1"}, {"steps", "4"}});
  EXPECT_EQ(run({SWEEP_WORKER_EXAMPLE, "--run", files.folder.path()}).exit_code(), 0);
  EXPECT_EQ(files.ending(), "done");
  const WorkPerStep work = files.all<WorkEvent>().at(0).work;
  EXPECT_EQ(work.phases.at(0).flops, 2000);
  EXPECT_EQ(work.phases.at(0).bytes, 12000);
  EXPECT_EQ(files.all<FactEvent>().at(0).number, 11.0);  // 1 + 5 steps of 2
}

// The vectors come from the process's own allocator, whose limit the torch-free device sets.
TEST(ExampleWorker, AMemoryLimitTooSmallIsOutOfMemoryInSetup) {
#if defined(SWEEPD_UNDER_ASAN) || defined(SWEEPD_UNDER_TSAN)
  GTEST_SKIP() << "a sanitizer's allocator aborts instead of throwing";
#endif
  AttemptFiles files("axpy", {{"size", "100M"}, {"memory_limit", "64MiB"}});
  EXPECT_EQ(run({SWEEP_WORKER_EXAMPLE, "--run", files.folder.path()}).exit_code(), 0);
  const Ending ending = files.all<EndEvent>().at(0).ending;
  ASSERT_EQ(outcome_of(ending), Outcome::kOom);
  EXPECT_EQ(std::get<Oom>(ending.detail).limit, 64_MiB);
  EXPECT_EQ(std::get<Oom>(ending.detail).phase, "setup");
}

TEST(FaultWorker, DeathsLeaveAJournalWithoutAnEndAndAReadableStatus) {
  struct Row {
    const char* kind;
    int signal, exit_code;
  };
  for (const Row& row : {Row{"crash", SIGABRT, -1}, Row{"segv", SIGSEGV, -1}, Row{"exit", 0, 3}}) {
    SCOPED_TRACE(row.kind);
    AttemptFiles files("fault", {{"kind", row.kind}, {"warmup", "0"}, {"step", "2"}});
    const Finished finished = run({TEST_SWEEP_WORKER, "--run", files.folder.path()});
    EXPECT_EQ(WIFSIGNALED(finished.status) ? WTERMSIG(finished.status) : 0, row.signal);
    EXPECT_EQ(finished.exit_code(), row.exit_code);
    EXPECT_EQ(files.ending(), "");
    EXPECT_EQ(files.all<WorkEvent>().size(), 1U);
    const Status status = read_status(files.files.status(0));
    EXPECT_EQ(status.step, 2);
    EXPECT_EQ(status.phase, "backward");
  }
}

TEST(FaultWorker, AHangIsVisibleOnItsStatusAndDiesOfItsSignal) {
  struct Row {
    const char* kind;
    int signal;
  };
  for (const Row& row : {Row{"hang", SIGTERM}, Row{"hang_ignoring_sigterm", SIGKILL}}) {
    SCOPED_TRACE(row.kind);
    AttemptFiles files("fault", {{"kind", row.kind}, {"at", "step"}});
    TempFolder logs;
    const pid_t child =
        start({TEST_SWEEP_WORKER, "--run", files.folder.path()}, logs.path() / "log");
    while (read_status(files.files.status(0)).phase != "backward") {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    kill(child, row.signal);
    const int status = wait_for(child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), row.signal);
    EXPECT_EQ(read_status(files.files.status(0)).phase, "backward");
    EXPECT_EQ(read_status(files.files.status(0)).step, 0);
  }
}

}  // namespace
}  // namespace sweepd
