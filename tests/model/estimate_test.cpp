// Tests the estimated cost of an attempt: literal past attempts in, milliseconds out.
#include "runner/model/sweep/estimate.h"

#include <gtest/gtest.h>

#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

struct SizeParams {
  std::int64_t size = 1;
  std::string kernel = "a";
  void visit(auto& field) {
    field("size", size, "how large");
    field("kernel", kernel, "which", one_of({"a", "b"}));
  }
};

WorkloadDef def() {
  WorkloadDef def;
  def.name = "toy";
  def.params = describe_params<SizeParams>();
  for (ParamDef& param : describe_params<RunParams>()) def.params.push_back(std::move(param));
  return def;
}

Trial trial(std::initializer_list<std::pair<const char*, const char*>> settings) {
  const WorkloadDef d = def();
  Trial trial = default_trial(d);
  trial.values[*d.index_of("device")] = std::string("cpu");
  for (const auto& [name, text] : settings) {
    const std::size_t index = *d.index_of(name);
    trial.values[index] = d.params[index].parse(text).value();
  }
  return trial;
}

WorkPerStep work(double flops, double weights = 0) {
  return {"fp32", 0, {{"step", flops, 0}}, {{"weights_bytes", weights, ""}}};
}

// 5 warm-up and 10 measured steps of 10 ms, 200 ms set-up, 100 ms start: 450 ms.
PastAttempt past(const Trial& t, double flops, double weights = 0) {
  PastAttempt past;
  past.key = key_of(def(), t);
  past.trial = t;
  past.took = milliseconds(450);
  past.setup_ms = 200;
  past.step_ms = 10;
  past.steps = 10;
  past.arithmetic = "fp32";
  past.flops = flops;
  past.resident_bytes = weights;
  return past;
}

std::optional<Estimate> estimate(std::vector<PastAttempt> past, const Trial& t,
                                 const std::optional<WorkPerStep>& work,
                                 Pass pass = Pass::kTiming) {
  return Estimator(def(), std::move(past)).of(key_of(def(), t), t, pass, work);
}

TEST(Estimate, NothingComparableIsUnknown) {
  const Trial t = trial({{"size", "2"}});
  const Trial other = trial({{"size", "3"}});
  EXPECT_FALSE(estimate({}, t, work(100)));
  EXPECT_FALSE(estimate({past(other, 100)}, t, work(100), Pass::kMemory)) << "another pass";
  EXPECT_FALSE(estimate({past(trial({{"device", "cuda"}}), 100)}, t, work(100))) << "device";
  EXPECT_FALSE(estimate({past(other, 100)}, t, std::nullopt)) << "work unknown";
  EXPECT_FALSE(estimate({past(other, 0)}, t, work(100))) << "its work unknown";
}

TEST(Estimate, TheTrialItselfCountsAsItWas) {
  const Trial t = trial({{"size", "2"}});
  PastAttempt slow = past(t, 100);
  slow.took = milliseconds(550);
  const auto e = estimate({past(t, 100), slow, past(trial({}), 100)}, t, work(100));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->basis, Estimate::Basis::kSameTrial);
  EXPECT_EQ(e->results, 2);
  EXPECT_EQ(e->time, milliseconds(500));
}

TEST(Estimate, TheNearestIsScaledByWorkStepsAndSize) {
  struct Case {
    const char* what;
    Trial trial;
    WorkPerStep work;
    std::int64_t expected_ms;
  };
  const std::vector<PastAttempt> all{past(trial({{"size", "2"}}), 100, 1000),
                                     past(trial({{"size", "9"}}), 1e6, 1e6)};
  for (const Case& c : {
           Case{"twice the FLOPs", trial({{"size", "3"}}), work(200, 1000), 100 + 200 + 300},
           Case{"twice the set-up", trial({{"size", "3"}}), work(100, 2000), 100 + 400 + 150},
           Case{"more steps", trial({{"steps", "25"}}), work(100, 1000), 100 + 200 + 300},
           Case{"no warm-up", trial({{"warmup", "0"}}), work(100, 1000), 100 + 200 + 100},
           Case{"a least time", trial({{"min_time", "1s"}}), work(100, 1000),
                100 + 200 + 50 + 1000},
           Case{"a most time", trial({{"max_time", "40ms"}}), work(100, 1000), 100 + 200 + 50 + 40},
           Case{"most below a step", trial({{"max_time", "1ms"}}), work(100, 1000),
                100 + 200 + 50 + 10},
       }) {
    const auto e = estimate(all, c.trial, c.work);
    ASSERT_TRUE(e) << c.what;
    EXPECT_EQ(e->basis, Estimate::Basis::kNearest) << c.what;
    EXPECT_EQ(e->results, 1) << c.what;
    EXPECT_NEAR(e->time.seconds() * 1e3, static_cast<double>(c.expected_ms), 1e-3) << c.what;
  }
}

TEST(Estimate, OfEquallyNearOnesThoseThatDifferLeastCount) {
  PastAttempt other_kernel = past(trial({{"size", "2"}, {"kernel", "b"}, {"seed", "7"}}), 100);
  other_kernel.step_ms = 99;
  const auto e = estimate({other_kernel, past(trial({{"size", "2"}, {"seed", "7"}}), 100)},
                          trial({{"size", "2"}}), work(100));
  ASSERT_TRUE(e);
  EXPECT_EQ(e->results, 1);
  EXPECT_EQ(e->time, milliseconds(450));
}

TEST(Estimate, WithoutStepTimesTheFastestAttemptStandsForTheStart) {
  const auto memory = [](const char* size, double flops, int ms) {
    PastAttempt p = past(trial({{"size", size}}), flops);
    p.pass = Pass::kMemory;
    p.step_ms = p.setup_ms = 0;
    p.took = milliseconds(ms);
    return p;
  };
  const auto e = estimate({memory("1", 1, 100), memory("2", 100, 300)}, trial({{"size", "3"}}),
                          work(200), Pass::kMemory);
  ASSERT_TRUE(e);
  EXPECT_EQ(e->time, milliseconds(100 + 2 * 200));
  EXPECT_EQ(e->ratio, 2);
}

TEST(ResidentBytes, SumsWhatIsThereDuringAWholeStep) {
  WorkPerStep work;
  work.figures = {{"parameters", 1e9, ""},
                  {"weights_bytes", 4e9, ""},
                  {"gradients_bytes", 4e9, ""},
                  {"optimizer_state_bytes", 8e9, ""},
                  {"layer_scores_bytes", 7e9, ""}};
  EXPECT_EQ(resident_bytes(work), 0) << "a step without phases does nothing";
  work.phases = {{"step", 1, 0}};
  EXPECT_EQ(resident_bytes(work), 16e9);
  EXPECT_EQ(resident_bytes({}), 0);
}

TEST(LeastMeasuring, IsMinTimeUnlessMaxTimeEndsItBefore) {
  const WorkloadDef d = def();
  Trial wanted = default_trial(d);
  const auto set = [&](const char* name, Duration time) {
    wanted.values[*d.index_of(name)] = time.ns;
  };
  EXPECT_EQ(least_measuring(d, wanted), Duration{0});
  set("min_time", seconds(60));
  EXPECT_EQ(least_measuring(d, wanted), seconds(60));
  set("max_time", seconds(90));
  EXPECT_EQ(least_measuring(d, wanted), seconds(60));
  set("max_time", seconds(20));
  EXPECT_EQ(least_measuring(d, wanted), seconds(20));
}

}  // namespace
}  // namespace sweepd
