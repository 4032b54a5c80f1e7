// Tests the attempts of analytic workloads: each is stored once, also if the worker fails, dies or
// hangs. The worker is a shell script of the test.
#include "runner/daemon/attempts/analyst.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <chrono>
#include <fstream>
#include <optional>
#include <thread>
#include <unordered_set>

#include "runner/base/files.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/formulas/ask_worker.h"
#include "runner/daemon/formulas/run_worker.h"
#include "runner/daemon/formulas/work_of_trials.h"
#include "runner/wire/event.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class AnalystTest : public DispatcherStory {
 protected:
  void SetUp() override {
    DispatcherStory::SetUp();
    catalog_.workloads.push_back(workload_def<ToyParams>("formula"));
    catalog_.workloads.back().analytic = true;
    reopen();
    worker_ = folder_ / "worker";
    answer_with("");
    restart_all();
  }
  void TearDown() override {
    slow_->finish();
    analyst_.reset();
    DispatcherStory::TearDown();
  }
  void restart_all() {
    restart();
    slow_ = std::make_unique<ReaderPool>(file(), catalog_, 1, seconds(10));
    const Analyst::Hooks hooks{[this](const OpenAttempt& attempt, const Ending& ending) {
                                 dispatcher_->note_stored(attempt, ending);
                               },
                               [this](const std::string& why) { dispatcher_->refuse_results(why); },
                               [this] { dispatcher_->accept_results(); }};
    analyst_ = std::make_unique<Analyst>(*io_, *slow_, *writer_, catalog_, worker_, hooks,
                                         milliseconds(20));
  }

  // The worker runs these commands for each question, with `$line` and `$context`, and prints the
  // work unless they say `continue`.
  void answer_with(const std::string& commands) const {
    WorkPerStep work;
    work.figures = {{"area", 12, "a formula"}};
    std::ofstream(worker_) << "#!/bin/sh\necho >>'" << (folder_ / "starts").string()
                           << "'\nwhile read -r line; do\necho \"$line\" >>'"
                           << (folder_ / "questions").string()
                           << "'\ncontext=${line#*context\\\":\\\"}; context=${context%%\\\"*}\n"
                           << commands << "\necho '" << event_to_line(WorkEvent{work})
                           << "'\ndone\n";
    std::filesystem::permissions(worker_, std::filesystem::perms::owner_all);
  }
  std::string written(const std::string& name) const {
    return read_regular(folder_ / name, Links::kRefuse).value();
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
  void answer(std::vector<OpenAttempt> attempts) {
    boost::asio::co_spawn(*io_, analyst_->answer(std::move(attempts)),
                          [this](const std::exception_ptr&, Result<void> answered) {
                            answered_ = std::move(answered);
                          });
  }
  bool until_answered() {
    return until([&] { return answered_.has_value(); });
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
  static std::unordered_set<TrialKey> keys_of(const std::vector<OpenAttempt>& attempts) {
    std::unordered_set<TrialKey> keys;
    for (const OpenAttempt& attempt : attempts) keys.insert(attempt.trial_key);
    return keys;
  }

  std::filesystem::path worker_;
  std::unique_ptr<ReaderPool> slow_;
  std::unique_ptr<Analyst> analyst_;
  std::optional<Result<void>> answered_;
};

// A sweep may ask for the formula of a device that this machine lacks.
TEST_F(AnalystTest, ItemOf_FormulaForAGpu_NeedsNone) {
  WorkloadDef def = catalog_.workloads.back();
  Trial trial = default_trial(def);
  trial.values[*def.index_of("device")] = std::string("cuda");
  EXPECT_EQ(item_of(def, trial, Pass::kTiming).device, DeviceKind::kCpu);
  def.analytic = false;
  EXPECT_EQ(item_of(def, trial, Pass::kTiming).device, DeviceKind::kCuda);
}

TEST_F(AnalystTest, Answer_ManyAttempts_OneWorkerAndOneResultEach) {
  const auto queued = store_analytic(300);
  answer(queued);
  EXPECT_TRUE(until([&] { return analyst_->pending() == 300; }));
  ASSERT_TRUE(until_answered());
  EXPECT_TRUE(*answered_);
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_THAT(ended_, SizeIs(300));
  EXPECT_EQ(analyst_->pending(), 0U);
  EXPECT_EQ(written("starts"), "\n");
  EXPECT_EQ(count("figure"), 300);
  EXPECT_EQ(count("attempt WHERE verdict = 'valid' AND started_ns <= ended_ns"), 300);
}

TEST_F(AnalystTest, Answer_AsksForTheParametersOfEachTrial) {
  answer(store_analytic(2));
  ASSERT_TRUE(until_answered());
  EXPECT_EQ(written("questions"),
            "{\"params\":{\"context\":\"1\"},\"workload\":\"formula\"}\n"
            "{\"params\":{\"context\":\"2\"},\"workload\":\"formula\"}\n");
}

TEST_F(AnalystTest, Answer_FormulaFails_OnlyItsAttempt) {
  answer_with(R"([ $context = 1 ] && echo '{"error":"context: 1 is odd"}' && continue
[ $context = 2 ] && echo nonsense && continue)");
  const auto queued = store_analytic(3);
  answer(queued);
  ASSERT_TRUE(until_answered());
  EXPECT_TRUE(*answered_);
  EXPECT_THAT(outcomes(queued), ElementsAre("failed", "failed", "done"));
  EXPECT_THAT(detail(queued[0]), HasSubstr("context: 1 is odd"));
  EXPECT_THAT(detail(queued[1]), HasSubstr("the worker gave no answer: nonsense"));
}

TEST_F(AnalystTest, Answer_WorkerDies_AnotherOneAnswersTheRest) {
  answer_with("[ $context = 2 ] && printf cut && kill -SEGV $$\n[ $context = 3 ] && exit 5");
  const auto queued = store_analytic(4);
  answer(queued);
  ASSERT_TRUE(until_answered());
  EXPECT_TRUE(*answered_);
  EXPECT_THAT(outcomes(queued), ElementsAre("done", "crashed", "crashed", "done"));
  EXPECT_THAT(detail(queued[1]), HasSubstr("SIGSEGV"));
  EXPECT_THAT(detail(queued[2]), HasSubstr("5"));
  EXPECT_EQ(written("starts"), "\n\n\n");
}

TEST_F(AnalystTest, Answer_NoWorkerAnswers_FailedWithTheReason) {
  answer_with("exit 127");
  const auto queued = store_analytic(5);
  answer(queued);
  ASSERT_TRUE(until_answered());
  ASSERT_FALSE(*answered_);
  EXPECT_THAT(answered_->error().message,
              HasSubstr(worker_.string() + " --work`: it ended with exit code 127"));
  EXPECT_THAT(outcomes(queued), Each("failed"));
  EXPECT_THAT(detail(queued[0]), HasSubstr("it ended with exit code 127"));
  EXPECT_THAT(ended_, SizeIs(5));
}

// A worker that is being rebuilt is no trial's fault: a crash would count towards its limit.
TEST_F(AnalystTest, Answer_WorkerVanishes_NoneIsCrashed) {
  answer_with("[ $context -ge 2 ] && exit 127");
  const auto queued = store_analytic(4);
  answer(queued);
  ASSERT_TRUE(until_answered());
  EXPECT_FALSE(*answered_);
  EXPECT_THAT(outcomes(queued), Each("failed"));
}

TEST_F(AnalystTest, ResultsOfTrials_OneHangs_TimeoutAndTheRestIsAnswered) {
  answer_with("[ $context = 2 ] && exec sleep 600");
  const auto queued = store_analytic(3);
  std::vector<AskedTrial> asked;
  for (const OpenAttempt& one : queued) asked.push_back({&catalog_.workloads.back(), &one.trial});
  const auto results = results_of_trials(worker_, asked, milliseconds(300));
  ASSERT_TRUE(results) << results.error().message;
  std::vector<Outcome> all;
  for (const FormulaResult& result : *results) all.push_back(outcome_of(result.ending));
  EXPECT_THAT(all, ElementsAre(Outcome::kDone, Outcome::kTimeout, Outcome::kDone));
}

TEST_F(AnalystTest, Answer_WorkerMissing_ErrorNamesIt) {
  std::filesystem::remove(worker_);
  answer(store_analytic(1));
  ASSERT_TRUE(until_answered());
  ASSERT_FALSE(*answered_);
  EXPECT_EQ(answered_->error().message, worker_.string() + ": No such file or directory");
}

TEST_F(AnalystTest, RunWorker_NoEndInTime_KeepsWhatItPrinted) {
  answer_with("[ $context = 2 ] && exec sleep 600");
  const std::string questions = "\"context\":\"1\"\n\"context\":\"2\"\n";
  const auto run = run_worker(worker_, "--work", questions, seconds(2));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->signal || run->exit_code);
  EXPECT_THAT(lines_of(run->text, 2), SizeIs(1));
  EXPECT_EQ(how_it_ended(*run), "no answer in time");
}

