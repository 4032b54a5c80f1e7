// Tests that only results of the same machine are reused, and the texts about the others.
#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class MachineTest : public ResultsTest {
 protected:
  static MachineIds driver(const std::string& version) {
    return {{"cccccccccccc", "CPU=X; cores=4"}, {"m" + version, "CPU=X; driver=" + version}};
  }
  NewSweep wanted(const MachineIds& machines, const std::string& device, Reuse reuse) const {
    NewSweep request = sweep("s", {{{"device", device}, {"context", "1"}}});
    request.machines = machines;
    request.reuse = reuse;
    return request;
  }
  // Submits a trial, ends its queued attempts as `done`, and returns the receipt.
  SubmitReceipt run(const MachineIds& machines, const std::string& device = "cuda",
                    Reuse reuse = Reuse::kSame) {
    const SubmitReceipt receipt = submit(wanted(machines, device, reuse));
    for (const OpenAttempt& attempt : receipt.queued) finish(on(machines.of(device), attempt));
    return receipt;
  }
  AttemptRecord on(const MachineId& machine, const OpenAttempt& attempt, double forward = 10) {
    AttemptRecord record = done(attempt.row, forward, 0, WallTime{seconds(++at_s_).ns});
    record.environment->machine = machine.hash;
    record.environment->machine_facts = machine.facts;
    return record;
  }
  TrialStanding standing(const MachineIds& machines) {
    const NewTrial one = trial({{"device", "cuda"}, {"context", "1"}});
    const auto all = reader_->standing(def(), {{&one.key, 1, &one.trial, &one.base_key}},
                                       {Pass::kTiming}, "id-of-alpha", machines);
    EXPECT_TRUE(all) << all.error().message;
    return all ? all->at(0) : TrialStanding{};
  }
  std::int64_t at_s_ = 100;
};

TEST_F(MachineTest, TheSameIsReused) {
  run(driver("550.54"));
  EXPECT_EQ(run(driver("550.54")).attempts_reused, 1);
  EXPECT_EQ(standing(driver("550.54")).reused, 1);
}

TEST_F(MachineTest, AnotherIsMeasuredAgainAndNamed) {
  run(driver("550.54"));
  const TrialStanding planned = standing(driver("570.1"));
  EXPECT_EQ(planned.all_to_run(), 1);
  EXPECT_EQ(planned.changes.attempts, 1);
  EXPECT_THAT(planned.changes.what, ElementsAre("the driver"));
  EXPECT_THAT(planned.changes.how, ElementsAre("550.54 → 570.1"));
  const SubmitReceipt again = run(driver("570.1"));
  EXPECT_EQ(again.attempts_queued, 1);
  EXPECT_EQ(again.changes.attempts, 1);
  EXPECT_THAT(again.changes.what, ElementsAre("the driver"));
  EXPECT_THAT(again.changes.how, ElementsAre("550.54 → 570.1"));
}

TEST_F(MachineTest, ADriverDoesNotSplitResultsOfTheCpu) {
  run(driver("550.54"), "cpu");
  EXPECT_EQ(run(driver("570.1"), "cpu").attempts_reused, 1);
}

TEST_F(MachineTest, AnUnknownOneIsEqualToAll) {
  run(MachineIds{});
  EXPECT_EQ(run(driver("550.54")).attempts_reused, 1) << "a result from before";
  EXPECT_EQ(standing(driver("550.54")).reused, 1);
}

TEST_F(MachineTest, NothingIsKnownWhileNoGpuAnswers) {
  run(driver("550.54"));
  EXPECT_EQ(run(MachineIds{}).attempts_reused, 1);
}

TEST_F(MachineTest, AnyIsReusedOnRequest) {
  run(driver("550.54"));
  EXPECT_EQ(run(driver("570.1"), "cuda", Reuse::kAny).attempts_reused, 1);
}

TEST_F(MachineTest, CodeAndMachineAreNamedTogether) {
  run(driver("550.54"));
  catalog_.workloads.front().code = "bbbb";
  reopen();
  EXPECT_THAT(run(driver("570.1")).changes.what, ElementsAre("the driver", "toy"));
}

