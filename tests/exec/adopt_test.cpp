// Tests ranks that outlive the daemon: how they are adopted, and signals to their process groups.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "runner/exec/found_rank.h"
#include "runner/exec/rank_processes.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"
#include "runner/wire/rank_pidfile.h"
#include "tests/exec/scratch.h"
#include "tests/exec/start_all.h"

namespace sweepd {
namespace {

using testing::IsEmpty;

class Adopt : public Scratch {
 protected:
  Adopt() { std::filesystem::create_directory(folder_.path()); }

  AttemptRequest request(int ranks) const {
    AttemptRequest request;
    request.attempt = id_;
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    return request;
  }
  // Starts the ranks in a process that then ends, as a killed daemon does.
  void start_and_die(RankProcesses& executor, int ranks) {
    const pid_t daemon = ::fork();
    if (daemon == 0) ::_exit(start_all(executor, folder_, request(ranks)).ok() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
    ASSERT_EQ(status, 0);
  }
  // Returns the living ranks as the next daemon finds them, which is not their parent.
  std::vector<RankProcess> adopt(int ranks) { return executor_->adopt(folder_, ranks).alive; }

  AttemptFolder folder_{root_ / "attempt"};
  std::unique_ptr<RankProcesses> executor_ = std::make_unique<RankProcesses>(root_ / "worker");
};

TEST_F(Adopt, FindsTheRanksOfADaemonThatDied) {
  script("exec sleep 1000");
  start_and_die(*executor_, 2);
  auto ranks = adopt(2);
  ASSERT_EQ(ranks.size(), 2U);
  for (RankProcess& process : ranks) {
    EXPECT_FALSE(process.child);
    executor_->signal(process, SIGTERM);
    EXPECT_TRUE(ends(process.pidfd));
    const ExitStatus status = executor_->reap(process);
    EXPECT_FALSE(status.code || status.signal);  // only its parent could read it
  }
  EXPECT_EQ(ranks[0].rank, 0);
  EXPECT_EQ(ranks[1].rank, 1);
  EXPECT_THAT(adopt(2), IsEmpty());
}

TEST_F(Adopt, FindsThoseThatStillLive) {
  script("[ $RANK = 1 ] && exec sleep 1000; exit 0");
  const pid_t daemon = ::fork();
  if (daemon == 0) {  // ends only after rank 0, and reaps it
    auto ranks = start_all(*executor_, folder_, request(2));
    ::_exit(ranks.ok() && ends(ranks->at(0).pidfd) && executor_->reap(ranks->at(0)).code == 0 ? 0
                                                                                              : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  ASSERT_EQ(status, 0);
  const auto ranks = adopt(2);
  ASSERT_EQ(ranks.size(), 1U);
  EXPECT_EQ(ranks[0].rank, 1);
  executor_->signal(ranks[0], SIGKILL);
  EXPECT_TRUE(ends(ranks[0].pidfd));
}

TEST_F(Adopt, ARankThatNeverBeganIsIncompleteAndWillNotBegin) {
  FoundRanks none = executor_->adopt(folder_, 2);
  EXPECT_TRUE(none.incomplete);
  EXPECT_THAT(none.alive, IsEmpty());
  for (const int rank : {0, 1}) {
    // As a daemon that died between making the place and the fork, or in the fork.
    const auto place = make_place(folder_.pid(rank));
    ASSERT_TRUE(place.ok());
    if (rank == 1) write("attempt/pid.1", "4242");  // cut off
    EXPECT_TRUE(executor_->adopt(folder_, 2).incomplete);
    EXPECT_FALSE(std::filesystem::exists(folder_.pid(rank))) << "it is given up";
    EXPECT_EQ(take_pidfile(place->get()), ESTALE);
  }
}

// A power failure may lose the place and leave the journal.
TEST_F(Adopt, WhatTheRanksWroteIsNotThrownAway) {
  write("attempt/events.0.ndjson", "{}\n");
  EXPECT_FALSE(executor_->adopt(folder_, 1).incomplete);
}

TEST_F(Adopt, ARankThatCannotBecomeTheWorkerNeverBegan) {
  RankProcesses none(root_ / "none");
  EXPECT_FALSE(start_all(none, folder_, request(1)).ok());
  EXPECT_TRUE(executor_->adopt(folder_, 1).incomplete);
}

TEST_F(Adopt, TakesNoZombie) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto place = make_place(folder_.pid(0));
    ::setsid();
    ::_exit(place.ok() && take_pidfile(place->get()) == 0 ? 0 : 1);
  }
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(info.si_status, 0);
  const FoundRanks found = executor_->adopt(folder_, 1);
  EXPECT_THAT(found.alive, IsEmpty());
  EXPECT_FALSE(found.incomplete) << "it began, and ended";
  ::waitpid(child, nullptr, 0);
}

// In the fork with this number, the child waits until the gate can be read.
struct {
  int number = 0, forks = 0, gate = -1;
} late_fork;

void count_fork() {
  ++late_fork.forks;
}
void wait_at_gate() {
  char byte = 0;
  if (late_fork.forks != late_fork.number) return;
  if (::read(late_fork.gate, &byte, 1) < 0) ::_exit(126);
}

class LateFork : public Adopt {
 protected:
  LateFork() {
    static const int installed = ::pthread_atfork(count_fork, nullptr, wait_at_gate);
    EXPECT_EQ(installed, 0);
    EXPECT_EQ(::pipe(gate_), 0);
    EXPECT_EQ(::pipe(end_), 0);
  }
  // Starts a daemon whose fork number `late` does not return before the daemon is killed. All its
  // forks hold the write end of end_ until they become workers.
  void start_late_and_die(int ranks, int late) {
    const pid_t daemon = ::fork();
    if (daemon == 0) {
      ::close(gate_[1]);
      late_fork = {.number = late + 1, .forks = 0, .gate = gate_[0]};
      const auto started = start_all(*executor_, folder_, request(ranks));
      ::_exit(started.ok() ? 0 : 1);
    }
    ASSERT_TRUE(eventually([&] { return std::filesystem::exists(folder_.pid(late)); }));
    ASSERT_TRUE(eventually([&] { return children_of(daemon) > late; }));
    ::kill(daemon, SIGKILL);
    int status = 0;
    ::waitpid(daemon, &status, 0);
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
  }
  void let_it_go_on() {
    ::close(end_[1]);
    ASSERT_EQ(::write(gate_[1], "x", 1), 1);
    pollfd poll{end_[0], POLLIN, 0};
    ASSERT_EQ(::poll(&poll, 1, 10'000), 1) << "the late fork neither ended nor became a worker";
  }
  static int children_of(pid_t pid) {
    std::istringstream list(read(fmt::format("/proc/{0}/task/{0}/children", pid)));
    return static_cast<int>(std::distance(std::istream_iterator<int>(list), {}));
  }
  static bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 2000 && !holds(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return holds();
  }

  int gate_[2], end_[2];
};

TEST_F(LateFork, DoesNotRunBesideTheAttemptThatIsQueuedAgain) {
  script("echo $$ >> $2/../ran; exec sleep 1000");
  start_late_and_die(1, 0);
  EXPECT_TRUE(executor_->adopt(folder_, 1).incomplete);
  // Starts it again, as the next daemon does.
  std::filesystem::remove_all(folder_.path());
  std::filesystem::create_directory(folder_.path());
  auto ranks = start_all(*executor_, folder_, request(1));
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  let_it_go_on();
  ASSERT_TRUE(eventually([&] { return !read(root_ / "ran").empty(); }));
  EXPECT_EQ(read(root_ / "ran"), fmt::format("{}\n", ranks->at(0).pid));
  EXPECT_EQ(adopt(1).at(0).pid, ranks->at(0).pid);
  executor_->signal(ranks->at(0), SIGKILL);
  EXPECT_TRUE(ends(ranks->at(0).pidfd));
  executor_->reap(ranks->at(0));
}

TEST_F(LateFork, OfAGangLeavesItIncompleteAndTheRanksThatBeganAreKnown) {
  script("exec sleep 1000");
  start_late_and_die(2, 1);
  FoundRanks found = executor_->adopt(folder_, 2);
  EXPECT_TRUE(found.incomplete);
  ASSERT_EQ(found.alive.size(), 1U);
  EXPECT_EQ(found.alive[0].rank, 0);
  executor_->signal(found.alive[0], SIGKILL);
  EXPECT_TRUE(ends(found.alive[0].pidfd));
  let_it_go_on();
  EXPECT_THAT(adopt(2), IsEmpty());
}

class Signals : public Adopt {
 protected:
  // Starts a rank that starts its own child; returns the rank and the child's pidfd.
  std::pair<RankProcess, UniqueFd> start_family(const std::string& then) {
    const auto ready = fifo("ready");
    script(fmt::format("sleep 1000 & echo $! > {}\n{}", ready.string(), then));
    auto ranks = start_all(*executor_, folder_, request(1));
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
  auto ranks = start_all(*executor_, folder_, request(1));
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  RankProcess& rank = ranks->at(0);
  ASSERT_TRUE(ends(rank.pidfd));
  executor_->reap(rank);
  // As if the kernel had given its number to another group leader in the meantime.
  const pid_t other = ::fork();
  if (other == 0) {
    ::setpgid(0, 0);
    ::pause();
    ::_exit(0);
  }
  ::setpgid(other, other);
  rank.pid = other;
  executor_->signal(rank, SIGKILL);
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);  // it is alive
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

TEST_F(Signals, TheEndOfARankIsThatOfItsGroup) {
  auto [rank, grandchild] = start_family("kill -9 $$");
  ASSERT_TRUE(ends(rank.pidfd));
  EXPECT_EQ(executor_->reap(rank).signal, SIGKILL);
  EXPECT_TRUE(ends(grandchild));
}

TEST_F(Signals, ByNumberReachTheSame) {
  auto [rank, grandchild] = start_family("exit 3");
  ASSERT_TRUE(ends(rank.pidfd));
  signal_group_by_number(rank.pid, rank.pidfd, SIGKILL);
  EXPECT_TRUE(ends(grandchild));
  executor_->reap(rank);
}

// One child left the group, the other the session.
TEST_F(Signals, WhatAKilledRankLeavesBehindIsCleared) {
  const auto first = fifo("first"), second = fifo("second");
  script(
      fmt::format("bash -c 'set -m; sleep 1000 & echo $! > {}; wait' &\n"
                  "setsid sh -c 'echo $$ > {}; exec sleep 1000' &\nwait",
                  first.string(), second.string()));
  auto ranks = start_all(*executor_, folder_, request(1));
  ASSERT_TRUE(ranks.ok()) << ranks.error().message;
  const UniqueFd in_session = open_pidfd(std::stoi(read(first)));
  const UniqueFd outside = open_pidfd(std::stoi(read(second)));
  send_signal(ranks->at(0).pidfd, SIGKILL);
  ASSERT_TRUE(ends(ranks->at(0).pidfd));
  executor_->reap(ranks->at(0));
  EXPECT_FALSE(executor_->clear("another", {})) << "by the variable alone, of another attempt";
  EXPECT_TRUE(executor_->clear(id_, *ranks));
  EXPECT_TRUE(ends(in_session));
  EXPECT_TRUE(ends(outside));
  EXPECT_FALSE(executor_->clear(id_, *ranks));
}

// While the kernel loads a program, the process has no environment to be known by.
TEST_F(Signals, AProcessThatKeepsLoadingProgramsIsClearedAtTheFirstTry) {
  const auto ready = fifo("ready");
  std::ofstream(root_ / "again") << "exec sh " << (root_ / "again").string() << "\n";
  script(fmt::format("setsid sh -c 'echo $$ > {}; exec sh {}' &\nwait", ready.string(),
                     (root_ / "again").string()));
  for (int round = 0; round < 30; ++round) {
    auto ranks = start_all(*executor_, folder_, request(1));
    ASSERT_TRUE(ranks.ok()) << ranks.error().message;
    const UniqueFd restless = open_pidfd(std::stoi(read(ready)));
    send_signal(ranks->at(0).pidfd, SIGKILL);
    ASSERT_TRUE(ends(ranks->at(0).pidfd));
    executor_->reap(ranks->at(0));
    ASSERT_TRUE(executor_->clear(id_, *ranks)) << "round " << round;
    ASSERT_TRUE(ends(restless));
  }
}

}  // namespace
}  // namespace sweepd
