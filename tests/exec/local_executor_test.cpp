// Tests the events of the local executor. Ranks are shell scripts.
#include "runner/exec/local_executor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "runner/base/proc.h"
#include "tests/exec/scratch.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// "started", "rank 0 exited with 3", "rank 1 was killed by 9", "over"
std::string text_of(const ExecutorEvent& event) {
  if (std::holds_alternative<AttemptStarted>(event)) return "started";
  if (const auto* failed = std::get_if<AttemptNotStarted>(&event)) return failed->error.message;
  if (std::holds_alternative<AttemptOver>(event)) return "over";
  if (std::holds_alternative<WorkerLoaded>(event)) return "loaded";
  const auto& end = std::get<RankEnded>(event);
  if (end.exit.code) return fmt::format("rank {} exited with {}", end.rank, *end.exit.code);
  if (end.exit.signal) return fmt::format("rank {} was killed by {}", end.rank, *end.exit.signal);
  return fmt::format("rank {} ended", end.rank);
}

class LocalExecutorTest : public Scratch {
 protected:
  LocalExecutorTest() { std::filesystem::create_directory(folder_.path()); }

  void make(Prefork prefork = Prefork::kNo, LocalTiming timing = {}) {
    executor_ = make_local_executor(root_ / "worker", prefork, timing);
  }
  void start(int ranks = 1) {
    AttemptRequest request;
    request.attempt = id_;
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    executor_->start(folder_, request);
  }
  // Waits for events until one has this text, and returns the texts of all.
  std::vector<std::string> until(const std::string& last) {
    std::vector<std::string> texts;
    for (int i = 0; i < 1000; ++i) {
      pollfd readable{executor_->descriptor(), POLLIN, 0};
      if (::poll(&readable, 1, 10'000) != 1) break;
      for (const ExecutorEvent& event : executor_->events()) texts.push_back(text_of(event));
      if (!texts.empty() && texts.back() == last) return texts;
    }
    ADD_FAILURE() << "no `" << last << "` among " << testing::PrintToString(texts);
    return texts;
  }
  // Starts a rank that starts a process in its own session, and then does this. Returns that
  // process.
  int start_leaving(const std::string& then) {
    const auto ready = fifo("ready");
    script(fmt::format("setsid sh -c 'echo $$ > {}; exec sleep 1000' &\n{}", ready.string(), then));
    start();
    until("started");
    return std::stoi(read(ready));
  }
  bool is_quiet() const {
    pollfd readable{executor_->descriptor(), POLLIN, 0};
    return ::poll(&readable, 1, 0) == 0;
  }

  AttemptFolder folder_{root_ / "attempt"};
  std::unique_ptr<Executor> executor_;
};

TEST_F(LocalExecutorTest, ReportsStartEndsAndThatNothingIsLeft) {
  script("exit 3");
  make();
  EXPECT_TRUE(is_quiet());
  start();
  EXPECT_THAT(until("over"), ElementsAre("started", "rank 0 exited with 3", "over"));
  EXPECT_TRUE(is_quiet());
}

TEST_F(LocalExecutorTest, AStartThatFailsIsTheOnlyEvent) {
  make();
  start();
  const auto events =
      until(fmt::format("rank 0 of attempt {}: cannot execute {}: No such file or directory", id_,
                        (root_ / "worker").string()));
  EXPECT_EQ(events.size(), 1U);
  EXPECT_TRUE(is_quiet());
}

// A fork may wait long for its turn, and then until it runs its program.
TEST_F(LocalExecutorTest, StartingDoesNotWaitUntilTheProgramsRun) {
  script("exec sleep 1000");
  make();
  start(3);
  EXPECT_THAT(executor_->events(), IsEmpty());
  EXPECT_THAT(until("started"), ElementsAre("started"));
  executor_->kill(id_);
  EXPECT_THAT(until("over"),
              testing::UnorderedElementsAre("rank 0 was killed by 9", "rank 1 was killed by 9",
                                            "rank 2 was killed by 9", "over"));
}

TEST_F(LocalExecutorTest, AGangOfWhichOneRankCannotRunLeavesNoRank) {
  script("exec sleep 1000");
  make();
  AttemptRequest request;
  request.attempt = id_;
  request.lease.ranks.resize(3);
  request.lease.ranks[1].cores = {4000};
  executor_->start(folder_, request);
  until(fmt::format("rank 1 of attempt {}: cannot bind to cores 4000: Invalid argument", id_));
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_FALSE(std::filesystem::exists(folder_.pid(0)));
}

TEST_F(LocalExecutorTest, AGangThatIsKilledWhileItStartsLeavesNoRank) {
  script("exec sleep 1000");
  make();
  start(3);
  EXPECT_THAT(executor_->events(), IsEmpty());
  executor_->kill(id_);
  EXPECT_THAT(until("killed before all ranks ran"), testing::SizeIs(1));
  EXPECT_TRUE(is_quiet());
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
}

TEST_F(LocalExecutorTest, StopReachesASuspendedRank) {
  const auto ready = fifo("ready");
  script(fmt::format("trap 'exit 7' TERM; echo $$ > {}; while :; do sleep 0.01; done",
                     ready.string()));
  make();
  start();
  until("started");
  const int pid = std::stoi(read(ready));
  ::kill(pid, SIGSTOP);
  for (int i = 0; i < 1000 && read_proc_stat(pid)->state != 'T'; ++i) ::usleep(1000);
  EXPECT_THAT(executor_->suspended(id_), ElementsAre(0));
  executor_->stop(id_);
  EXPECT_THAT(until("over"), ElementsAre("rank 0 exited with 7", "over"));
  EXPECT_THAT(executor_->suspended(id_), IsEmpty());
}

TEST_F(LocalExecutorTest, IsOverOnlyWhenWhatAKilledRankLeftBehindIsGone) {
  make();
  const int left = start_leaving("wait");
  executor_->kill(id_);
  EXPECT_THAT(until("over"), ElementsAre("rank 0 was killed by 9", "over"));
  const auto stat = read_proc_stat(left);
  EXPECT_TRUE(!stat || stat->ended());
}

TEST_F(LocalExecutorTest, WhatCannotBeKilledIsNotWaitedForForEver) {
  make(Prefork::kNo, {.max_clears = 0});  // as if it had been tried too often
  const int left = start_leaving("wait");
  executor_->kill(id_);
  EXPECT_THAT(until("over"), ElementsAre("rank 0 was killed by 9", "over"));
  EXPECT_EQ(::kill(left, SIGKILL), 0);
}

TEST_F(LocalExecutorTest, AdoptsWhatAnotherStarted) {
  script("exec sleep 1000");
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    make();
    start(2);
    until("started");
    ::_exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(daemon, &status, 0), daemon);
  make();
  const Adoption found = executor_->adopt(folder_, id_, 2);
  EXPECT_THAT(found.alive, ElementsAre(0, 1));
  EXPECT_FALSE(found.incomplete);
  ASSERT_TRUE(found.age);
  EXPECT_GE(found.age->ns, 0);
  EXPECT_LT(found.age->seconds(), 600);  // the ranks' age, not the machine's
  executor_->kill(id_);
  EXPECT_THAT(until("over"), testing::UnorderedElementsAre("rank 0 ended", "rank 1 ended", "over"));
}

TEST_F(LocalExecutorTest, AnAttemptThatEndedMeanwhileIsOver) {
  script("exit 0");
  make();
  start();
  until("over");
  make();
  EXPECT_THAT(executor_->adopt(folder_, id_, 1).alive, IsEmpty());
  EXPECT_THAT(until("over"), ElementsAre("over"));
}

// It is unknown how its ranks ended, so they may have been killed.
TEST_F(LocalExecutorTest, WhatAnAttemptThatEndedMeanwhileLeftBehindIsCleared) {
  make();
  const int left = start_leaving("exit 0");
  until("over");
  ASSERT_EQ(::kill(left, 0), 0) << "of a rank that ended by itself nothing is cleared";
  make();
  EXPECT_THAT(executor_->adopt(folder_, id_, 1).alive, IsEmpty());
  EXPECT_THAT(until("over"), ElementsAre("over"));
  const auto stat = read_proc_stat(left);
  EXPECT_TRUE(!stat || stat->ended());
}

TEST_F(LocalExecutorTest, WhatADeadRankLeftIsClearedThoughItIsOlderThanTheLivingRanks) {
  const auto ready = fifo("ready"), told = fifo("told");
  script(
      fmt::format("[ $RANK = 1 ] && exec sleep 1000\n"
                  "setsid sh -c 'echo $$ > {}; exec sleep 1000' &\nexit 0",
                  ready.string()));
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    make();
    start(2);  // rank 0; rank 1 is forked when the events are taken
    const std::string left = read(ready);
    ::usleep(50'000);  // several ticks of the clock by which the kernel notes when one starts
    until("started");
    std::ofstream(told) << left;
    ::_exit(0);
  }
  const int left = std::stoi(read(told));
  ASSERT_EQ(::waitpid(daemon, nullptr, 0), daemon);
  make();
  EXPECT_THAT(executor_->adopt(folder_, id_, 2).alive, ElementsAre(1));
  executor_->kill(id_);
  EXPECT_THAT(until("over"), ElementsAre("rank 1 ended", "over"));
  const auto stat = read_proc_stat(left);
  EXPECT_TRUE(!stat || stat->ended());
}

TEST_F(LocalExecutorTest, OneThatNeverBeganHasNoEvents) {
  make();
  EXPECT_TRUE(executor_->adopt(folder_, id_, 1).incomplete);
  EXPECT_THAT(executor_->events(), IsEmpty());
  EXPECT_TRUE(is_quiet());
}

AttemptRequest forkable() {
  AttemptRequest request;
  request.params = {{"device", "cpu"}, {"warmup", "1"}};
  request.lease.ranks.resize(1);
  return request;
}

TEST_F(LocalExecutorTest, AWorkerThatDoesNotGetLoadedIsNotWaitedForForEver) {
  script("exec sleep 1000");
  make(Prefork::kYes, {.load_limit = milliseconds(20)});
  EXPECT_TRUE(executor_->prepare(forkable()));
  EXPECT_THAT(until("loaded"), ElementsAre("loaded"));
  EXPECT_TRUE(executor_->prepare(forkable())) << "it still loads";
  EXPECT_THAT(until("loaded"), ElementsAre("loaded"));
}

TEST_F(LocalExecutorTest, RestEndsTheWaitForAWorker) {
  script("exec sleep 1000");
  make(Prefork::kYes);
  EXPECT_TRUE(executor_->prepare(forkable()));
  executor_->rest();
  EXPECT_THAT(until("loaded"), ElementsAre("loaded"));
}

}  // namespace
}  // namespace sweepd
