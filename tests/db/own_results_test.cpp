// Tests that a sweep keeps its own results when other sweeps measure its points again.
#include "db/query/planning/own_results.h"

#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class OwnResults : public ResultsTest {
 protected:
  // Submits a sweep of the one point; without `again` it reuses existing results.
  NewSweep wanted(const std::string& name, Reuse reuse = Reuse::kNone) {
    NewSweep request = sweep(name, {{{"context", "1"}}});
    request.reuse = reuse;
    request.submitted = WallTime{seconds(++now_s_).ns};
    return request;
  }
  WallTime later() { return WallTime{seconds(++now_s_).ns}; }
  AttemptRecord ran(const OpenAttempt& attempt, double ms, const std::string& code = "",
                    const std::string& host = "") {
    AttemptRecord record = done(attempt.row, ms, 0, later());
    record.environment->code = code;
    if (!host.empty()) record.environment->host = host_named(host);
    return record;
  }
  // Measures the point again, in `ms`. Returns the sweep.
  SweepId measured(const std::string& name, double ms, const std::string& code = "",
                   const std::string& host = "") {
    const NewSweep request = wanted(name);
    finish(ran(submit(request).queued.at(0), ms, code, host));
    return request.id;
  }
  SweepId reusing(const std::string& name) {
    const NewSweep request = wanted(name, Reuse::kAny);
    EXPECT_EQ(submit(request).attempts_reused, 1);
    return request.id;
  }
  SweepId failing(const std::string& name) {
    const NewSweep request = wanted(name);
    finish(ended(submit(request).queued.at(0).row, {Failed{"no", ""}, 0}, later()));
    return request.id;
  }
  void retry(const SweepId& sweep, const std::vector<std::string>& which, double ms) {
    const auto receipt = store_->retry_sweep(sweep, which, later());
    ASSERT_TRUE(receipt) << receipt.error().message;
    finish(ran(receipt->queued.at(0), ms));
  }

  enum class Which { kOwn, kNewest };
  std::vector<std::string> shown(const SweepId& sweep, QuerySpec query, Which which = Which::kOwn) {
    query.sweep = sweep;
    query.newest = which == Which::kNewest;
    query.table.where.push_back({"phase", {"forward"}});
    return lines(ask(std::move(query)));
  }
  std::vector<std::string> shown(const SweepId& sweep, Which which = Which::kOwn) {
    return shown(sweep, by({"context"}), which);
  }
  RanInSweep ran_in(const SweepId& sweep) {
    auto ran = reader_->ran_in_sweep(sweep, def());
    EXPECT_TRUE(ran) << ran.error().message;
    return ran ? *ran : RanInSweep{};
  }

 private:
  std::int64_t now_s_ = 100;
};

TEST_F(OwnResults, StayWhenThePointIsMeasuredAgain) {
  const SweepId first = measured("s", 10);
  EXPECT_EQ(ran_in(first).measured_later, 0);
  const SweepId second = measured("s", 20), another = measured("another", 30);
  EXPECT_THAT(shown(first), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(second), ElementsAre("1 done 20"));
  EXPECT_THAT(shown(another), ElementsAre("1 done 30"));
  EXPECT_THAT(shown(first, Which::kNewest), ElementsAre("1 done 30"));
  EXPECT_EQ(ran_in(first).measured_later, 1);
  EXPECT_EQ(ran_in(another).measured_later, 0);
}

TEST_F(OwnResults, AreThoseThatItReusedOrJoined) {
  measured("s", 10);
  const SweepId reused = reusing("reused");
  const NewSweep again = wanted("again");
  const OpenAttempt open = submit(again).queued.at(0);
  const NewSweep joined = wanted("joined", Reuse::kAny);
  EXPECT_EQ(submit(joined).attempts_joined, 1);
  finish(ran(open, 20));
  measured("last", 30);
  EXPECT_THAT(shown(reused), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(joined.id), ElementsAre("1 done 20"));
}

