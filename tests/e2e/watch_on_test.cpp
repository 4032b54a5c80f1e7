// Tests a watcher whose daemon dies, is stopped or loses its folder.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>

#include "runner/base/unique_fd.h"
#include "runner/wire/endpoint.h"
#include "runner/wire/messages/queue.h"
#include "runner/wire/rpc.h"
#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

// Four trials. The first fails at once, and the others do not end before `open` is there.
std::string four_gated(const Sandbox& box) {
  return "sweep: four\nprogram: gated\nparameters: {size: 1}\nparams: {argv: 'sh " +
         box.write("gate.sh", "test $1 -gt 1 || exit 3\nwhile [ ! -e " +
                                  (box.folder() / "open").string() + " ]; do sleep 0.02; done\n") +
         " {size}', reports: nothing, steps: 1, warmup: 0, device: cpu}\n"
         "matrix: {size: [1, 2, 3, 4]}\n";
}
void open_gate(const Sandbox& box) {
  std::ofstream(box.folder() / "open").flush();
}

// Opens the gate at the end, so that the watching client ends even if the test fails.
struct OpensGate {
  const Sandbox& box;
  ~OpensGate() { open_gate(box); }
};

constexpr auto kWatchedLong =
    "sweep: long\nworkload: fault\nparams: {kind: slow, sleep: 100ms, warmup: 0, steps: 9000}\n";

bool starts_a_worker(const Sandbox& box) {
  return eventually([&] { return !box.worker_pids().empty(); });
}

// Watches a sweep, and has had the first news of it once this returns.
std::future<Ran> watch(const Sandbox& box, const std::string& sweep,
                       const std::string& name = "watched") {
  const fs::path lines = box.folder() / name;
  const std::string command = "echo $$ >'" + lines.string() + ".pid'; exec " +
                              std::string(SWEEPCTL) + " watch " + sweep + " 2>'" + lines.string() +
                              "'";
  auto watched = std::async(std::launch::async, [&box, command, lines] {
    Ran ran = box.run("/bin/sh", {"-c", command});
    ran.err = text_of(lines);
    return ran;
  });
  EXPECT_TRUE(eventually([&] { return text_of(lines).find(" ended") != std::string::npos; }));
  return watched;
}

// Watches the sweep of this file, of which something runs.
std::future<Ran> submit_and_watch(const Sandbox& box, const std::string& file) {
  box.ctl({"submit", "-"}, file);
  EXPECT_TRUE(starts_a_worker(box));
  return watch(box, "");
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(WatchOn, FromDaemonToDaemonAndEachFailureIsToldOnce) {
  const Sandbox box;
  box.ctl({"submit", "-"}, four_gated(box));
  auto waited = watch(box, "four");
  const OpensGate at_the_end{box};
  const auto told = [&] { return text_of(box.folder() / "watched"); };
  ASSERT_TRUE(eventually([&] { return told().find("failed size=1") != std::string::npos; }));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(starts_a_worker(box));
    const pid_t daemon = box.daemon_pid();
    box.kill_daemon();
    // Only the watcher starts the next one.
    ASSERT_TRUE(eventually([&] { return box.daemon_pid() > 0 && box.daemon_pid() != daemon; }));
  }
  open_gate(box);
  const Ran ran = waited.get();
  EXPECT_EQ(ran.exit_code, 4) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("four: 4/4 ended, 1 failed"));
  EXPECT_EQ(count(ran.err, "failed size=1"), 1U) << ran.err;
  EXPECT_GE(count(ran.err, "the daemon is gone; the next one continues"), 1U) << ran.err;
  EXPECT_EQ(box.sql("select count(*) from attempt where outcome = 'done'"), "3");
  EXPECT_EQ(box.sql("select count(*) from attempt"), "4");
}

void expect_told_of_a_stop(const Ran& ran, const char* note) {
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr(note),
                             HasSubstr("queued attempts wait, and this continues: sweepctl watch "),
                             Not(HasSubstr("is gone"))));
}

TEST(WatchOn, ADaemonThatWasStoppedIsNotStartedAgain) {
  const Sandbox box;
  auto before = submit_and_watch(box, four_gated(box));
  const OpensGate at_the_end{box};
  ::kill(box.daemon_pid(), SIGTERM);
  ASSERT_TRUE(eventually(
      [&] { return text_of(box.state() / "sweepd.log").find("draining") != std::string::npos; }));
  auto meanwhile = watch(box, "four", "meanwhile");
  open_gate(box);
  for (const Ran& ran : {before.get(), meanwhile.get()}) {
    expect_told_of_a_stop(ran, "! the daemon stops after the running attempts; queued ones wait");
  }
  EXPECT_FALSE(lock_holder(StateFolder(box.state())));
}

