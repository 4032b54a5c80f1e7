// Ranks that outlive the daemon: adopting them, and signals to their process groups.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "runner/base/host.h"
#include "runner/exec/executor.h"
#include "runner/exec/spawn.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::IsEmpty;

class Adopt : public Scratch {
 protected:
  Adopt() { std::filesystem::create_directory(folder_.path()); }

  static AttemptRequest request(int ranks) {
    AttemptRequest request;
    request.attempt = "a";
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    return request;
  }
  // Starts the ranks in a process that then ends, as a daemon that is killed does.
  void start_and_die(Executor& executor, int ranks) {
    const pid_t daemon = ::fork();
    if (daemon == 0) ::_exit(executor.start(folder_, request(ranks)).ok() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
    ASSERT_EQ(status, 0);
  }
  std::vector<RankProcess> adopted_from(const std::string& pid_file) {
    write("attempt/pid.0", pid_file);
    return executor_->adopt(folder_, 1);
  }

  AttemptFolder folder_{root_ / "attempt"};
  std::unique_ptr<Executor> executor_ = make_local_executor(root_ / "worker");
};

TEST_F(Adopt, FindsTheRanksOfADaemonThatDied) {
  script("exec sleep 1000");
  start_and_die(*executor_, 2);
  auto ranks = executor_->adopt(folder_, 2);
  ASSERT_EQ(ranks.size(), 2U);
  for (RankProcess& process : ranks) {
    EXPECT_FALSE(process.child);
    executor_->signal(process, SIGTERM);
    EXPECT_TRUE(ends(process.pidfd));
    const ExitStatus status = executor_->reap(process);
    EXPECT_FALSE(status.code || status.signal);  // only its parent could know
  }
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].rank, 1);
  EXPECT_THAT(executor_->adopt(folder_, 2), IsEmpty());
}

TEST_F(Adopt, FindsThoseThatStillLive) {
  script("[ $RANK = 1 ] && exec sleep 1000; exit 0");
  const pid_t daemon = ::fork();
  if (daemon == 0) {  // ends only when rank 0 has, and reaps it
    auto ranks = executor_->start(folder_, request(2));
    ::_exit(ranks.ok() && ends(ranks->at(0).pidfd) && executor_->reap(ranks->at(0)).code == 0 ? 0
                                                                                              : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  ASSERT_EQ(status, 0);
  const auto ranks = executor_->adopt(folder_, 2);
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 1);
  executor_->signal(ranks[0], SIGKILL);
  EXPECT_TRUE(ends(ranks[0].pidfd));
}

TEST_F(Adopt, TakesNoProcessThatOnlyHasTheSamePid) {
  const pid_t pid = ::getpid();
  const std::uint64_t start = process_start_time(pid);
  EXPECT_EQ(adopted_from(fmt::format("{} {}\n", pid, start)).size(), 1U);
  EXPECT_THAT(adopted_from(fmt::format("{} {}\n", pid, start - 1)), IsEmpty());
  EXPECT_THAT(adopted_from(fmt::format("{} {}\n", pid, start + 1)), IsEmpty());
}

TEST_F(Adopt, TakesNothingFromABrokenPidFile) {
  EXPECT_THAT(executor_->adopt(folder_, 1), IsEmpty());  // no file
  const pid_t pid = ::getpid();
  const std::uint64_t start = process_start_time(pid);
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("x 1\n"), fmt::format("{}\n", pid),
        fmt::format("{} {}", pid, start), fmt::format("-{} {}\n", pid, start),
        fmt::format("0 {}\n", start), std::string("99999999999 1\n")}) {
    EXPECT_THAT(adopted_from(text), IsEmpty()) << text;
  }
}

TEST_F(Adopt, TakesNoZombie) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_THAT(adopted_from(fmt::format("{} {}\n", child, process_start_time(child))), IsEmpty());
  ::waitpid(child, nullptr, 0);
}

class Signals : public Adopt {
 protected:
  // Starts a rank that starts a child of its own; returns the rank and the child's pidfd.
  std::pair<RankProcess, UniqueFd> start_family(const std::string& then) {
    const auto ready = fifo("ready");
    script(fmt::format("sleep 1000 & echo $! > {}\n{}", ready.string(), then));
    auto ranks = executor_->start(folder_, request(1));
    EXPECT_TRUE(ranks.ok()) << ranks.error().message;
    return {std::move(ranks->at(0)), open_pidfd(std::stoi(read(ready)))};
  }
};

TEST_F(Signals, ReachTheWholeGroup) {
  auto [rank, grandchild] = start_family("wait");
  executor_->signal(rank, SIGKILL);
  EXPECT_TRUE(ends(rank.pidfd));
  EXPECT_TRUE(ends(grandchild));
  EXPECT_EQ(executor_->reap(rank).signal, SIGKILL);
}

TEST_F(Signals, ReachWhatIsLeftOfTheGroup) {
  auto [rank, grandchild] = start_family("exit 3");
  ASSERT_TRUE(ends(rank.pidfd));
  EXPECT_EQ(executor_->reap(rank).code, 3);
  executor_->signal(rank, SIGKILL);
  EXPECT_TRUE(ends(grandchild));
}

TEST_F(Signals, ToAProcessLongGoneHarmNobody) {
  script("exit 0");
  auto ranks = executor_->start(folder_, request(1));
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  RankProcess& rank = ranks->at(0);
  ASSERT_TRUE(ends(rank.pidfd));
  executor_->reap(rank);
  // As if the kernel had given its number to somebody else meanwhile: to another group leader.
  const pid_t other = ::fork();
  if (other == 0) {
    ::setpgid(0, 0);
    ::pause();
    ::_exit(0);
  }
  ::setpgid(other, other);
  rank.pid = other;
  executor_->signal(rank, SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);  // it lives
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace sweepd
