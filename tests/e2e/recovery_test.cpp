// After any crash no result is lost and none is counted twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"
#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// Four trials of about a second each.
constexpr auto kSlow = R"(sweep: slow
workload: fault
params: {kind: slow, sleep: 100ms, warmup: 0}
matrix: {steps: [10, 11, 12, 13]}
)";

// Four trials, none of which ends before this gate is open.
class Gate {
 public:
  explicit Gate(const Sandbox& box) : file_(box.folder() / "open") {
    const std::string script =
        box.write("gate.sh", "while [ ! -e " + file_.string() + " ]; do sleep 0.02; done\n");
    sweep_ = box.write("slow.yaml",
                       "sweep: slow\nprogram: gated\nparameters: {size: 1}\n"
                       "params: {argv: 'sh " +
                           script +
                           "', reports: nothing, steps: 1, warmup: 0, device: cpu}\n"
                           "matrix: {size: [1, 2, 3, 4]}\n");
  }
  std::string sweep() const { return sweep_; }
  void open() const { std::ofstream(file_).flush(); }

 private:
  fs::path file_;
  std::string sweep_;
};

constexpr auto kOpen = "select count(*) from attempt where outcome is null";

bool runs_a_worker(const Sandbox& box) {
  return !box.worker_pids().empty();
}

void expect_each_trial_done_once(const Sandbox& box) {
  EXPECT_EQ(box.sql("select count(*) from trial"), "4");
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "4");
  EXPECT_EQ(box.sql("select count(*) from (select trial, pass from attempt where outcome = 'done' "
                    "group by trial, pass having count(*) = 1)"),
            "4");
}

std::string daemon_log(const Sandbox& box) {
  return text_of(box.state() / "sweepd.log");
}

TEST(Recovery, ADaemonKilledInTheMiddleIsReplacedAndItsWorkerAdopted) {
  const Sandbox box;
  const Gate gate(box);
  box.ctl({"submit", gate.sweep()});
  ASSERT_TRUE(eventually([&] { return runs_a_worker(box); }));
  const pid_t worker = box.worker_pids().front();
  box.kill_daemon();
  EXPECT_TRUE(is_alive(worker)) << "the worker must outlive its daemon";
  EXPECT_EQ(box.ctl({"status"}).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return daemon_log(box).find("adopted") != std::string::npos; }));
  gate.open();
  const Ran watched = box.ctl({"watch", "slow"});
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  expect_each_trial_done_once(box);
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4") << "nothing was measured twice";
}

TEST(Recovery, KilledAgainAndAgainItStillEndsWithOneResultEach) {
  const Sandbox box;
  box.ctl({"submit", box.write("slow.yaml", kSlow)});
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(eventually([&] { return runs_a_worker(box) || box.sql(kOpen) == "0"; }));
    box.kill_daemon();
    // Once an attempt ends while no daemon runs.
    ASSERT_TRUE(eventually([&] { return i > 0 || !runs_a_worker(box); }));
    box.ctl({"status"});
  }
  EXPECT_EQ(box.ctl({"watch", "slow"}).exit_code, 0);
  expect_each_trial_done_once(box);
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4");
}