TEST_F(OwnResults, StayWhenTheSweepIsDeletedThatMeasuredThem) {
  const SweepId first = measured("s", 10), second = reusing("second"), third = measured("s", 20);
  ASSERT_TRUE(store_->delete_sweeps({first}, Store::Deletion::kForReal));
  EXPECT_THAT(shown(second), ElementsAre("1 done 10"));
  ASSERT_TRUE(store_->delete_sweeps({third}, Store::Deletion::kForReal));
  EXPECT_THAT(shown(second), ElementsAre("1 done 10"));
}

// Its figure is the one that it had when its attempt failed.
TEST_F(OwnResults, OfAFailedAttemptIsTheResultFromBefore) {
  const SweepId alone = failing("alone");
  EXPECT_EQ(ran_in(alone).measured_later, 0);
  measured("s", 10);
  const SweepId failed = failing("again");
  EXPECT_THAT(shown(failed), ElementsAre("1 done 10"));
  EXPECT_EQ(ran_in(failed).not_measured_again, 1);
  EXPECT_EQ(ran_in(failed).measured_later, 0);
  measured("s", 20);
  EXPECT_THAT(shown(failed), ElementsAre("1 done 10"));
  EXPECT_EQ(ran_in(failed).not_measured_again, 1);
  EXPECT_EQ(ran_in(failed).measured_later, 1);
  EXPECT_THAT(shown(alone), ElementsAre("1 failed")) << "there was none before";
  EXPECT_THAT(shown(alone, Which::kNewest), ElementsAre("1 done 20"));
  EXPECT_EQ(ran_in(alone).not_measured_again, 0);
  EXPECT_EQ(ran_in(alone).measured_later, 1);
}

TEST_F(OwnResults, OfACancelledSweepIsTheResultFromBefore) {
  const NewSweep unmeasured = wanted("unmeasured");
  submit(unmeasured);
  ASSERT_TRUE(store_->cancel_sweep(unmeasured.id, later()));
  measured("s", 10);
  const NewSweep cancelled = wanted("cancelled");
  submit(cancelled);
  ASSERT_TRUE(store_->cancel_sweep(cancelled.id, later()));
  measured("s", 20);
  EXPECT_THAT(shown(cancelled.id), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(unmeasured.id), ElementsAre("1 cancelled"));
}

TEST_F(OwnResults, WhileAnAttemptIsOpenAreTheNewest) {
  measured("s", 10);
  const NewSweep running = wanted("running");
  const OpenAttempt open = submit(running).queued.at(0);
  EXPECT_THAT(shown(running.id), ElementsAre("1 done 10"));
  finish(ran(open, 20));
  EXPECT_THAT(shown(running.id), ElementsAre("1 done 20"));
}

TEST_F(OwnResults, AfterARetryAreThoseOfTheRetry) {
  const SweepId sweep = measured("s", 10);
  retry(sweep, {"done"}, 30);
  const SweepId other = measured("s", 20);
  EXPECT_THAT(shown(sweep), ElementsAre("1 done 30"));
  EXPECT_THAT(shown(other), ElementsAre("1 done 20"));
}

TEST_F(OwnResults, OfAProgramThatIsAskedForComeBeforeNewerOnes) {
  const SweepId first = measured("s", 10, "aaaa"), second = measured("s", 20, "aaaa");
  measured("s", 30, "bbbb");
  measured("s", 40, "bbbb");
  const auto of_code = [&](const SweepId& sweep, const char* code) {
    return shown(sweep, by({"context"}, {}, {{"code", {code}}}));
  };
  EXPECT_THAT(of_code(first, "aaaa"), ElementsAre("1 done 10"));
  EXPECT_THAT(of_code(second, "aaaa"), ElementsAre("1 done 20"));
  EXPECT_THAT(of_code(first, "bbbb"), ElementsAre("1 done 40")) << "the sweep itself has none";
  EXPECT_THAT(shown(first, by({"code"})), ElementsAre("aaaa done 10"));
  EXPECT_THAT(shown(first, by({"code"}), Which::kNewest),
              UnorderedElementsAre("aaaa done 20", "bbbb done 40"));
}