TEST_F(MachineTest, AnotherProgramIsNotNamedWhereTheMachineAloneChanged) {
  catalog_.workloads.front().params[*def().index_of("model")].computed = true;
  reopen();
  const auto run_model = [this](const char* model, const MachineIds& machines) {
    NewSweep request = sweep("s", {{{"device", "cuda"}, {"model", model}}});
    request.machines = machines;
    request.trials[0].base_key = "the key without the model";
    const SubmitReceipt receipt = submit(request);
    for (const OpenAttempt& attempt : receipt.queued) finish(on(machines.cuda, attempt));
    return receipt.changes.what;
  };
  run_model("large", driver("550.54"));
  run_model("xl", driver("550.54"));
  EXPECT_THAT(run_model("large", driver("570.1")), ElementsAre("the driver"));
}

TEST_F(MachineTest, ARetryTakesNoResultOfAnother) {
  const auto retry_after_two = [this](const MachineIds& machines) {
    const NewSweep request = wanted(driver("550.54"), "cuda", Reuse::kNone);
    finish(on(driver("550.54").cuda, submit(request).queued.at(0)));
    run(driver("550.54"), "cuda", Reuse::kNone);
    const auto retried = store_->retry_sweep(request.id, {"done"}, WallTime{}, machines);
    EXPECT_TRUE(retried);
    for (const OpenAttempt& attempt : retried->queued) finish(on(machines.cuda, attempt));
    return retried->attempts_reused;
  };
  EXPECT_EQ(retry_after_two(driver("550.54")), 1) << "the newer one";
  EXPECT_EQ(retry_after_two(driver("570.1")), 0);
}

TEST_F(MachineTest, IsANameInQueries) {
  run(driver("550.54"));
  const SubmitReceipt second = submit(wanted(driver("570.1"), "cuda", Reuse::kSame));
  finish(on(driver("570.1").cuda, second.queued.at(0), 20));
  const auto rows = [this](QuerySpec query) {
    query.table.where.push_back({"phase", {"forward"}});
    return lines(ask(std::move(query)));
  };
  EXPECT_THAT(rows(by({"context"})), ElementsAre("1 done 20")) << "the newest counts";
  EXPECT_THAT(rows(by({"machine"})),
              testing::UnorderedElementsAre("m550.54 done 10", "m570.1 done 20"));
  EXPECT_THAT(rows(by({"context"}, {}, {{"machine", {"m550"}}})), ElementsAre("1 done 10"));
  EXPECT_THAT(refusal(by({"context"}, {}, {{"machine", {"ffff"}}})),
              HasSubstr("machine: no result has `ffff`; there are m550.54, m570.1"));
}

TEST_F(MachineTest, ASweepOfSeveralIsSeen) {
  NewSweep request = sweep("s", {{{"device", "cuda"}}, {{"device", "cpu"}}});
  const auto queued = submit(request).queued;
  AttemptRecord gpu = on(driver("550.54").cuda, queued.at(0));
  gpu.environment->devices[0].kind = "cuda";
  finish(gpu);
  finish(on(driver("550.54").cpu, queued.at(1)));
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).machines, 1) << "one host, two devices";
}

TEST_F(MachineTest, ASweepHalfOfWhichWasMeasuredAgainIsOfTwo) {
  NewSweep request = sweep("s", {{{"device", "cuda"}}, {{"device", "cuda"}, {"context", "2"}}});
  const auto queued = submit(request).queued;
  finish(on(driver("550.54").cuda, queued.at(0)));
  finish(on(driver("570.1").cuda, queued.at(1)));
  EXPECT_EQ((*reader_->ran_in_sweep(request.id, def())).machines, 2);
}

TEST_F(MachineTest, IsShownWithItsAttempt) {
  run(driver("550.54"));
  const auto tables = reader_->attempt_details(1, false);
  ASSERT_TRUE(tables);
  std::string all;
  for (const Table& table : *tables) {
    for (const auto& row : table.rows) {
      for (const auto& cell : row) all += cell.text + "|";
    }
  }
  EXPECT_THAT(all, HasSubstr("machine|m550.54|of the machine|CPU=X; driver=550.54|"));
}

}  // namespace
}  // namespace sweepd
