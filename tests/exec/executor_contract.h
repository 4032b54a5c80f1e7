// The contract of every executor (runner/exec/executor.h), as one suite. A kind of executor takes
// part by an `ExecutorKind`. Ranks are shell scripts: each runs the file `do` of its attempt.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "runner/base/ids.h"
#include "runner/exec/executor.h"

namespace sweepd {

struct ExecutorKind {
  std::string name;
  // Makes one that has `runs` as its folder of attempts and runs `worker --run FOLDER` for a rank.
  // Another one on the same folder stands for the next daemon's.
  std::function<std::unique_ptr<Executor>(const std::filesystem::path& runs,
                                          const std::filesystem::path& worker)>
      make;
  std::function<void()> clear = [] {};  // called after each test
  friend std::ostream& operator<<(std::ostream& out, const ExecutorKind& kind) {
    return out << kind.name;
  }
};

class ExecutorContract : public testing::TestWithParam<ExecutorKind> {
 protected:
  ExecutorContract() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-contract-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    std::filesystem::create_directory(root_ / "runs");
    std::ofstream(root_ / "worker") << "#!/bin/sh\ncd \"$2\" && . ./do\n";
    ::chmod((root_ / "worker").c_str(), 0755);
    make();
  }
  ~ExecutorContract() override {
    executor_.reset();
    GetParam().clear();
    std::filesystem::remove_all(root_);
  }

