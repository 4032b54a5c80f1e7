// Tests the way from a journal to the verdict in the database and to the device's measured peak.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "runner/daemon/attempts/judge_attempt.h"
#include "tests/daemon/dispatcher_story.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A worker's journal of two steps whose forward has that many FLOP.
struct Told {
  std::string device = "NVIDIA H200";
  double forward_flops = 1e12;
  double forward_ms = 2;
  Pass pass = Pass::kTiming;
  double cores_lost = 0;
  bool exposed = false;  // a launch of `launch: ahead` that was not
  std::function<bool(const Event&)> lost = [](const Event&) { return false; };
};

class JudgementTest : public DispatcherStory {
 protected:
  static Event state(const std::string& moment, double cores_lost = 0) {
    StateEvent event;
    event.record.moment = moment;
    event.record.cores_lost_to_others = cores_lost;
    return event;
  }
  static std::vector<Event> events_of(const Told& told) {
    WorkEvent work;
    work.work.arithmetic = "bf16";
    work.work.phases = {{"forward", told.forward_flops, 0}};
    EnvironmentEvent environment;
    environment.environment.devices.resize(1);
    environment.environment.devices[0].kind = "cuda";
    environment.environment.devices[0].name = told.device;
    std::vector<Event> events{StartedEvent{4242, {1}}, work, environment, state("before")};
    for (const std::int64_t number : {0, 1}) {
      events.push_back(StepEvent{number,
                                 false,
                                 {{0, number, "forward", "time", told.forward_ms, false},
                                  {0, number, "step", "time", told.forward_ms, false},
                                  {0, number, "step", "exposed_launch_share",
                                   told.exposed && number == 1 ? 1.0 : 0.0, false}}});
    }
    events.push_back(state("after", told.cores_lost));
    EndEvent end{{Done{"fixed_steps"}, 0}, {9}};
    end.lines = static_cast<std::int64_t>(events.size());
    end.steps = 2;
    events.push_back(end);
    return events;
  }
  // Returns the verdict in the database after a rank has written this.
  std::string verdict_of(const Told& told) {
    NewSweep request = sweep("s", {{{"context", std::to_string(++context_)}}});
    request.sweep.passes = {told.pass};
    const auto queued = writer_->now([&](Store&) { return submit(request).queued; });
    dispatcher_->enqueue(queued);
    EXPECT_TRUE(until_started(executor_.started.size() + 1));
    std::vector<Event> events = events_of(told);
    std::erase_if(events, told.lost);
    write_events(folder_of(queued[0]), 0, events);
    executor_.end(0, {std::nullopt, 0});
    EXPECT_TRUE(until_ended(ended_.size() + 1));
    reasons_ = texts("SELECT reason FROM attempt_reason WHERE attempt = ?", queued[0].row);
    const std::string verdict = "SELECT coalesce(verdict, '-') FROM attempt WHERE row = ?";
    return texts(verdict, queued[0].row).at(0);
  }
  std::vector<std::string> texts(const std::string& sql, std::int64_t row) const {
    Connection database(file(), Access::kReadOnly);
    Query query(database, sql);
    query.bind(row);
    std::vector<std::string> texts;
    while (query.next()) texts.push_back(query.text(0));
    return texts;
  }

  int context_ = 0;
  std::vector<std::string> reasons_;
};

TEST_F(JudgementTest, ACompleteJournalOfAPossibleRateIsValid) {
  EXPECT_EQ(verdict_of({}), "valid");
  EXPECT_THAT(reasons_, IsEmpty());
}

TEST_F(JudgementTest, ARateAboveTheDevicesIsInvalid) {
  EXPECT_EQ(verdict_of({.forward_flops = 4e12}), "invalid");
  EXPECT_THAT(reasons_, ElementsAre(HasSubstr("above the device's dense bf16 peak")));
  EXPECT_EQ(verdict_of({.device = "GPU of next year", .forward_flops = 4e12}), "valid");
}

TEST_F(JudgementTest, AnExposedLaunchIsSuspect) {
  EXPECT_EQ(verdict_of({.exposed = true}), "suspect");
  EXPECT_THAT(reasons_, ElementsAre(HasSubstr("the device began 1 of 2 steps before the host")));
}

TEST_F(JudgementTest, AProfileBesideOthersIsSuspectAsATimingIs) {
  for (const Pass pass : {Pass::kTiming, Pass::kProfile}) {
    EXPECT_EQ(verdict_of({.pass = pass, .cores_lost = 0.9}), "suspect");
    EXPECT_THAT(reasons_, testing::Contains(HasSubstr("other processes kept 0.9 of")));
  }
  verdict_of({.pass = Pass::kMemory, .cores_lost = 0.9});
  EXPECT_THAT(reasons_, IsEmpty()) << "a size does not depend on them";
}

TEST_F(JudgementTest, TimesThatAreNoneAreInvalid) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const double ms : {std::nan(""), kInf, -kInf, -1.0, 0.0}) {
    EXPECT_EQ(verdict_of({.forward_ms = ms}), "invalid") << ms;
    EXPECT_THAT(reasons_, testing::Contains(HasSubstr("are not valid times"))) << ms;
  }
}