// The watching client waits ten seconds for another daemon.
TEST(NightlyWatchOn, ADaemonThatWasStoppedNowIsNotStartedAgain) {
  const Sandbox box;
  auto watched = submit_and_watch(box, four_gated(box));
  const OpensGate at_the_end{box};
  box.ctl({"stop", "--now"});
  expect_told_of_a_stop(watched.get(),
                        "! the daemon is stopping; running attempts finish, and queued ones wait");
  EXPECT_FALSE(lock_holder(StateFolder(box.state())));
}

TEST(WatchOn, ADaemonThatSomebodyRestartsIsFollowedAndControlCSaysHowToGoOn) {
  const Sandbox box;
  auto watched = submit_and_watch(box, four_gated(box));
  const OpensGate at_the_end{box};
  const auto told = [&] { return text_of(box.folder() / "watched"); };
  ASSERT_TRUE(eventually([&] { return told().find("failed size=1") != std::string::npos; }));
  ASSERT_TRUE(starts_a_worker(box));
  box.ctl({"stop", "--now"});
  ASSERT_TRUE(eventually([&] { return count(told(), "if another one starts") == 1; }));
  box.ctl({"status"});
  ::kill(box.worker_pids().at(0), SIGKILL);
  ASSERT_TRUE(eventually([&] { return told().find("crashed size=2") != std::string::npos; }));
  box.ctl({"stop", "--now"});
  ASSERT_TRUE(eventually([&] { return count(told(), "if another one starts") == 2; }));
  EXPECT_FALSE(lock_holder(StateFolder(box.state())));
  ::kill(std::stoi(text_of(box.folder() / "watched.pid")), SIGINT);
  const Ran ran = watched.get();
  EXPECT_EQ(ran.exit_code, 130) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("the sweep continues; watch it again with: sweepctl watch "));
}

TEST(WatchOn, AFolderThatIsGoneIsNotBegunAnew) {
  const Sandbox box;
  auto watched = submit_and_watch(box, kWatchedLong);
  const fs::path moved = box.folder() / "moved";
  fs::rename(box.state(), moved);
  const Ran ran = watched.get();
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("state was moved or deleted"));
  EXPECT_FALSE(fs::exists(box.state()));
  // The daemon that a watcher starts makes no new folder: it may be moved while one starts.
  const Ran existing = box.run(SWEEPD, {"--state-dir", box.state(), "--existing"});
  EXPECT_EQ(existing.exit_code, 1);
  EXPECT_THAT(existing.err, HasSubstr("there is no "));
  EXPECT_FALSE(fs::exists(box.state()));
  fs::rename(moved, box.state());  // so that the sandbox ends running processes
}

TEST(WatchOn, WhyTheNextDaemonDoesNotStartIsSaid) {
  const Sandbox box;
  auto watched = submit_and_watch(box, kWatchedLong);
  for (const std::string suffix : {"", "-wal", "-shm"}) {
    fs::rename(box.state() / ("results.db" + suffix), box.folder() / ("kept" + suffix));
  }
  box.write("state/results.db", "this is no database, but it is long enough to look like a file");
  box.kill_daemon();
  const Ran ran = watched.get();
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("file is not a database"));
  for (const std::string suffix : {"", "-wal", "-shm"}) {
    fs::rename(box.folder() / ("kept" + suffix), box.state() / ("results.db" + suffix));
  }
  box.ctl({"cancel", "long"});
}

// Answers watchers, then ends; repeatedly.
class FragileDaemon {
 public:
  explicit FragileDaemon(const StateFolder& state) {
    fs::create_directories(state.path());
    std::ofstream(state.database()).put('\n');
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    state.socket().string().copy(name.sun_path, sizeof name.sun_path - 1);
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&name), sizeof name), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    loop_ = std::thread([this] { answer(); });
  }
  ~FragileDaemon() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    loop_.join();
  }

 private:
  void answer() {
    while (true) {
      const UniqueFd client(::accept(socket_.get(), nullptr, nullptr));
      if (!client) return;
      char request[4096];
      if (::recv(client.get(), request, sizeof request, 0) <= 0) continue;
      rpc::Watch::Reply watched;
      watched.sweep.id = "3f9c2a7be01d4455";
      watched.sweep.name = "fragile";
      // The first request of each connection has the id 1.
      const std::string reply = result_line(1, to_message(watched));
      ::send(client.get(), reply.data(), reply.size(), MSG_NOSIGNAL);
    }
  }

  UniqueFd socket_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::thread loop_;
};

TEST(WatchOn, ADaemonThatAlwaysDiesIsNotStartedForEver) {
  const Sandbox box;
  const FragileDaemon fragile{StateFolder(box.state())};
  const Ran ran = box.ctl({"watch", "fragile"});
  EXPECT_EQ(ran.exit_code, 5) << ran.err;
  EXPECT_THAT(ran.err, AllOf(HasSubstr("the daemon ended 6 times, each within a minute; its log: "),
                             HasSubstr("sweepd.log")));
}

}  // namespace
}  // namespace sweepd::e2e
