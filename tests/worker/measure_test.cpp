#include "runner/worker/passes/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/worker/fake_device.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MeasureTest : public ::testing::Test {
 protected:
  TimingSummary measure(ScriptedWorkload::Step step, TimingSettings plan, Gang* others = nullptr) {
    ScriptedWorkload workload(std::move(step));
    workload.others = others;
    TimingHooks hooks;
    hooks.on_step = [&](StepEvent event) { events.push_back(std::move(event)); };
    hooks.before_measured = [&] { warmup_steps_when_called = events.size(); };
    hooks.now = [&] { return device.now(); };
    return measure_timing(workload, device, phases, plan, progress, hooks);
  }
  std::string error_of(ScriptedWorkload::Step step) {
    try {
      measure(std::move(step), {0, {1, 0, {}, {}}});
    } catch (const std::exception& e) {
      return e.what();
    }
    return "no error";
  }
  // Returns "forward time 3", for example.
  static std::vector<std::string> texts(const StepEvent& event) {
    std::vector<std::string> texts;
    for (const Sample& sample : event.samples) {
      texts.push_back(sample.phase + " " + sample.metric + " " + to_text(sample.value));
    }
    return texts;
  }

  FakeDevice device;
  PhaseNames phases{{"forward", "backward", "optimizer"}};
  AttemptProgress progress;
  std::vector<StepEvent> events;
  std::size_t warmup_steps_when_called = 99;
};

constexpr TimingSettings kOneStep{0, {1, 0, {}, {}}};

