// Tests that only results of the same code are reused, and the texts about the others.
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

class ReuseTest : public DbTest {
 protected:
  // A build in which the workload has this code.
  void build(const std::string& code) {
    catalog_.workloads.front().code = code;
    reopen();
  }
  // Submits one trial, ends its queued attempts as `done`, and returns the receipt.
  SubmitReceipt run(Reuse reuse = Reuse::kSame, std::int64_t at_s = 5) {
    NewSweep request = sweep("s", {{}});
    request.reuse = reuse;
    SubmitReceipt receipt = submit(request);
    for (const OpenAttempt& attempt : receipt.queued) {
      AttemptRecord record = done(attempt.row, 10, 20, WallTime{seconds(at_s).ns});
      record.environment->code = def().code;
      finish(record);
    }
    return receipt;
  }
  TrialStanding standing() {
    const NewTrial wanted = trial({});
    const auto all = reader_->standing(def(), {{&wanted.key, 1, &wanted.trial, &wanted.base_key}},
                                       {Pass::kTiming}, "id-of-alpha");
    EXPECT_TRUE(all) << all.error().message;
    return all ? all->at(0) : TrialStanding{};
  }
};

TEST_F(ReuseTest, OfTheSameCode) {
  build("aaaa");
  run();
  const SubmitReceipt again = run();
  EXPECT_EQ(again.attempts_reused, 1);
  EXPECT_EQ(again.changes.attempts, 0);
  EXPECT_EQ(standing().reused, 1);
}

TEST_F(ReuseTest, NotOfOtherCode) {
  build("aaaa");
  run(Reuse::kSame, 7);
  build("bbbb");
  EXPECT_EQ(standing().all_to_run(), 1);
  EXPECT_FALSE(standing().last) << "it did not fail";
  EXPECT_EQ(standing().changes.attempts, 1);
  EXPECT_THAT(standing().changes.what, ElementsAre("toy"));
  EXPECT_EQ(standing().changes.since->ns, seconds(7).ns);
  const SubmitReceipt again = run(Reuse::kSame, 9);
  EXPECT_EQ(again.attempts_queued, 1);
  EXPECT_EQ(again.changes.attempts, 1);
  EXPECT_THAT(again.changes.what, ElementsAre("toy"));
  EXPECT_EQ(again.changes.since->ns, seconds(7).ns);
  EXPECT_EQ(run().attempts_reused, 1) << "the new result counts from now on";
}

TEST_F(ReuseTest, NotOfCodeThatWasNotRecorded) {
  build("");
  run();
  build("bbbb");
  EXPECT_EQ(run().changes.attempts, 1);
}

TEST_F(ReuseTest, OfAnyCodeWhereItIsNotKnownNow) {
  build("aaaa");
  run();
  build("");
  EXPECT_EQ(run().attempts_reused, 1);
}

TEST_F(ReuseTest, OfAnyCodeOnRequest) {
  build("aaaa");
  run();
  build("bbbb");
  EXPECT_EQ(run(Reuse::kAny).attempts_reused, 1);
}

TEST_F(ReuseTest, OfNothingOnRequest) {
  build("aaaa");
  run();
  const SubmitReceipt again = run(Reuse::kNone);
  EXPECT_EQ(again.attempts_queued, 1);
  EXPECT_EQ(again.changes.attempts, 0) << "it was asked for";
}

TEST_F(ReuseTest, ASweepThatIsRetriedByNewCodeHasResultsOfTwo) {
  build("aaaa");
  const NewSweep request = sweep("s", {{}, {{"model", "large"}}});
  const SubmitReceipt receipt = submit(request);
  AttemptRecord first = done(receipt.queued[0].row, 10, 20);
  first.environment->code = "aaaa";
  finish(first);
  finish(ended(receipt.queued[1].row, {Crashed{11, std::nullopt, "step"}, 0}));
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).codes, 1);
  build("bbbb");
  const auto retried = store_->retry_sweep(request.id, {}, WallTime{});
  ASSERT_TRUE(retried);
  AttemptRecord second = done(retried->queued.at(0).row, 10, 20);
  second.environment->code = "bbbb";
  finish(second);
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).codes, 2);
}

TEST_F(ReuseTest, AResultThatCouldNotBeReplacedIsSaidToBeOld) {
  build("aaaa");
  const NewSweep request = sweep("s", {{}});
  const SubmitReceipt receipt = submit(request);
  finish(done(receipt.queued[0].row, 10, 20));
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).not_measured_again, 0);
  const auto retried = store_->retry_sweep(request.id, {"done"}, WallTime{});
  ASSERT_TRUE(retried);
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).not_measured_again, 0) << "still open";
  AttemptRecord again = ended(retried->queued.at(0).row, {Crashed{11, std::nullopt, "step"}, 0});
  again.ended = WallTime{9'000'000'000'000};
  finish(again);
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).not_measured_again, 1);
}

