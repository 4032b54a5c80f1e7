// With any text in the file where a rank records its identity, no other process is adopted and none
// gets a signal. The tests run in their own pid namespace, because a failure would hit every
// process there is.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "runner/base/host.h"
#include "runner/exec/rank_processes.h"
#include "runner/exec/signals.h"
#include "runner/exec/spawn.h"
#include "runner/wire/rank_pidfile.h"
#include "tests/exec/pid_namespace.h"
#include "tests/exec/scratch.h"
#include "tests/exec/start_all.h"

namespace sweepd {
namespace {

class ForgedPlace : public Scratch {
 protected:
  ForgedPlace() { std::filesystem::create_directory(folder_.path()); }

  void alone(const std::function<void()>& test) {
    if (!in_pid_namespace(test)) GTEST_SKIP() << "no leave to make a pid namespace";
  }

  // Starts a process that calls `act` and then waits for ever.
  pid_t bystander(const std::function<void()>& act) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    const pid_t pid = ::fork();
    if (pid == 0) {
      act();
      const ssize_t told = ::write(ready[1], "", 1);
      while (told == 1) ::pause();
      ::_exit(1);
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
    bystanders_.push_back(pid);
    return pid;
  }
  static std::string record_of(pid_t pid, std::int64_t later = 0, std::string boot = "") {
    return fmt::format("{} {} {}\n", pid, process_start_time(pid) + static_cast<unsigned>(later),
                       boot.empty() ? this_boot_id() : boot);
  }
  void take(const std::string& record) const {
    const int fd = ::open(folder_.pid(0).c_str(), O_WRONLY | O_CREAT, 0600);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    if (::fcntl(fd, F_SETLK, &lock) != 0 || ::write(fd, record.data(), record.size()) < 0) {
      ::_exit(1);
    }
  }

