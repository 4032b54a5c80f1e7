// Tests which processes count as leftovers of an attempt.
#include "runner/exec/leftovers.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "runner/base/proc.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

class Leftovers : public Scratch {
 protected:
  // Starts a process in its own session, and returns it as if it were rank 0.
  RankProcess sleeper(const std::string& variable = "") {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setsid();
      const std::string entry = variable.empty() ? "NONE=1" : variable;
      const char* const arguments[] = {"sleep", "1000", nullptr};
      const char* const environment[] = {entry.c_str(), nullptr};
      ::execve("/bin/sleep", const_cast<char**>(arguments), const_cast<char**>(environment));
      ::_exit(127);
    }
    // Until then it is this program, with this program's environment.
    while (read_small_file("/proc/" + std::to_string(pid) + "/comm") != "sleep\n") {
      std::this_thread::yield();
    }
    started_.push_back(pid);
    RankProcess rank;
    rank.pid = pid;
    rank.start_ticks = read_proc_stat(pid)->start_ticks;
    return rank;
  }
  static std::size_t clear(const AttemptId& attempt, RankProcess rank) {
    std::vector<RankProcess> ranks;
    ranks.push_back(std::move(rank));
    return kill_leftovers(attempt, ranks);
  }
  ~Leftovers() override {
    for (const pid_t pid : started_) {
      ::kill(pid, SIGKILL);
      ::waitpid(pid, nullptr, 0);
    }
  }

  const AttemptId id_ = random_id();
  std::vector<pid_t> started_;
};

TEST_F(Leftovers, WhatIsOlderThanTheRanksIsNotTheirs) {
  const RankProcess older = sleeper(std::string(kAttemptVariable) + "=" + id_);
  RankProcess rank;
  rank.start_ticks = older.start_ticks + 1;
  EXPECT_EQ(clear(id_, std::move(rank)), 0U);
  rank = {};
  rank.start_ticks = older.start_ticks;
  EXPECT_EQ(clear(id_, std::move(rank)), 1U);
}

TEST_F(Leftovers, ASessionWhoseNumberIsAnothersNowIsGone) {
  RankProcess gone = sleeper();
  const std::uint64_t began = gone.start_ticks;
  gone.start_ticks = began - 1;
  EXPECT_EQ(clear(id_, std::move(gone)), 0U) << "the process that has the number is another";
  RankProcess rank;
  rank.pid = started_.front();
  rank.start_ticks = began;
  EXPECT_EQ(clear(id_, std::move(rank)), 1U);
}

}  // namespace
}  // namespace sweepd
