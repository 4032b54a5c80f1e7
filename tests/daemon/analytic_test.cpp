// Tests the attempts of analytic workloads: one worker answers for many, each is stored once, and a
// timing is never disturbed. The test plays the worker: it reads the questions and writes the
// answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "runner/base/text.h"
#include "runner/daemon/attempts/item_of.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

class AnalyticTest : public DispatcherStory {
 protected:
  void SetUp() override {
    DispatcherStory::SetUp();
    catalog_.workloads.push_back(workload_def<ToyParams>("formula"));
    catalog_.workloads.back().analytic = true;
    reopen();
    restart();
  }

  // Stores contexts 1 to n of the analytic workload.
  std::vector<OpenAttempt> store_analytic(int n) {
    NewSweep request;
    request.id = sweep_ = random_id();
    request.sweep.name = "formulas";
    request.sweep.workload = "formula";
    const WorkloadDef& def = catalog_.workloads.back();
    for (std::int64_t context = 1; context <= n; ++context) {
      Trial trial = default_trial(def);
      trial.values[*def.index_of("context")] = context;
      request.trials.push_back({key_of(def, trial), trial});
    }
    auto receipt = writer_->now([&](Store& store) { return store.submit(request, def); });
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt->queued;
  }
  std::vector<OpenAttempt> enqueue_analytic(int n) {
    auto queued = store_analytic(n);
    dispatcher_->enqueue(queued);
    return queued;
  }

  // Returns the next question once it has come.
  std::string question() {
    while (asked_.find('\n') == std::string::npos) {
      char buffer[4096];
      if (!until([&] { return readable(); })) return "no question";
      const ssize_t n = ::read(executor_.evaluator.get(), buffer, sizeof buffer);
      if (n <= 0) return "closed";
      asked_.append(buffer, static_cast<std::size_t>(n));
    }
    const std::size_t end = asked_.find('\n');
    std::string line = asked_.substr(0, end);
    asked_.erase(0, end + 1);
    return line;
  }
  void say(const std::string& line) {
    const std::string text = line + "\n";
    ASSERT_EQ(::write(executor_.evaluator.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  static std::string answer(double value) {
    WorkPerStep work;
    work.figures = {{"area", value, "a formula"}};
    return event_to_line(WorkEvent{work});
  }
  void answer_next(int n) {
    for (int i = 0; i < n; ++i) {
      ASSERT_THAT(question(), HasSubstr("\"workload\":\"formula\""));
      say(answer(i));
    }
  }
  std::vector<std::string> outcomes(const std::vector<OpenAttempt>& attempts) const {
    std::vector<std::string> all;
    for (const OpenAttempt& attempt : attempts) all.push_back(stored(attempt));
    return all;
  }
  std::int64_t count(const std::string& table) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database, "SELECT count(*) FROM " + table);
    return query.next() ? query.integer(0) : -1;
  }

  std::string asked_;

 private:
  bool readable() const {
    char byte = 0;
    return executor_.evaluator &&
           ::recv(executor_.evaluator.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
  }
};

// A sweep may ask for the formula of a device that this machine lacks.
TEST_F(AnalyticTest, AFormulaForAGpuNeedsNone) {
  WorkloadDef def = catalog_.workloads.back();
  Trial trial = default_trial(def);
  trial.values[*def.index_of("device")] = std::string("cuda");
  EXPECT_EQ(item_of(def, trial, Pass::kTiming).device, DeviceKind::kCpu);
  def.analytic = false;
  EXPECT_EQ(item_of(def, trial, Pass::kTiming).device, DeviceKind::kCuda);
}

TEST_F(AnalyticTest, ThreeHundredAreAnsweredByOneWorkerAndStoredOnceEach) {
  const auto queued = enqueue_analytic(300);
  EXPECT_EQ(dispatcher_->queued(), 300U);
  answer_next(300);
  ASSERT_TRUE(until_ended(300));
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_EQ(executor_.evaluators, 1);
  EXPECT_TRUE(executor_.started.empty()) << "no process of its own";
  EXPECT_EQ(count("figure"), 300);
  EXPECT_EQ(count("attempt WHERE verdict = 'valid' AND started_ns <= ended_ns"), 300);
  EXPECT_EQ(dispatcher_->queued(), 0U);
  EXPECT_EQ(question(), "closed") << "nothing more to ask: the worker is let go";
}

TEST_F(AnalyticTest, ASecondQuestionIsAskedOfTheTrialsOwnParameters) {
  const auto queued = enqueue_analytic(2);
  EXPECT_EQ(nlohmann::json::parse(question()),
            nlohmann::json::parse(R"({"workload":"formula","params":{"context":"1"}})"));
  EXPECT_EQ(nlohmann::json::parse(question())["params"]["context"], "2");
}

TEST_F(AnalyticTest, AMistakeInATrialIsItsOwn) {
  const auto queued = enqueue_analytic(2);
  question();
  say(R"({"error":"context: 1 is odd"})");
  question();
  say(answer(2));
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[0]), "failed");
  EXPECT_THAT(detail(queued[0]), HasSubstr("context: 1 is odd"));
  EXPECT_EQ(stored(queued[1]), "done");
}