TEST_F(AnalystTest, Recover_UnansweredAttempts_AreAnsweredOnce) {
  const auto queued = store_analytic(3);
  const auto timing = store_sweep({{{"model", "large"}}});
  restart_all();
  ASSERT_TRUE(dispatcher_->recover());
  EXPECT_EQ(dispatcher_->queued(), 1U);
  ASSERT_THAT(unanswered_, SizeIs(3));
  analyst_->begin(std::move(unanswered_));
  ASSERT_TRUE(until_ended(3));
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_EQ(count("figure"), 3);
  EXPECT_EQ(count("attempt"), 4);
}

TEST_F(AnalystTest, Answer_CancelledWhileAsked_StaysCancelled) {
  const auto queued = store_analytic(3);
  const auto cancel = [&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); };
  // The worker waits until the sweep was cancelled.
  answer_with("while [ ! -e '" + (folder_ / "go").string() + "' ]; do sleep 0.01; done");
  answer(queued);
  ASSERT_TRUE(until([&] { return std::filesystem::exists(folder_ / "questions"); }));
  ASSERT_TRUE(writer_->now(cancel));
  std::ofstream(folder_ / "go") << "";
  ASSERT_TRUE(until_answered());
  EXPECT_THAT(outcomes(queued), Each("cancelled"));
  EXPECT_EQ(count("figure"), 0);
  EXPECT_TRUE(ended_.empty());
}

