// Tests a running daemon whose files are deleted or moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// Is there a journal with a step of a process that runs?
bool has_begun(const Sandbox& box) {
  std::error_code error;
  for (const auto& attempt : fs::directory_iterator(box.state() / "runs", error)) {
    const std::string journal = text_of(attempt.path() / "events.0.ndjson");
    pid_t pid = 0;
    std::ifstream(attempt.path() / "pid.0") >> pid;
    if (journal.find("\"event\":\"step\"") != std::string::npos && pid > 0 && is_alive(pid))
      return true;
  }
  return false;
}

pid_t start_a_worker(const Sandbox& box, int seconds) {
  box.ctl({"submit", "-", "--set", "steps=" + std::to_string(10 * seconds)},
          "sweep: slow\nworkload: fault\nparams: {kind: slow, sleep: 100ms, warmup: 0}\n");
  // Before its first step a worker may still be opening the files of its attempt by their paths.
  EXPECT_TRUE(eventually([&] { return has_begun(box); }));
  return box.worker_pids().empty() ? 0 : box.worker_pids().front();
}

TEST(LostFiles, ADaemonWhoseSocketWasDeletedIsFoundAgain) {
  const Sandbox box;
  box.ctl({"status"});
  const pid_t daemon = box.daemon_pid();
  fs::remove(box.state() / "sweepd.sock");
  const Ran status = box.ctl({"status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("pid " + std::to_string(daemon)));
  fs::remove(box.state() / "sweepd.sock");
  box.write("state/sweepd.sock", "no socket");
  EXPECT_EQ(box.ctl({"status"}).exit_code, 0)
      << "the daemon replaces a file in the place of its socket";
  fs::remove(box.state() / "sweepd.sock");
  const Ran stopped = box.ctl({"stop"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  EXPECT_THAT(stopped.out, HasSubstr("stopped"));
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));
}

TEST(LostFiles, ADaemonWhoseFolderWasDeletedEndsAndItsWorkersToo) {
  const Sandbox box;
  const pid_t worker = start_a_worker(box, 1000);
  const pid_t daemon = box.daemon_pid();
  EXPECT_TRUE(eventually([&] {  // the log may grow during the removal
    std::error_code error;
    fs::remove_all(box.state(), error);
    return !error;
  }));
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));
  EXPECT_TRUE(eventually([&] { return !is_alive(worker); })) << "nobody will read its journal";
  EXPECT_EQ(box.ctl({"status"}).exit_code, 0);
  EXPECT_NE(box.daemon_pid(), daemon);
}

TEST(LostFiles, AFolderThatWasMovedKeepsItsResults) {
  const Sandbox box;
  box.ctl({"submit", "-", "--wait"}, "sweep: quick\nworkload: noop\n");
  const pid_t worker = start_a_worker(box, 1000);
  const pid_t daemon = box.daemon_pid();
  const fs::path moved = box.folder() / "moved";
  fs::rename(box.state(), moved);
  EXPECT_EQ(box.ctl({"status"}).exit_code, 0) << "another one starts where it was";
  EXPECT_NE(box.daemon_pid(), daemon);
  EXPECT_TRUE(eventually([&] { return !is_alive(daemon); }));
  EXPECT_TRUE(is_alive(worker)) << "its journal is still there";
  const auto there = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--state-dir", moved.string()});
    return box.ctl(arguments);
  };
  EXPECT_EQ(there({"watch", "quick"}).exit_code, 0);
  EXPECT_TRUE(is_alive(worker)) << "it is adopted";
  EXPECT_EQ(there({"cancel", "slow"}).exit_code, 0);
  EXPECT_EQ(there({"watch", "slow"}).exit_code, 4);
  EXPECT_THAT(there({"show", "slow"}).out, HasSubstr("cancelled"));
  EXPECT_FALSE(is_alive(worker));
  there({"stop"});
}

TEST(LostFiles, WithoutItsLockADaemonMakesRoomForTheNext) {
  const Sandbox box;
  start_a_worker(box, 4);
  const pid_t daemon = box.daemon_pid();
  fs::remove(box.state() / "lock");
  ASSERT_TRUE(eventually([&] { return !is_alive(daemon); }));
  EXPECT_EQ(box.ctl({"watch", "slow"}).exit_code, 0) << "it adopts what runs";
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "1");
  EXPECT_EQ(box.sql("select count(*) from attempt"), "1");
}

}  // namespace
}  // namespace sweepd::e2e