// The last moment of a killed daemon: it accepts one connection, answers nothing and ends.
enum class Dies { kBeforeItReads, kAfterItRead };
class DyingDaemon {
 public:
  explicit DyingDaemon(const StateFolder& state, Dies when = Dies::kBeforeItReads) {
    fs::create_directories(state.path());
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    state.socket().string().copy(name.sun_path, sizeof name.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    end_ = std::thread([this, when] {
      const UniqueFd client(::accept(socket_.get(), nullptr, nullptr));
      char request[65536];
      if (when == Dies::kAfterItRead) ::recv(client.get(), request, sizeof request, 0);
      socket_.reset();
    });
  }
  ~DyingDaemon() { end_.join(); }

 private:
  UniqueFd socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::thread end_;
};

TEST(Recovery, WhatTheDaemonDidNotReadIsSentToTheNextOne) {
  for (const bool asks : {true, false}) {
    const Sandbox box;
    const DyingDaemon dying(StateFolder{box.state()});
    const Ran ran = asks ? box.ctl({"status"}) : box.ctl({"submit", "-"}, kSlow);
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    EXPECT_EQ(box.sql("select count(*) from sweep"), asks ? "0" : "1");
  }
}

// A question is not repeated either: it may have killed the daemon.
TEST(Recovery, WhatMayHaveBeenDoneIsNotDoneAgain) {
  for (const bool asks : {true, false}) {
    const Sandbox box;
    const DyingDaemon dying(StateFolder{box.state()}, Dies::kAfterItRead);
    const Ran ran = asks ? box.ctl({"status"}) : box.ctl({"submit", "-"}, kSlow);
    EXPECT_EQ(ran.exit_code, 5);
    EXPECT_THAT(ran.err, HasSubstr("the daemon closed the connection"));
  }
}

TEST(Recovery, AKilledWorkerIsCrashedWithItsSignalAndTheRestGoesOn) {
  const Sandbox box;
  const Gate gate(box);
  box.ctl({"submit", gate.sweep()});
  ASSERT_TRUE(eventually([&] { return runs_a_worker(box); }));
  ::kill(box.worker_pids().front(), SIGKILL);
  gate.open();
  EXPECT_EQ(box.ctl({"watch", "slow"}).exit_code, 4);
  EXPECT_EQ(box.sql("select signal from attempt where outcome = 'crashed'"), "9");
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");
  const Ran retried = box.ctl({"retry", "slow", "--wait"});
  EXPECT_EQ(retried.exit_code, 0) << retried.err;
  expect_each_trial_done_once(box);
}

// Many gangs at once, so that it dies before, between and after the starts of ranks.
TEST(Recovery, AGangWhoseDaemonDiesBetweenItsRanksIsQueuedAgain) {
  const Sandbox box;
  box.ctl({"submit", "-"},
          "sweep: gangs\nworkload: fault\n"
          "params: {world_size: 6, gang: true, kind: done, warmup: 0, threads: 1, timeout: 60s}\n"
          "matrix: {steps: [1, 2, 3]}\n");
  for (int i = 0; i < 12; ++i) {
    eventually([&] { return runs_a_worker(box) || box.sql(kOpen) == "0"; });
    box.kill_daemon();
    box.ctl({"status"});
  }
  EXPECT_EQ(box.ctl({"watch", "gangs"}).exit_code, 0) << box.ctl({"show", "gangs"}).out;
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");
  EXPECT_EQ(box.sql("select count(*) from attempt"), "3");
  EXPECT_FALSE(runs_a_worker(box));
}

TEST(Recovery, StoppingDrainsAndTheRestWaitsForTheNextDaemon) {
  const Sandbox box;
  const Gate gate(box);
  box.ctl({"submit", gate.sweep()});
  ASSERT_TRUE(eventually([&] { return runs_a_worker(box); }));
  const pid_t daemon = box.daemon_pid();
  ::kill(daemon, SIGTERM);
  ASSERT_TRUE(eventually([&] { return daemon_log(box).find("draining") != std::string::npos; }));
  // A second `stop` waits too.
  const pid_t second = box.ctl_in_background({"stop"});
  const auto said = [&] { return text_of(box.folder() / "background.out"); };
  ASSERT_TRUE(
      eventually([&] { return said().find("waiting for 1 attempt") != std::string::npos; }));
  EXPECT_TRUE(is_alive(daemon));
  gate.open();
  ASSERT_EQ(::waitpid(second, nullptr, 0), second);
  EXPECT_THAT(said(), HasSubstr("stopped; 3 queued wait for the next daemon"));
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));  // it may still be on its way out
  EXPECT_FALSE(runs_a_worker(box));
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "1");
  EXPECT_EQ(box.ctl({"watch", "slow"}).exit_code, 0);
  expect_each_trial_done_once(box);
}

TEST(Recovery, ATimeoutHoldsAcrossARestart) {
  const Sandbox box;
  box.ctl({"submit", "-"}, "sweep: hang\nworkload: fault\nparams: {kind: hang, timeout: 2s}\n");
  ASSERT_TRUE(eventually([&] { return runs_a_worker(box); }));
  box.kill_daemon();
  EXPECT_EQ(box.ctl({"watch", "hang"}).exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), "timeout");
  EXPECT_FALSE(runs_a_worker(box));
}

// Its worker looks like any that was killed.
TEST(Recovery, ADaemonThatDiesAfterItsDeadlinesSignalLeavesATimeout) {
  const Sandbox box;
  box.ctl({"submit", "-"},
          "sweep: hang\nworkload: fault\nparams: {kind: hang_ignoring_sigterm, timeout: 1s}\n");
  const std::string noted = "find " + (box.state() / "runs").string() + " -name ending.json";
  ASSERT_TRUE(eventually([&] { return !box.run("/bin/sh", {"-c", noted}).out.empty(); }));
  box.kill_daemon();
  for (const pid_t worker : box.worker_pids()) ::kill(worker, SIGKILL);
  EXPECT_EQ(box.ctl({"watch", "hang"}).exit_code, 4);
  EXPECT_EQ(box.sql("select outcome from attempt"), "timeout");
}

}  // namespace
}  // namespace sweepd::e2e
