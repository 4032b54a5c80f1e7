// Tests many clients at once, silent clients, and those of other users.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "runner/base/unique_fd.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;

constexpr std::size_t kMaxClients = 512;  // docs/PROTOCOL.md

UniqueFd connect_to(const Sandbox& box) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::strncpy(name.sun_path, (box.state() / "sweepd.sock").c_str(), sizeof name.sun_path - 1);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) fd.reset();
  return fd;
}

// Asks for the list and returns one line; "" if the other side closed instead.
std::string ask(const UniqueFd& fd) {
  const std::string line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"list\"}\n";
  ::send(fd.get(), line.data(), line.size(), MSG_NOSIGNAL);
  std::string answer;
  char c = 0;
  while (::recv(fd.get(), &c, 1, 0) == 1 && c != '\n') answer += c;
  return answer;
}

void allow_many_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(Clients, AtOnceWithoutADaemonOrBesideAStopAreAllServed) {
  const Sandbox box;
  const std::string file =
      box.write("quick.yaml", "sweep: quick\nworkload: noop\nparams: {steps: 1, warmup: 0}\n");
  for (int round = 0; round < 5; ++round) {
    std::vector<pid_t> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(box.ctl_in_background({"submit", file}));
    for (const pid_t client : clients) {
      int status = 0;
      ::waitpid(client, &status, 0);
      EXPECT_EQ(status, 0) << "round " << round << ": "
                           << box.run("/bin/cat", {(box.folder() / "background.err").string()}).out;
    }
    const pid_t stopping = box.ctl_in_background({"stop", "--now"});
    const Ran list = box.ctl({"list"});
    ::waitpid(stopping, nullptr, 0);
    EXPECT_EQ(list.exit_code, 0) << list.err;
    EXPECT_EQ(box.ctl({"stop", "--now"}).exit_code, 0);
  }
}

// A `stop` may also meet the daemon that a client has just started.
TEST(Clients, OfADaemonThatEndsAsSoonAsItIsStartedAreServedByTheNext) {
  const Sandbox box;
  const std::filesystem::path bin = box.folder() / "bin";
  std::filesystem::create_directory(bin);
  std::filesystem::copy_file(SWEEPCTL, bin / "sweepctl");
  const std::string starts = box.folder() / "starts";
  const auto daemon_that_ends = [&](int times) {
    box.write("bin/sweepd", "#!/bin/sh\necho >> " + starts + "\n[ $(wc -l < " + starts + ") -le " +
                                std::to_string(times) + " ] || exec " SWEEPD " \"$@\"\n");
    ::chmod((bin / "sweepd").c_str(), 0755);
    std::filesystem::remove(starts);
  };
  daemon_that_ends(2);
  const Ran served = box.run(bin / "sweepctl", {"list"});
  EXPECT_EQ(served.exit_code, 0) << served.err;
  box.ctl({"stop", "--now"});
  daemon_that_ends(100);
  const Ran ended = box.run(bin / "sweepctl", {"list"});
  EXPECT_EQ(ended.exit_code, 5) << "not for ever";
  EXPECT_THAT(ended.err, HasSubstr("no daemon listens on"));
}

TEST(Clients, ThatNeverAskMakeRoomAndOthersBeyondTheMostAreRefused) {
  allow_many_files();
  const Sandbox box;
  box.ctl({"status"});
  std::vector<UniqueFd> silent, clients;
  for (std::size_t i = 0; i < kMaxClients; ++i) silent.push_back(connect_to(box));
  const Ran status = box.ctl({"--no-start", "status"});
  EXPECT_EQ(status.exit_code, 0) << status.err;

  for (std::size_t i = 0; i < kMaxClients; ++i) {
    clients.push_back(connect_to(box));
    ASSERT_THAT(ask(clients.back()), HasSubstr("result")) << i;
  }
  const Ran refused = box.ctl({"--no-start", "status"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("too many clients"));
  clients.pop_back();
  EXPECT_TRUE(eventually([&] { return box.ctl({"--no-start", "status"}).exit_code == 0; }));
}

TEST(Clients, OfAnotherUserAreNotAnswered) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Sandbox box;
  box.ctl({"status"});
  // As if a user had loosened the permissions that keep others out.
  ::chmod(box.folder().c_str(), 0777);
  ::chmod(box.state().c_str(), 0777);
  ::chmod((box.state() / "sweepd.sock").c_str(), 0777);
  const auto asked_as = [&](uid_t uid) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setresuid(uid, uid, uid) != 0) ::_exit(3);
      const UniqueFd fd = connect_to(box);
      ::_exit(!fd ? 2 : ask(fd).empty() ? 1 : 0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(asked_as(65534), 1) << "it connects, and is not answered";
  EXPECT_EQ(asked_as(0), 0);
}

}  // namespace
}  // namespace sweepd::e2e