TEST_F(MeasureTest, AWorkloadCannotReplaceAFigureOfSweepd) {
  const auto error_with = [&](const char* metric) -> std::string {
    ScriptedWorkload workload([](std::int64_t, Phases&) {});
    workload.adds = {{"step", metric}};
    TimingHooks hooks;
    hooks.on_step = [](const StepEvent&) {};
    hooks.now = [&] { return device.now(); };
    try {
      measure_timing(workload, device, phases, kOneStep, progress, hooks);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error_with("loss"), "");
  EXPECT_THAT(error_with("time"), HasSubstr("after_step adds the metric `time` of `step`"));
  EXPECT_THAT(error_with("host_time"), HasSubstr("`host_time`"));
  EXPECT_THAT(error_with(""), HasSubstr("adds the metric `` of `step`"));
}

// Another rank takes 10 ms for each step.
class SlowerRank : public Gang {
 public:
  void barrier() override {}
  double largest(double mine) override { return std::max(mine, 10.0); }
};

// All ranks must decide alike, or the last one waits for ever.
TEST_F(MeasureTest, TheSlowestRanksTimeDecidesWhenToStop) {
  SlowerRank others;
  const auto summary = measure([&](std::int64_t, Phases&) { device.host(3); }, kOneStep, &others);
  EXPECT_DOUBLE_EQ(summary.mean_ms, 10);
}

TEST_F(MeasureTest, PhasesAreTimedOnTheStreamAndTheStepByTheHostAfterASynchronise) {
  measure(
      [&](std::int64_t, Phases& p) {
        p.enter("forward");
        device.enqueue(3);
        device.host(0.5);  // launching overlaps with the stream
        p.enter("backward");
        device.enqueue(6);
        device.host(0.5);
      },
      kOneStep);
  EXPECT_THAT(texts(events.at(0)),
              ElementsAre("forward time 3", "backward time 6", "step time 9", "step host_time 9"));
}

TEST_F(MeasureTest, APhaseEnteredTwiceAddsUp) {
  measure(
      [&](std::int64_t, Phases& p) {
        for (const double ms : {1.0, 4.0}) {
          p.enter("forward");
          device.enqueue(ms);
          p.enter("backward");
          device.enqueue(10 * ms);
        }
      },
      kOneStep);
  EXPECT_THAT(texts(events.at(0)), ElementsAre("forward time 5", "backward time 50", "step time 55",
                                               "step host_time 55"));
}

TEST_F(MeasureTest, TimeBeforeTheFirstPhaseIsTheStepsAlone) {
  measure(
      [&](std::int64_t, Phases& p) {
        device.enqueue(2);
        p.enter("optimizer");
        device.enqueue(1);
      },
      kOneStep);
  EXPECT_THAT(texts(events.at(0)),
              ElementsAre("optimizer time 1", "step time 3", "step host_time 3"));
}

TEST_F(MeasureTest, AStepWithoutPhasesIsAllStep) {
  measure([&](std::int64_t, Phases&) { device.enqueue(2); }, kOneStep);
  EXPECT_THAT(texts(events.at(0)), ElementsAre("step time 2", "step host_time 2"));
}

TEST_F(MeasureTest, WorkLeftOverFromBeforeIsNotInTheStep) {
  device.enqueue(100);
  measure([&](std::int64_t, Phases&) { device.enqueue(2); }, kOneStep);
  EXPECT_THAT(texts(events.at(0)), ElementsAre("step time 2", "step host_time 2"));
}

// The clock must advance while the loop spins.
TEST_F(MeasureTest, ASlowdownLengthensEachStepByItsShareAfterTheDevicesWork) {
  const auto time_of = [&](double slowdown) {
    events.clear();
    ScriptedWorkload workload([&](std::int64_t, Phases& p) {
      p.enter("forward");
      device.enqueue(8);
    });
    TimingHooks hooks;
    hooks.on_step = [&](StepEvent event) { events.push_back(std::move(event)); };
    hooks.now = [&] {
      device.host(0.001);
      return device.now();
    };
    measure_timing(workload, device, phases, {1, {2, 0, {}, {}}, slowdown}, progress, hooks);
    std::vector<double> times;
    for (const StepEvent& event : events) times.push_back(event.samples.at(1).value);
    return times;
  };
  for (const double time : time_of(0)) EXPECT_NEAR(time, 8, 0.01);
  const auto slowed = time_of(0.25);
  ASSERT_EQ(slowed.size(), 3U) << "the warm-up step, too";
  for (const double time : slowed) EXPECT_NEAR(time, 10, 0.02);
}

// Three kernels of 0.01 ms, each of which the host needs 0.2 ms to launch.
void launch_three(FakeDevice& device, Phases& phases) {
  for (const char* phase : {"forward", "backward", "optimizer"}) {
    phases.enter(phase);
    device.host(0.2);
    device.enqueue(0.01);
  }
}

TEST_F(MeasureTest, ExposedLaunchesAreInTheTimes) {
  measure([&](std::int64_t, Phases& p) { launch_three(device, p); }, kOneStep);
  EXPECT_THAT(texts(events.at(0)),
              ElementsAre("forward time 0.21", "backward time 0.2", "optimizer time 0.2",
                          "step time 0.61", "step host_time 0.61"));
}

TEST_F(MeasureTest, LaunchesAheadHideTheHost) {
  measure([&](std::int64_t, Phases& p) { launch_three(device, p); },
          {1, {2, 0, {}, {}}, 0, Launch::kAhead});
  for (const StepEvent& event : events) {
    EXPECT_THAT(texts(event),
                ElementsAre("forward time 0.01", "backward time 0.01", "optimizer time 0.01",
                            "step time 0.03", "step exposed_launch_share 0"));
  }
}

TEST_F(MeasureTest, TheDeviceIsHeldTwiceAsLongAsTheHostNeededForTheStepBefore) {
  const double issue = 4;
  measure(
      [&](std::int64_t index, Phases&) {
        device.enqueue(1);
        device.host(index == 3 ? 400 : issue);
        device.enqueue(1);
      },
      {2, {3, 0, {}, {}}, 0, Launch::kAhead});
  EXPECT_THAT(device.holds, ElementsAre(1, 8, 8, 8, 100)) << "at least 1 ms, at most 100";
  std::vector<std::string> exposed;
  for (const StepEvent& event : events) exposed.push_back(texts(event).back());
  EXPECT_THAT(exposed, ElementsAre("step exposed_launch_share 1", "step exposed_launch_share 0",
                                   "step exposed_launch_share 0", "step exposed_launch_share 1",
                                   "step exposed_launch_share 0"));
}

TEST_F(MeasureTest, AStepThatWaitsForTheDeviceIsExposed) {
  measure(
      [&](std::int64_t, Phases&) {
        device.enqueue(1);
        device.synchronize();  // as reading the loss does
        device.enqueue(1);
      },
      {0, {1, 0, {}, {}}, 0, Launch::kAhead});
  EXPECT_EQ(texts(events.at(0)).back(), "step exposed_launch_share 1");
}

TEST_F(MeasureTest, AheadNeedsADeviceWithAQueue) {
  device.has_queue = false;
  try {
    measure([&](std::int64_t, Phases&) {}, {0, {1, 0, {}, {}}, 0, Launch::kAhead});
    FAIL() << "expected an error";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "launch: `ahead` needs a device with its own queue, and `fake` has none: its "
                 "work runs while the host issues it; expected `exposed`");
  }
}

// As do_bench requires, the caches are flushed while the host issues the step.
TEST_F(MeasureTest, WorkEnqueuedBeforeTheStepIsNotInItAndHidesItsLaunch) {
  ScriptedWorkload workload([&](std::int64_t, Phases& p) { launch_three(device, p); });
  workload.ahead = [&] { device.enqueue(5); };
  TimingHooks hooks;
  hooks.on_step = [&](StepEvent event) { events.push_back(std::move(event)); };
  hooks.now = [&] { return device.now(); };
  measure_timing(workload, device, phases, kOneStep, progress, hooks);
  EXPECT_EQ(texts(events.at(0)).at(3), "step time 0.03");
}