  // The next daemon's.
  void make() {
    executor_.reset();
    executor_ = GetParam().make(root_ / "runs", root_ / "worker");
  }
  AttemptFolder folder(const AttemptId& id) const { return AttemptFolder(root_ / "runs" / id); }
  AttemptId prepare(const std::string& what, int ranks = 1) const {
    AttemptRequest request;
    request.attempt = random_id();
    request.workload = "noop";
    request.params = {{"device", "cpu"}, {"threads", "1"}, {"timeout", "1m"}};
    request.lease.ranks.resize(static_cast<std::size_t>(ranks));
    std::filesystem::create_directory(folder(request.attempt).path());
    std::ofstream(folder(request.attempt).path() / "do") << what << "\n";
    EXPECT_TRUE(write_request(folder(request.attempt).request(), request));
    return request.attempt;
  }
  AttemptId start(const std::string& what, int ranks = 1) {
    const AttemptId id = prepare(what, ranks);
    executor_->start(folder(id), *read_request(folder(id).request()));
    return id;
  }
  static std::string text_of(const ExecutorEvent& event) {
    if (std::holds_alternative<AttemptStarted>(event)) return "started";
    if (std::holds_alternative<AttemptNotStarted>(event)) return "not started";
    if (std::holds_alternative<AttemptOver>(event)) return "over";
    if (std::holds_alternative<AttemptLost>(event)) return "lost";
    if (std::holds_alternative<WorkerLoaded>(event)) return "loaded";
    const auto& end = std::get<RankEnded>(event);
    if (end.exit.code) return fmt::format("rank {} exited with {}", end.rank, *end.exit.code);
    if (end.exit.signal) return fmt::format("rank {} ended by {}", end.rank, *end.exit.signal);
    return fmt::format("rank {} ended", end.rank);
  }
  // Waits until one of the last events begins like this. Adds them to `heard_`.
  bool until(const std::string& last) {
    for (int i = 0; i < 1000; ++i) {
      pollfd readable{executor_->descriptor(), POLLIN, 0};
      if (::poll(&readable, 1, 60'000) != 1) break;
      bool seen = false;
      for (const ExecutorEvent& event : executor_->events()) {
        heard_.push_back(text_of(event));
        seen |= heard_.back().starts_with(last);
      }
      if (seen) return true;
    }
    ADD_FAILURE() << "no `" << last << "` among " << testing::PrintToString(heard_);
    return false;
  }
  bool is_quiet_for(int ms) const {
    pollfd readable{executor_->descriptor(), POLLIN, 0};
    return ::poll(&readable, 1, ms) == 0;
  }
  // Until the ranks have written their files `here.<rank>`.
  bool until_here(const AttemptId& id, int ranks = 1) const {
    for (int i = 0; i < 3000; ++i) {
      int here = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        here += std::filesystem::exists(folder(id).path() / fmt::format("here.{}", rank)) ? 1 : 0;
      }
      if (here == ranks) return true;
      ::usleep(10'000);
    }
    return false;
  }

  std::filesystem::path root_;
  std::unique_ptr<Executor> executor_;
  std::vector<std::string> heard_;
};

inline constexpr const char* kWaits = "touch here.$RANK; exec sleep 1000";

TEST_P(ExecutorContract, AnAttemptStartsEndsAndIsOver) {
  start("exit 3");
  until("over");
  EXPECT_THAT(heard_, testing::ElementsAre("started", "rank 0 exited with 3", "over"));
  EXPECT_TRUE(is_quiet_for(200));
}

TEST_P(ExecutorContract, EveryRankOfAGangRunsAndEndsOnce) {
  start("exit $((RANK + 3))", 3);
  until("over");
  EXPECT_EQ(heard_.front(), "started");
  EXPECT_EQ(heard_.back(), "over");
  EXPECT_THAT(heard_, testing::UnorderedElementsAre("started", "rank 0 exited with 3",
                                                    "rank 1 exited with 4", "rank 2 exited with 5",
                                                    "over"));
}

TEST_P(ExecutorContract, ASignalThatEndsARankIsTold) {
  start("kill -SEGV $$");
  until("over");
  EXPECT_THAT(heard_, testing::ElementsAre("started", "rank 0 ended by 11", "over"));
}

TEST_P(ExecutorContract, StopAsksAllRanks) {
  const auto id = start("trap 'exit 7' TERM; touch here.$RANK; while :; do sleep 0.05; done", 2);
  ASSERT_TRUE(until("started") && until_here(id, 2));
  executor_->stop(id);
  until("over");
  EXPECT_THAT(heard_, testing::UnorderedElementsAre("started", "rank 0 exited with 7",
                                                    "rank 1 exited with 7", "over"));
}

TEST_P(ExecutorContract, KillEndsRanksThatDoNotListen) {
  const auto id = start("trap '' TERM; touch here.$RANK; while :; do sleep 0.05; done", 2);
  ASSERT_TRUE(until("started") && until_here(id, 2));
  executor_->stop(id);
  executor_->kill(id);
  executor_->kill(id);
  until("over");
  EXPECT_THAT(heard_, testing::UnorderedElementsAre("started", "rank 0 ended by 9",
                                                    "rank 1 ended by 9", "over"));
  EXPECT_TRUE(is_quiet_for(200));
}

TEST_P(ExecutorContract, AnAttemptThatIsKilledAtOnceIsNotStartedOrEnds) {
  const auto id = start(kWaits);
  executor_->kill(id);
  for (int i = 0; i < 10 && (heard_.empty() || heard_.back() == "started"); ++i) {
    if (!until("")) break;
  }
  if (heard_.back().starts_with("rank")) until("over");
  EXPECT_THAT(heard_.back(), testing::AnyOf("not started", "over"));
  EXPECT_TRUE(is_quiet_for(200));
}

TEST_P(ExecutorContract, WhatRunsIsNotTakenBack) {
  const auto id = start("touch here.$RANK; while [ ! -e go ]; do sleep 0.05; done");
  ASSERT_TRUE(until("started") && until_here(id, 1));
  executor_->take_back(id);
  EXPECT_TRUE(is_quiet_for(200));
  std::ofstream(folder(id).path() / "go").put('1');
  until("over");
  EXPECT_THAT(heard_, testing::ElementsAre("started", "rank 0 exited with 0", "over"));
}

TEST_P(ExecutorContract, UnknownAttemptsAreIgnored) {
  executor_->take_back(random_id());
  executor_->stop(random_id());
  executor_->kill(random_id());
  EXPECT_TRUE(executor_->suspended(random_id()).empty());
  EXPECT_TRUE(is_quiet_for(200));
}

TEST_P(ExecutorContract, TheNextDaemonTakesOverWhatRuns) {
  const auto id = start(kWaits, 2);
  ASSERT_TRUE(until("started") && until_here(id, 2));
  make();
  const Adoption found = executor_->adopt(folder(id), id, 2);
  EXPECT_THAT(found.alive, testing::ElementsAre(0, 1));
  EXPECT_FALSE(found.incomplete || found.waits);
  heard_.clear();
  executor_->kill(id);
  until("over");
  EXPECT_THAT(heard_, testing::UnorderedElementsAre(testing::StartsWith("rank 0 ended"),
                                                    testing::StartsWith("rank 1 ended"), "over"));
}

TEST_P(ExecutorContract, TheNextDaemonHearsOfAnEndThatNobodySaw) {
  const auto id = start("touch here.0; sleep 0.3; touch done; exit 5");
  ASSERT_TRUE(until("started"));
  make();
  ASSERT_TRUE(until_here(id));
  while (!std::filesystem::exists(folder(id).path() / "done")) ::usleep(10'000);
  ::usleep(300'000);
  executor_->adopt(folder(id), id, 1);
  heard_.clear();
  until("over");
  // Either it was alive for the executor, or it was not and the attempt is over.
  EXPECT_EQ(heard_.back(), "over");
  EXPECT_LE(heard_.size(), 2U);
}

TEST_P(ExecutorContract, WhatNeverBeganIsIncompleteOrWaits) {
  const auto id = prepare("exit 0");
  const Adoption found = executor_->adopt(folder(id), id, 1);
  EXPECT_TRUE(found.alive.empty());
  EXPECT_NE(found.incomplete, found.waits);
  if (!found.waits) {
    EXPECT_TRUE(is_quiet_for(200));
    return;
  }
  until("over");
  EXPECT_THAT(heard_, testing::ElementsAre("started", "rank 0 exited with 0", "over"));
}

TEST_P(ExecutorContract, AttemptsFollowEachOther) {
  for (int i = 0; i < 3; ++i) {
    start("exit 0");
    until("over");
  }
  EXPECT_EQ(heard_.size(), 9U);
}

}  // namespace sweepd