  void forge(const std::string& text) const {
    std::ofstream(folder_.pid(0), std::ios::binary | std::ios::trunc) << text;
  }
  // Does everything to the rank that a daemon does to one, up to its end.
  void expect_left_alone(const std::string& what) {
    auto found = executor_->adopt(folder_, 1);
    EXPECT_EQ(found.alive.size(), 0U) << what;
    for (RankProcess& process : found.alive) {
      for (const int signal : {SIGTERM, SIGCONT, SIGKILL}) executor_->signal(process, signal);
      executor_->reap(process);
    }
    executor_->clear(id_, found.alive);
    ::usleep(20'000);  // a killed process ends a moment later
    for (const pid_t pid : bystanders_) {
      EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << what << ": process " << pid << " ended";
    }
    std::filesystem::remove(folder_.pid(0));
  }
  RankProcess start() {
    AttemptRequest request;
    request.attempt = id_;
    request.lease.ranks.resize(1);
    auto ranks = start_all(*executor_, folder_, request);
    EXPECT_TRUE(ranks.ok()) << ranks.error().message;
    return std::move(ranks->at(0));
  }

  AttemptFolder folder_{root_ / "attempt"};
  std::unique_ptr<RankProcesses> executor_ =
      std::make_unique<RankProcesses>(script("exec sleep 1000"));
  std::vector<pid_t> bystanders_;
};

TEST_F(ForgedPlace, NamesSomebodyElse) {
  alone([&] {
    const pid_t leader = bystander([] { ::setsid(); });
    const pid_t group = bystander([] { ::setpgid(0, 0); });
    const pid_t plain = bystander([] {});
    for (const pid_t pid : {pid_t{1}, ::getpid(), ::getppid(), leader, group, plain}) {
      forge(record_of(pid));
      expect_left_alone(fmt::format("process {}", pid));
      forge(fmt::format("{} {}\n", pid, process_start_time(pid)));
      expect_left_alone(fmt::format("process {}, as older versions wrote it", pid));
    }
    for (const std::string pid : {"0", "-1", "-2", "4194305", "99999999999", "x"}) {
      forge(fmt::format("{} {} {}\n", pid, process_start_time(1), this_boot_id()));
      expect_left_alone("process " + pid);
    }
  });
}

TEST_F(ForgedPlace, IsHeldBySomebodyWhoIsNoRank) {
  alone([&] {
    const pid_t no_leader = bystander([&] {
      ::setpgid(0, 0);
      take(record_of(::getpid()));
    });
    expect_left_alone(fmt::format("{} holds the lock but leads no session", no_leader));
    const pid_t other_user = bystander([&] {
      ::setsid();
      take(record_of(::getpid()));
      if (::setuid(65534) != 0) ::_exit(1);
    });
    expect_left_alone(fmt::format("{} belongs to another user", other_user));
    const pid_t other_start = bystander([&] {
      ::setsid();
      take(record_of(::getpid(), 1));
    });
    expect_left_alone(fmt::format("{} started at another time", other_start));
    const pid_t other_boot = bystander([&] {
      ::setsid();
      take(record_of(::getpid(), 0, "01234567-89ab-cdef-0123-456789abcdef"));
    });
    expect_left_alone(fmt::format("{} ran in another boot", other_boot));
    const pid_t leader = bystander([] { ::setsid(); });
    bystander([&] { take(record_of(leader)); });
    expect_left_alone("the lock is another's than the record");
  });
}

TEST_F(ForgedPlace, TheOneThatAgreesInEverythingIsTheRank) {
  alone([&] {
    bystander([] { ::setsid(); });
    const RankProcess rank = start();
    auto found = executor_->adopt(folder_, 1);
    ASSERT_EQ(found.alive.size(), 1U);
    EXPECT_EQ(found.alive[0].pid, rank.pid);
    executor_->signal(found.alive[0], SIGTERM);
    EXPECT_TRUE(ends(rank.pidfd));
    expect_left_alone("after the rank's end");
  });
}

TEST_F(ForgedPlace, ItsNumberIsReused) {
  alone([&] {
    RankProcess rank = start();
    const std::string record = read(folder_.pid(0));
    executor_->signal(rank, SIGKILL);
    ASSERT_TRUE(ends(rank.pidfd));
    executor_->reap(rank);
    std::ofstream("/proc/sys/kernel/ns_last_pid") << rank.pid - 1;
    const pid_t heir = bystander([] { ::setsid(); });
    ASSERT_EQ(heir, rank.pid) << "could not be arranged";
    // A signal to the rest of a group reaches no process if another one now has the number.
    executor_->signal(rank, SIGKILL);
    signal_group_by_number(rank.pid, rank.pidfd, SIGKILL);  // as on an older kernel
    executor_->clear(id_, {});
    forge(record);
    expect_left_alone("the number of a rank that ended");
  });
}

// A rank whose record is lost cannot be adopted, but it is not run a second time beside itself
// either.
TEST_F(ForgedPlace, IsCutOffWhileTheRankRuns) {
  alone([&] {
    const RankProcess rank = start();
    ASSERT_EQ(::truncate(folder_.pid(0).c_str(), 7), 0);
    const FoundRanks found = executor_->adopt(folder_, 1);
    EXPECT_TRUE(found.alive.empty());
    EXPECT_FALSE(found.incomplete) << "it would be queued again";
    executor_->signal(rank, SIGKILL);
    EXPECT_TRUE(ends(rank.pidfd));
  });
}

TEST_F(ForgedPlace, NoSignalGoesToEverybodyOrToSweepdItself) {
  alone([&] {
    const pid_t own = bystander([] {});  // in our group
    bystander([] { ::setsid(); });
    ::setpgid(0, 0);
    ::setpgid(own, ::getpid());
    const UniqueFd none;
    for (const pid_t pid : {-1, 0, 1, static_cast<int>(::getpgrp())}) {
      signal_group_by_number(pid, none, SIGKILL);
      signal_group_by_number(pid, pid > 0 ? open_pidfd(pid) : UniqueFd(), SIGKILL);
      signal_group(pid, none, SIGKILL);
      RankProcess process;
      process.pid = pid;
      executor_->signal(process, SIGKILL);
    }
    // sweepd need not lead the group that it is in.
    const pid_t member = ::fork();
    if (member == 0) {
      signal_group_by_number(::getpgrp(), open_pidfd(::getpgrp()), SIGKILL);
      ::_exit(0);
    }
    ::waitpid(member, nullptr, 0);
    expect_left_alone("a group that no rank leads");
  });
}

}  // namespace
}  // namespace sweepd
