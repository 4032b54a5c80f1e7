// Tests the protocol with socat.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "runner/base/unique_fd.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

struct Bad {
  std::string line;
  int code;
  std::string message;
};

TEST(Socket, IsForItsOwnerAndRefusesBadRequestsWithACodeAndAReason) {
  const Sandbox box;
  box.ctl({"status"});
  struct stat info {};
  ::stat((box.state() / "sweepd.sock").c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  ::stat(box.state().c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  const json list = json::parse(box.ask(R"({"jsonrpc":"2.0","id":1,"method":"list"})"));
  EXPECT_EQ(list["id"], 1);
  const json of_null = json::parse(box.ask(R"({"jsonrpc":"2.0","id":null,"method":"list"})"));
  EXPECT_TRUE(of_null.contains("result")) << "only a request without `id` gets no reply";
  EXPECT_TRUE(list["result"]["sweeps"].empty());
  const std::vector<Bad> cases{
      {"hello", -32700, "not valid JSON"},
      {"[1]", -32600, "one JSON object"},
      {R"({"id":1,"method":"list"})", -32600, "`jsonrpc`"},
      {R"({"jsonrpc":"2.0","id":1})", -32600, "`method`"},
      {R"({"jsonrpc":"2.0","id":1,"method":"lits"})", -32601, "did you mean `list`?"},
      {R"({"jsonrpc":"2.0","id":1,"method":"list","params":[3]})", -32602, "named members"},
      {R"({"jsonrpc":"2.0","id":1,"method":"list","params":{"limti":3}})", -32602, "`limit`"},
      {R"({"jsonrpc":"2.0","id":1,"method":"list","params":{"limit":"x"}})", -32602, "an integer"},
      {R"({"jsonrpc":"2.0","id":1,"method":"report","params":{"sweep":"none"}})", -32001, "none"},
      {std::string(5 << 20, 'x'), -32004, "at most"},
  };
  for (const Bad& bad : cases) {
    const json answer = json::parse(box.ask(bad.line));
    EXPECT_EQ(answer["error"]["code"], bad.code) << bad.line.substr(0, 80);
    EXPECT_THAT(answer["error"]["message"].get<std::string>(), HasSubstr(bad.message));
  }
  EXPECT_EQ(box.ctl({"--no-start", "status"}).exit_code, 0) << "the daemon must have survived";
}

// A script holds a lock, and another program waits for the end of a pipe.
TEST(Daemon, HoldsNothingOfWhoeverStartedIt) {
  const Sandbox box;
  const std::string file = box.write("lock", "");
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  const pid_t shell = ::fork();
  if (shell == 0) {
    ::dup2(write_end.get(), 7);
    const std::string script = "exec 9>" + file + "; flock 9; " + SWEEPCTL + " status >/dev/null";
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(127);
  }
  write_end.reset();
  int status = -1;
  ::waitpid(shell, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(is_alive(box.daemon_pid()));
  const UniqueFd lock(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
  pollfd end{read_end.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 0), 1) << "the pipe has not ended";
}

// A worker has the descriptors of its own attempt and none of the daemon's.
TEST(Daemon, PassesOnItsPlaceAndNothingElse) {
  const Sandbox box;
  box.ctl({"submit", "-"}, "sweep: hang\nworkload: fault\nparams: {kind: hang}\n");
  ASSERT_TRUE(eventually([&] { return !box.worker_pids().empty(); }));
  const std::string fds = "/proc/" + std::to_string(box.worker_pids().front()) + "/fd";
  std::string targets;
  ASSERT_TRUE(eventually([&] {
    targets = box.run("/bin/sh", {"-c", "cd " + fds + " && readlink *"}).out;
    return targets.find("events.0") != std::string::npos;
  }));
  EXPECT_THAT(targets, Not(HasSubstr("socket:")));
  EXPECT_THAT(targets, Not(HasSubstr("results.db")));
  EXPECT_THAT(targets, Not(HasSubstr("state/lock")));
  box.ctl({"cancel", "hang"});
}

TEST(Daemon, ASecondOneSaysWhoHoldsTheFolderAndOneWithoutAWorkerSaysSo) {
  {
    const Sandbox broken("/no/such/worker");
    const Ran ran = broken.ctl({"status"});
    EXPECT_EQ(ran.exit_code, 5);
    EXPECT_THAT(ran.err, HasSubstr("/no/such/worker"));
    EXPECT_THAT(ran.err, HasSubstr("No such file"));
  }
  const Sandbox box;
  box.ctl({"status"});
  const Ran second = box.run(SWEEPD, {"--foreground"});
  EXPECT_NE(second.exit_code, 0);
  EXPECT_THAT(second.err,
              HasSubstr("is held by sweepd with pid " + std::to_string(box.daemon_pid())));
  // Under a long path too it listens.
  const std::string deep = (box.folder() / std::string(120, 'd')).string();
  const Ran listens = box.ctl({"--state-dir", deep, "status"});
  EXPECT_EQ(listens.exit_code, 0) << listens.err;
  EXPECT_EQ(box.ctl({"--state-dir", deep, "stop"}).exit_code, 0);
}

}  // namespace
}  // namespace sweepd::e2e