TEST_F(AnalystTest, Answer_CancelledBefore_AsksNobody) {
  const auto queued = store_analytic(3);
  const auto cancel = [&](Store& store) { return store.cancel_sweep(sweep_, now_wall()); };
  ASSERT_TRUE(writer_->now(cancel));
  answer(queued);
  ASSERT_TRUE(until_answered());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "starts"));
  EXPECT_EQ(analyst_->pending(), 0U);
}

TEST_F(AnalystTest, Answer_DiskIsFull_StoresThemOnceItIsNot) {
  const auto queued = store_analytic(2);
  break_store();
  answer(queued);
  ASSERT_TRUE(until([&] { return !dispatcher_->trouble().empty(); }));
  EXPECT_THAT(dispatcher_->trouble(), HasSubstr("results cannot be stored"));
  EXPECT_THAT(outcomes(queued), Each("queued"));
  mend_store();
  ASSERT_TRUE(until_answered());
  EXPECT_THAT(outcomes(queued), Each("done"));
  EXPECT_EQ(dispatcher_->trouble(), "");
  EXPECT_EQ(written("starts"), "\n") << "the results were kept";
}

// A watcher's last message comes after the last end.
TEST_F(AnalystTest, IsStoring_StoredAndNotTold_True) {
  const auto queued = store_analytic(2);
  EXPECT_FALSE(analyst_->is_storing(keys_of(queued)));
  answer(queued);
  ASSERT_TRUE(until([&] { return analyst_->is_storing(keys_of(queued)); }));
  while (stored(queued[1]) != "done") std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(ended_.empty());
  EXPECT_TRUE(analyst_->is_storing(keys_of(queued)));
  ASSERT_TRUE(until_answered());
  EXPECT_THAT(ended_, SizeIs(2));
  EXPECT_FALSE(analyst_->is_storing(keys_of(queued)));
}

}  // namespace
}  // namespace sweepd
