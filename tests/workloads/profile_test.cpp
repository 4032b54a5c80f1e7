// Runs the profile pass on real operators: its counts, their assignment, and its completeness.
#include "runner/worker/passes/profile_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>

#include "runner/model/vocabulary/kernel_class.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/cpu/op_log.h"
#include "workloads/nn/shape.h"

namespace sweepd {
namespace {

ProfileResult profile(const Texts& changes, const std::string& workload = "lm_step") {
  Harness harness;
  const auto made = harness.make(workload, changes);
  const auto profiler = make_profiler(*harness.device);
  const PhaseNames phases(Registry::instance().find(workload)->def.phases);
  AttemptProgress progress;
  return profile_step(*made, *harness.device, *profiler, phases, {1}, progress);
}

Texts tiny(const std::string& mode, const Texts& more = {}) {
  Texts texts{{"model", "tiny"}, {"context", "64"}, {"batch", "2"}, {"mode", mode}};
  texts.insert(texts.end(), more.begin(), more.end());
  return texts;
}

// Counts the calls of the class in the phase, or in one range of it if that is given.
std::int64_t calls(const ProfileResult& result, KernelClass kind, const std::string& phase,
                   const std::string& range = "") {
  std::int64_t count = 0;
  for (const KernelStats& kernel : result.summary.kernels) {
    const bool here = kernel.phase == phase && (range.empty() || kernel.range == range);
    if (here && class_of(kernel.name, kernel.phase) == kind) count += kernel.calls;
  }
  return count;
}

std::set<std::string> ranges(const ProfileResult& result, const std::string& phase) {
  std::set<std::string> names;
  for (const KernelStats& kernel : result.summary.kernels) {
    if (kernel.phase == phase) names.insert(kernel.range);
  }
  return names;
}

constexpr std::int64_t kLayers = 2;  // of `tiny`

TEST(Profile, ForwardHasTheModelsProducts) {
  ASSERT_EQ(model_shape("tiny").layers, kLayers);
  const ProfileResult result = profile(tiny("forward"));
  const auto matmuls = [&](const char* range) {
    return calls(result, KernelClass::kMatmul, "forward", range);
  };
  EXPECT_EQ(matmuls("attention.scores"), kLayers);
  EXPECT_EQ(matmuls("attention.output"), kLayers);
  EXPECT_EQ(matmuls("attention.projections"), 4 * kLayers);
  EXPECT_EQ(matmuls("ffn"), 3 * kLayers);
  EXPECT_EQ(matmuls("lm_head"), 1);
  // There are 7L + 1 linear products and 2L of attention, and no others.
  EXPECT_EQ(matmuls(""), 7 * kLayers + 1 + 2 * kLayers);
  // softmax and the _softmax that it calls.
  EXPECT_EQ(calls(result, KernelClass::kSoftmax, "forward", "attention.softmax"), 2 * kLayers);
  EXPECT_EQ(result.differing_kernels, 0);
}

TEST(Profile, TheFiguresSayHowManyProductsEachPhaseHas) {
  const Texts precisions[] = {
      {}, {{"precision", "bf16"}}, {{"attention", "sdpa_math"}}, {{"attention", "sdpa_flash"}}};
  for (const Texts& more : precisions) {
    const Texts texts = tiny("train_step", more);
    const ProfileResult result = profile(texts);
    const WorkPerStep work = Harness().work("lm_step", texts);
    for (const std::string phase : {"forward", "backward"}) {
      const auto figure = std::find_if(work.figures.begin(), work.figures.end(),
                                       [&](const auto& f) { return f.name == "matmuls_" + phase; });
      ASSERT_NE(figure, work.figures.end());
      EXPECT_EQ(calls(result, KernelClass::kMatmul, phase), figure->value)
          << phase << (more.empty() ? "" : " " + more[0].second);
    }
  }
}

TEST(Profile, TheBackwardsKernelsBelongToTheRangesOfTheForward) {
  const ProfileResult result = profile(tiny("train_step"));
  const auto matmuls = [&](const char* range) {
    return calls(result, KernelClass::kMatmul, "backward", range);
  };
  EXPECT_EQ(matmuls("attention.scores"), 2 * kLayers);
  EXPECT_EQ(matmuls("attention.output"), 2 * kLayers);
  EXPECT_EQ(matmuls("attention.projections"), 8 * kLayers);
  EXPECT_EQ(matmuls("ffn"), 6 * kLayers);
  EXPECT_EQ(matmuls("lm_head"), 2);
  EXPECT_EQ(calls(result, KernelClass::kSoftmax, "backward", "attention.softmax"), kLayers);
  EXPECT_EQ(calls(result, KernelClass::kSoftmax, "backward", "loss"), 1);
  const std::set<std::string> forward{"attention.output",
                                      "attention.projections",
                                      "attention.rotary",
                                      "attention.scores",
                                      "attention.softmax",
                                      "embedding",
                                      "ffn",
                                      "lm_head",
                                      "loss",
                                      "norm",
                                      "other"};
  EXPECT_EQ(ranges(result, "forward"), forward);
  EXPECT_EQ(ranges(result, "backward"), forward);
}

TEST(Profile, TheOptimizersKernelsAreOfItsClassAlone) {
  const ProfileResult result = profile(tiny("train_step"));
  std::int64_t in_phase = 0, fused = 0;
  for (const KernelStats& kernel : result.summary.kernels) {
    const bool here = kernel.phase == "optimizer";
    EXPECT_EQ(class_of(kernel.name, kernel.phase) == KernelClass::kOptimizer, here) << kernel.name;
    if (here) in_phase += kernel.calls;
    if (here && kernel.name == "aten::_fused_adamw_") fused += kernel.calls;
  }
  EXPECT_EQ(fused, 1);
  EXPECT_GT(in_phase, fused);
}

TEST(Profile, ClassSharesAddUpToTheWhole) {
  const ProfileResult result = profile(tiny("train_step"));
  double whole = 0;
  std::map<std::string_view, double> by_class;
  for (const KernelStats& kernel : result.summary.kernels) {
    whole += kernel.total_ns;
    by_class[name_of(class_of(kernel.name, kernel.phase))] += kernel.total_ns;
  }
  double self = 0, shares = 0;
  for (const OperatorStats& op : result.summary.operators) self += op.self_cpu_ns;
  for (const auto& [name, total] : by_class) shares += 100 * total / whole;
  EXPECT_NEAR(shares, 100, 1e-9);
  EXPECT_NEAR(whole, self, 1e-6 * self) << "kernels and operators are two views of one time";
}

// While it lives, the operators' clock advances one nanosecond each time it is read.
class ScriptedClock {
 public:
  ScriptedClock() : real_(OpLogs::instance().now_ns) {
    OpLogs::instance().now_ns = [] { return looks_.fetch_add(1); };
  }
  ~ScriptedClock() { OpLogs::instance().now_ns = real_; }
  ScriptedClock(const ScriptedClock&) = delete;
  ScriptedClock& operator=(const ScriptedClock&) = delete;