TEST_F(AnalyticTest, AWorkerThatDiesCostsTheTrialItWasAt) {
  const auto queued = enqueue_analytic(3);
  question();
  say(answer(1));
  ASSERT_THAT(question(), HasSubstr("\"2\""));
  executor_.evaluator.reset();
  asked_.clear();
  ASSERT_TRUE(until([&] { return executor_.evaluators == 2; }));
  ASSERT_THAT(question(), HasSubstr("\"3\"")) << "of a second worker";
  say(answer(3));
  ASSERT_TRUE(until_ended(3));
  EXPECT_EQ(stored(queued[0]), "done");
  EXPECT_EQ(stored(queued[1]), "crashed");
  EXPECT_EQ(stored(queued[2]), "done");
  EXPECT_EQ(executor_.evaluators, 2);
}

TEST_F(AnalyticTest, TheyWaitWhileNoWorkerCanStart) {
  executor_.refuse_start = "sweep-worker: No such file or directory";
  const auto queued = enqueue_analytic(2);
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("No such file"));
  EXPECT_THAT(outcomes(queued), Each("queued"));
  EXPECT_EQ(dispatcher_->queued(), 2U);
  executor_.refuse_start.clear();
  answer_next(2);
  ASSERT_TRUE(until_ended(2));
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_EQ(dispatcher_->trouble(), "");
}

TEST_F(AnalyticTest, ADaemonThatDiesLeavesThemQueuedAndTheNextOneAsksAgain) {
  const auto queued = enqueue_analytic(200);
  answer_next(150);
  ASSERT_TRUE(until_ended(100));
  const std::int64_t before = count("attempt WHERE outcome = 'done'");
  EXPECT_LT(before, 200);
  restart();
  asked_.clear();
  ASSERT_TRUE(dispatcher_->recover());
  answer_next(static_cast<int>(200 - before));
  ASSERT_TRUE(until_ended(200));
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_EQ(count("figure"), 200);
  EXPECT_EQ(count("attempt"), 200);
  EXPECT_THAT(ended_, SizeIs(200));
}

TEST_F(AnalyticTest, WhatIsCancelledMeanwhileStaysCancelled) {
  const auto queued = enqueue_analytic(3);
  question();
  const auto receipt =
      writer_->now([&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); });
  ASSERT_TRUE(receipt);
  EXPECT_THAT(receipt->ended, SizeIs(3));
  dispatcher_->forget(receipt->ended);
  for (int i = 0; i < 3; ++i) say(answer(i));
  until([&] { return dispatcher_->queued() == 0 && question() == "closed"; });
  EXPECT_THAT(outcomes(queued), Each("cancelled"));
  EXPECT_EQ(count("figure"), 0);
  EXPECT_TRUE(ended_.empty());
}

TEST_F(AnalyticTest, AFullDiskLosesNothing) {
  const auto queued = enqueue_analytic(2);
  break_store();
  answer_next(2);
  until([&] { return dispatcher_->queued() == 2; });
  EXPECT_THAT(outcomes(queued), Each("queued"));
  mend_store();
  answer_next(2);
  ASSERT_TRUE(until_ended(2));
  EXPECT_THAT(outcomes(queued), Each("done"));
}

TEST_F(AnalyticTest, TheyWaitForATimingAndATimingForThem) {
  const auto timing = enqueue({{{"model", "large"}}});
  ASSERT_TRUE(until_started(1));
  const auto formulas = enqueue_analytic(2);
  settle();
  EXPECT_EQ(executor_.evaluators, 0);
  const auto later = enqueue({{{"model", "xl"}}});
  finish_well(timing[0]);
  ASSERT_TRUE(until([&] { return executor_.evaluators == 1; }));
  settle();
  EXPECT_EQ(executor_.started.size(), 1U);
  answer_next(2);
  ASSERT_TRUE(until_started(2));
  EXPECT_THAT(outcomes(formulas), Each("done"));
}

TEST_F(AnalyticTest, AWorkerThatHangsIsEndedAtTheTimeout) {
  auto queued = store_analytic(2);
  queued[0].timeout = milliseconds(30);
  dispatcher_->enqueue(queued);
  question();
  ASSERT_TRUE(until_ended(1));
  EXPECT_EQ(stored(queued[0]), "timeout");
  asked_.clear();
  ASSERT_TRUE(until([&] { return executor_.evaluators == 2; }));
  ASSERT_THAT(question(), HasSubstr("\"2\""));
  say(answer(2));
  ASSERT_TRUE(until_ended(2));
  EXPECT_EQ(stored(queued[1]), "done");
}

TEST_F(AnalyticTest, DrainingWaitsForTheBatchThatIsAsked) {
  const auto queued = enqueue_analytic(200);
  question();
  dispatcher_->drain();
  settle();
  EXPECT_FALSE(drained_);
  say(answer(0));
  answer_next(127);
  ASSERT_TRUE(until([&] { return drained_; }));
  EXPECT_EQ(stored(queued[127]), "done");
  EXPECT_EQ(stored(queued[128]), "queued");
}

}  // namespace
}  // namespace sweepd