TimingSettings with_flush(Launch launch) {
  TimingSettings plan{1, {1, 0, {}, {}}, 0, launch};
  plan.flush = FlushCache::kL2;
  return plan;
}

TEST_F(MeasureTest, AFlushEndsBeforeTheStepBeginsInWarmupToo) {
  const auto summary = measure(
      [&](std::int64_t, Phases&) {
        device.calls.emplace_back("step");
        device.enqueue(2);
      },
      with_flush(Launch::kExposed));
  EXPECT_THAT(device.calls, ElementsAre("flush", "synchronise", "step", "synchronise",  //
                                        "flush", "synchronise", "step", "synchronise"));
  ASSERT_EQ(events.size(), 2U);
  for (const StepEvent& event : events) {
    EXPECT_THAT(texts(event), ElementsAre("step time 2", "step host_time 2"));
  }
  EXPECT_EQ(summary.flushed, 120_MiB);
}

TEST_F(MeasureTest, AFlushComesBeforeTheHoldThatHidesLaunches) {
  measure(
      [&](std::int64_t, Phases& p) {
        device.calls.emplace_back("step");
        launch_three(device, p);
      },
      with_flush(Launch::kAhead));
  EXPECT_THAT(device.calls, ElementsAre("flush", "synchronise", "hold", "step", "synchronise",  //
                                        "flush", "synchronise", "hold", "step", "synchronise"));
  EXPECT_THAT(texts(events.at(1)),
              ElementsAre("forward time 0.01", "backward time 0.01", "optimizer time 0.01",
                          "step time 0.03", "step exposed_launch_share 0"));
}

TEST_F(MeasureTest, NothingIsFlushedByDefault) {
  const auto summary = measure([](std::int64_t, Phases&) {}, kOneStep);
  EXPECT_THAT(device.calls, ElementsAre("synchronise", "synchronise"));
  EXPECT_EQ(summary.flushed, Bytes{});
}

TEST_F(MeasureTest, WarmupIsKeptAndMarkedAndDoesNotCount) {
  const auto summary =
      measure([&](std::int64_t index, Phases&) { device.enqueue(index < 2 ? 100 : 1); },
              {2, {3, 0, {}, milliseconds(50)}});  // max_time would end it if the warm-up counted
  EXPECT_EQ(summary.stopped_by, StoppedBy::kFixedSteps);
  EXPECT_EQ(summary.steps, 3);
  EXPECT_DOUBLE_EQ(summary.mean_ms, 1);
  EXPECT_EQ(warmup_steps_when_called, 2U);
  ASSERT_EQ(events.size(), 5U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].step, static_cast<std::int64_t>(i));
    EXPECT_EQ(events[i].warmup, i < 2);
    for (const Sample& sample : events[i].samples) {
      EXPECT_EQ(sample.step, events[i].step);
      EXPECT_EQ(sample.warmup, events[i].warmup);
    }
  }
}

TEST_F(MeasureTest, StopsWhenTheMeanIsKnownWellEnough) {
  const auto summary =
      measure([&](std::int64_t index, Phases&) { device.enqueue(index % 2 == 0 ? 9 : 11); },
              {0, {2, 0.048, {}, {}}});
  // std / sqrt(n) / mean: n = 4 gives 5.8 %, n = 5 gives 5.0 %, n = 6 gives 4.5 %
  EXPECT_EQ(summary.stopped_by, StoppedBy::kRelativeError);
  EXPECT_EQ(summary.steps, 6);
}

TEST_F(MeasureTest, MaxTimeCountsFromTheFirstMeasuredStep) {
  device.host(1000);
  const auto summary = measure([&](std::int64_t, Phases&) { device.enqueue(4); },
                               {5, {99, 0, {}, milliseconds(10)}});
  EXPECT_EQ(summary.stopped_by, StoppedBy::kMaxTime);
  EXPECT_EQ(summary.steps, 3);
}

TEST_F(MeasureTest, AnUnknownPhaseIsNamedWithTheDeclaredOnes) {
  EXPECT_THAT(error_of([](std::int64_t, Phases& p) { p.enter("foward"); }),
              HasSubstr("phase `foward`, which the workload does not declare; it has forward, "
                        "backward, optimizer (did you mean `forward`?)"));
}

TEST_F(MeasureTest, TooManyPhasesInAStepAreRefused) {
  EXPECT_THAT(error_of([](std::int64_t, Phases& p) {
                for (int i = 0; i < 2000; ++i) p.enter("forward");
              }),
              HasSubstr("more than 1024 phases"));
}

TEST_F(MeasureTest, ProgressSaysWhereAStepThrew) {
  EXPECT_EQ(error_of([](std::int64_t, Phases& p) {
              p.enter("forward");
              p.enter("backward");
              throw std::runtime_error("boom");
            }),
            "boom");
  EXPECT_EQ(progress.phase(), "backward");
  EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace sweepd