 private:
  static inline std::atomic<std::int64_t> looks_{0};
  std::int64_t (*real_)();
};

// An operator that calls k others, at any depth, lasts 2k + 1 such nanoseconds. Each of them is the
// self time of one operator: none is lost, and none is counted twice.
TEST(Profile, SelfTimesAddUpToTheTimeInOperators) {
  const ScriptedClock clock;
  for (const char* mode : {"forward", "train_step"}) {
    const ProfileResult result = profile(tiny(mode));
    const auto& operators = result.recording.operators;
    std::int64_t outermost = 0, covered_ns = 0;
    for (const OperatorRecord& op : operators) {
      EXPECT_EQ(op.thread, 0) << op.name;
      if (op.parent != kNoParent) continue;
      ++outermost;
      covered_ns += op.end_ns - op.begin_ns;
    }
    EXPECT_GT(outermost, 10) << mode;
    EXPECT_GT(static_cast<std::int64_t>(operators.size()), outermost) << mode;
    EXPECT_EQ(covered_ns, 2 * static_cast<std::int64_t>(operators.size()) - outermost) << mode;
    double self_ns = 0;
    for (const OperatorStats& op : result.summary.operators) self_ns += op.self_cpu_ns;
    EXPECT_EQ(self_ns, static_cast<double>(covered_ns)) << mode;
    EXPECT_DOUBLE_EQ(result.kernel_ms, self_ns * 1e-6) << mode;
  }
}

// Checks the part that holds for the real clock on the busiest machine: operators are in the step.
TEST(Profile, OperatorsTakeNoLongerThanTheStep) {
  const ProfileResult result = profile(tiny("train_step"));
  EXPECT_GT(result.kernel_ms, 0);
  EXPECT_LE(result.kernel_ms, result.step_ms);
}

TEST(Profile, NestsEveryOperatorWithinItsCaller) {
  const Recording recording = profile(tiny("train_step")).recording;
  ASSERT_FALSE(recording.operators.empty());
  for (const OperatorRecord& op : recording.operators) {
    EXPECT_LE(op.begin_ns, op.end_ns) << op.name;
    if (op.parent == kNoParent) continue;
    const OperatorRecord& caller = recording.operators[static_cast<std::size_t>(op.parent)];
    EXPECT_EQ(caller.thread, op.thread);
    EXPECT_LE(caller.begin_ns, op.begin_ns) << op.name << " in " << caller.name;
    EXPECT_GE(caller.end_ns, op.end_ns) << op.name << " in " << caller.name;
  }
  std::vector<std::string> phases;
  for (const SpanRecord& phase : recording.phases) phases.push_back(phase.name);
  EXPECT_THAT(phases, ::testing::ElementsAre("forward", "backward", "optimizer"));
  EXPECT_EQ(std::count_if(recording.ranges.begin(), recording.ranges.end(),
                          [](const SpanRecord& range) { return range.name == "ffn"; }),
            kLayers);
}

TEST(Profile, ObservesNothingBeforeItStartsAndAfterItStops) {
  Harness harness;
  const auto workload = harness.make("lm_step", tiny("forward"));
  const auto profiler = make_profiler(*harness.device);
  RecordedPhases phases;
  const auto step = [&] {
    workload->step(phases);
    return profiler->take().operators.size();
  };
  EXPECT_EQ(step(), 0U);
  profiler->start();
  EXPECT_GT(step(), 0U);
  profiler->stop();
  EXPECT_EQ(step(), 0U);
}

TEST(Profile, AWorkloadWithoutPhasesIsAllStep) {
  const ProfileResult result = profile({{"size", "64"}}, "matmul");
  EXPECT_EQ(calls(result, KernelClass::kMatmul, "step"), 1);
  EXPECT_EQ(ranges(result, "step"), std::set<std::string>{"other"});
}

}  // namespace
}  // namespace sweepd