TEST_F(JudgementTest, AnIncompleteJournalSaysWhatItLacks) {
  const auto is = [](auto kind) {
    using Kind = decltype(kind);
    return [](const Event& event) { return std::holds_alternative<Kind>(event); };
  };
  const auto lost_step = [](const Event& event) {
    const auto* step = std::get_if<StepEvent>(&event);
    return step != nullptr && step->step == 0;
  };
  EXPECT_EQ(verdict_of({.lost = lost_step}), "invalid");
  EXPECT_THAT(reasons_, ElementsAre(HasSubstr("1 lines of steps, but 2 were written: step 0")));
  EXPECT_EQ(verdict_of({.lost = is(EnvironmentEvent{})}), "suspect");
  EXPECT_THAT(reasons_, ElementsAre("the journal holds 6 lines, but 7 were written",
                                    "the journal lacks its environment"));
  EXPECT_EQ(verdict_of({.lost = is(WorkEvent{})}), "suspect");
  EXPECT_EQ(verdict_of({.lost = is(StateEvent{})}), "suspect");
}

// A rank's CPU that ran a ruler of its arithmetic, judged as valid unless set otherwise.
class MeasuredPeak : public DbTest {
 protected:
  static DeviceInfo cpu() {
    DeviceInfo device;
    device.kind = "cpu";
    device.name = "Test CPU";
    device.uuid = "id-of-alpha";
    return device;
  }
  struct Run {
    Ruler ruler = Ruler::kArithmetic;
    double gflop = 0, gflop_per_s = 0;
    Verdict verdict = Verdict::kValid;
  };
  void run(const Run& run) {
    OpenAttempt attempt;
    attempt.row = row_;
    AttemptRecord record;
    record.row = row_;
    record.ending = {Done{"fixed_steps"}, 0};
    record.environment.emplace();
    record.environment->devices = {cpu()};
    record.work.emplace();
    record.work->ruler = run.ruler;
    record.work->phases = {{"step", run.gflop * 1e9, 0}};
    const double ms = run.gflop / run.gflop_per_s * 1e3;
    record.summaries = {{"step", "time", {10, ms, 0, ms, ms, ms, ms, ms, 0}}};
    record.judgement.verdict = run.verdict;
    record_measured_peak(*store_, attempt, record);
  }
  // Returns GFLOP/s; 0 if unknown.
  double peak() {
    const auto peak = store_->measured_peak(cpu(), "fp32");
    EXPECT_TRUE(peak);
    return *peak ? std::round((*peak)->flops_per_s / 1e9) : 0;
  }
  void SetUp() override {
    DbTest::SetUp();
    row_ = submit(sweep("s", {{{"context", "1"}}})).queued.at(0).row;
  }
  std::int64_t row_ = 0;
};

constexpr double kLarge = 2.2;     // GFLOP: 2 * 1024^3 and a little
constexpr double kSmall = 0.0042;  // 2 * 128^3

TEST_F(MeasuredPeak, IsSetByValidRunsOfLargeSizesAlone) {
  run({.gflop = kLarge, .gflop_per_s = 0.1, .verdict = Verdict::kSuspect});
  run({.gflop = kLarge, .gflop_per_s = 900, .verdict = Verdict::kInvalid});
  EXPECT_EQ(peak(), 0);
  run({.gflop = kSmall, .gflop_per_s = 20});
  run({.ruler = Ruler::kNone, .gflop = kLarge, .gflop_per_s = 30});
  EXPECT_EQ(peak(), 0);
  run({.gflop = kLarge, .gflop_per_s = 100});
  EXPECT_EQ(peak(), 100);
  run({.gflop = kLarge, .gflop_per_s = 90});
  EXPECT_EQ(peak(), 100);
}

// Otherwise a measured share of the peak could be above 1.
TEST_F(MeasuredPeak, IsRaisedByWhateverWasFasterBeforeOrAfter) {
  run({.ruler = Ruler::kNone, .gflop = 1, .gflop_per_s = 120});
  run({.gflop = kLarge, .gflop_per_s = 100});
  EXPECT_EQ(peak(), 120);
  run({.gflop = kSmall, .gflop_per_s = 130});
  EXPECT_EQ(peak(), 130);
  run({.ruler = Ruler::kNone, .gflop = 1, .gflop_per_s = 500, .verdict = Verdict::kSuspect});
  EXPECT_EQ(peak(), 130);
}

// On a fresh host the small sizes of device_limits.yaml come first. Their rates must not make
// larger ones invalid.
TEST_F(MeasuredPeak, ConvictsNobody) {
  run({.gflop = kLarge, .gflop_per_s = 1});
  OpenAttempt attempt;
  AttemptRecord record;
  record.ending = {Done{"fixed_steps"}, 0};
  record.environment.emplace();
  record.environment->devices = {cpu()};
  record.environment->host.cores = 2;
  record.work.emplace();
  record.work->phases = {{"step", 1e9, 0}};
  record.summaries = {{"step", "time", {10, 2, 0, 2, 2, 2, 2, 2, 0}}};  // 500 GFLOP/s
  EXPECT_EQ(judge_attempt(*store_, attempt, record, 1).verdict, Verdict::kValid);
  record.summaries = {{"step", "time", {10, 1, 0, 1, 1, 1, 1, 1, 0}}};  // too fast for two cores
  EXPECT_EQ(judge_attempt(*store_, attempt, record, 1).verdict, Verdict::kInvalid);
}

}  // namespace
}  // namespace sweepd