// `model` stands for the content of a program.
class ProgramTest : public ReuseTest {
 protected:
  void SetUp() override {
    ReuseTest::SetUp();
    const auto computed = def().index_of("model");
    ASSERT_TRUE(computed);
    catalog_.workloads.front().params[*computed].computed = true;
    reopen();
  }
  NewSweep of_model(const std::string& model, Reuse reuse, const char* repeats) const {
    NewSweep request = sweep("s", {{{"model", model}, {"repeats", repeats}}});
    request.reuse = reuse;
    request.trials[0].base_key = "the key without the model";
    return request;
  }
  SubmitReceipt submit_model(const std::string& model, Reuse reuse = Reuse::kSame,
                             const char* repeats = "1") {
    SubmitReceipt receipt = submit(of_model(model, reuse, repeats));
    for (const OpenAttempt& attempt : receipt.queued) finish(done(attempt.row, 10, 20));
    return receipt;
  }
};

TEST_F(ProgramTest, AnotherIsAnotherTrialWhoseOlderResultIsFound) {
  EXPECT_EQ(submit_model("large").changes.attempts, 0);
  const SubmitReceipt changed = submit_model("xl");
  EXPECT_EQ(changed.attempts_queued, 1);
  EXPECT_EQ(changed.changes.attempts, 1);
  EXPECT_THAT(changed.changes.what, ElementsAre("the program")) << "a code without parts";
  EXPECT_EQ(submit_model("large").attempts_reused, 1);
}

TEST_F(ProgramTest, AnOlderOneIsReusedOnRequest) {
  submit_model("large");
  const NewSweep request = of_model("xl", Reuse::kAny, "1");
  const SubmitReceipt receipt = submit(request);
  EXPECT_EQ(receipt.attempts_reused, 1);
  EXPECT_EQ(receipt.attempts_queued, 0);
  EXPECT_EQ(reader_->progress(request.id)->of(Outcome::kDone), 1);
  QuerySpec query;
  query.sweep = request.id;
  query.table.rows = {"model"};
  const auto results = reader_->results(query, false);
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_THAT(results->dimensions.at(0).values, ElementsAre("large")) << "what was measured";
  const auto ran = reader_->ran_in_sweep(request.id, def());
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->older_programs, 1);
  EXPECT_THAT(ran->changed, ElementsAre("the program"));
  const auto details = reader_->attempt_details(1, false);
  ASSERT_TRUE(details);
  std::vector<std::string> how;
  for (const Table& table : *details) {
    if (table.title != "Sweeps") continue;
    for (const auto& row : table.rows) how.push_back(row.back().text);
  }
  EXPECT_THAT(how, ElementsAre("queued", "reused (of an older program)"));
}

TEST_F(ProgramTest, ItsOwnResultComesFirst) {
  submit_model("xl");
  submit_model("large");
  const NewSweep request = of_model("xl", Reuse::kAny, "1");
  EXPECT_EQ(submit(request).attempts_reused, 1);
  EXPECT_EQ(reader_->ran_in_sweep(request.id, def())->older_programs, 0);
}

TEST_F(ProgramTest, OneThatAnswersForAHalfIsNotReused) {
  submit_model("large", Reuse::kSame, "2");
  EXPECT_EQ(submit_model("xl", Reuse::kAny, "3").attempts_queued, 3);
  EXPECT_EQ(submit_model("small", Reuse::kAny, "3").attempts_reused, 3) << "the one of three";
}

TEST_F(ProgramTest, OneThatFailedIsNotReused) {
  const auto queued = submit(of_model("large", Reuse::kSame, "1")).queued;
  finish(ended(queued.at(0).row, {Crashed{11, std::nullopt, "step"}, 0}));
  const NewSweep request = of_model("xl", Reuse::kAny, "1");
  EXPECT_EQ(submit(request).attempts_queued, 1);
  EXPECT_EQ(reader_->ran_in_sweep(request.id, def())->older_programs, 0);
}

TEST_F(ProgramTest, ATrialIsInASweepOnce) {
  submit_model("large");
  NewSweep request = sweep("s", {{{"model", "xl"}}, {{"model", "large"}}});
  request.reuse = Reuse::kAny;
  request.trials[0].base_key = "the key without the model";
  const SubmitReceipt receipt = submit(request);
  EXPECT_EQ(receipt.attempts_reused, 1);
  EXPECT_EQ(receipt.attempts_queued, 1) << "its own program is another point";
}

TEST_F(ProgramTest, NoneIsReusedWithoutRequest) {
  submit_model("large");
  const NewSweep request = of_model("xl", Reuse::kSame, "1");
  EXPECT_EQ(submit(request).attempts_queued, 1);
  EXPECT_EQ(reader_->ran_in_sweep(request.id, def())->older_programs, 0);
}

}  // namespace
}  // namespace sweepd