TEST_F(OwnResults, OfAnotherHostAreShownIfItIsAskedFor) {
  const SweepId sweep = measured("s", 10);
  measured("s", 20);
  measured("s", 30, "", "beta");
  EXPECT_THAT(shown(sweep), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(sweep, by({"host"})), ElementsAre("alpha done 10"));
  const auto on = [&](const char* host) {
    return shown(sweep, by({"context"}, {}, {{"host", {host}}}));
  };
  EXPECT_THAT(on("alpha"), ElementsAre("1 done 10"));
  EXPECT_THAT(on("beta"), ElementsAre("1 done 30"));
  EXPECT_THAT(shown(sweep, by({"host"}), Which::kNewest),
              UnorderedElementsAre("alpha done 20", "beta done 30"));
}

TEST_F(OwnResults, OfSeveralSweepsAreBesideEachOther) {
  measured("first", 10);
  measured("second", 20);
  EXPECT_THAT(shown("", by({"sweep"})), UnorderedElementsAre("first done 10", "second done 20"));
}

// The ranks of a program that changed meet, but those of before did not.
TEST_F(OwnResults, SayWhetherTheirRanksMet) {
  NewSweep request = sweep("s", {{{"world_size", "2"}}});
  request.reuse = Reuse::kNone;
  finish(ran(submit(request).queued.at(0), 10));
  NewSweep again = request;
  again.id = random_id();
  AttemptRecord met = ran(submit(again).queued.at(0), 20);
  met.samples.push_back({0, 0, "setup", "rendezvous_time", 1, false});
  met.summaries = summarize_samples(met.samples);
  finish(met);
  QuerySpec query;
  query.sweep = request.id;
  EXPECT_TRUE(reader_->ranks_seen(query)->apart);
  query.newest = true;
  EXPECT_FALSE(reader_->ranks_seen(query)->apart);
  query.sweep = again.id;
  query.newest = false;
  EXPECT_FALSE(reader_->ranks_seen(query)->apart);
}

// The folders of attempts record for which sweep they ran, but not which sweep reused them.
TEST_F(OwnResults, OfARecoveredDatabaseAreThoseOfTheTime) {
  const NewSweep first = wanted("first");
  const WallTime first_ended = later();
  const NewSweep reused = wanted("reused"), joined = wanted("joined"), third = wanted("third");
  for (const NewSweep* request : {&first, &reused, &joined, &third}) {
    ASSERT_TRUE(store_->restore_sweep(*request, def(), ""));
  }
  const auto restore = [&](const NewSweep& request, double ms, WallTime when) {
    OpenAttempt attempt;
    attempt.id = random_id();
    attempt.trial_key = request.trials[0].key;
    attempt.trial = request.trials[0].trial;
    const auto row = store_->restore_attempt(attempt, "", request.id, def());
    ASSERT_TRUE(row) << row.error().message;
    finish(done(*row, ms, 0, when));
  };
  restore(first, 10, first_ended);
  restore(third, 20, later());
  NewSweep early = joined;  // submitted before anything was done
  early.submitted = WallTime{1};
  for (const NewSweep* request :
       std::initializer_list<const NewSweep*>{&first, &reused, &early, &third}) {
    const auto left = store_->restore_answers(*request, def());
    ASSERT_TRUE(left) << left.error().message;
    EXPECT_THAT(left->queued, IsEmpty());
  }
  EXPECT_THAT(shown(reused.id), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(joined.id), ElementsAre("1 done 10"));
  EXPECT_THAT(shown(third.id), ElementsAre("1 done 20"));
}

}  // namespace
}  // namespace sweepd
