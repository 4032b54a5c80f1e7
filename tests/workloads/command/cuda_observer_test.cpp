// `observe: cuda` with a traced program whose libcupti is scripted (tests/inject).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

struct CudaStory : AttemptFiles {
  explicit CudaStory(Pass pass, const std::string& actions, const std::string& refuses = "")
      : AttemptFiles("command", {}, pass) {
    ::setenv("SWEEPD_INJECT_LIBRARY", SWEEPD_INJECT_LIBRARY, 1);
    ::setenv("SWEEPD_INJECT_CUPTI", SWEEPD_FAKE_CUPTI, 1);
    request.params.emplace_back("argv", SWEEPD_TRACED " " + actions);
    request.params.emplace_back("env", "FAKE_CUPTI_REFUSES=" + refuses);
    request.params.emplace_back("observe", "cuda");
    request.params.emplace_back("reports", "nothing");
    request.params.emplace_back("warmup", "1");
    write();
    EXPECT_EQ(run_attempt(folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
  }
  // "range kernel calls"
  std::vector<std::string> kernels() const {
    std::vector<std::string> rows;
    for (const KernelEvent& event : all<KernelEvent>()) {
      const KernelStats& kernel = event.record;
      rows.push_back(kernel.range + " " + kernel.name + " " + std::to_string(kernel.calls));
    }
    return rows;
  }
  // Of the step; -1 without the metric.
  double bound(std::string_view metric) const {
    for (const StepEvent& event : all<StepEvent>()) {
      const auto found = std::ranges::find(event.samples, metric, &Sample::metric);
      if (found != event.samples.end()) return found->value;
    }
    return -1;
  }
  std::map<std::string, std::string> facts() const {
    std::map<std::string, std::string> found;
    for (const FactEvent& event : all<FactEvent>()) {
      found[event.name] = event.number ? std::to_string(*event.number) : event.text;
    }
    return found;
  }
};

#if SWEEPD_HAVE_NVTX
TEST(ObserveCuda, KernelsBelongToTheStepAndRangeThatLaunchedThem) {
  const CudaStory story(Pass::kProfile,
                        "cuda push=step launch=warm pop push=step launch=mm pop "
                        "push=step push=attention launch=mm launch=mm pop launch=add pop "
                        "push=step launch=late pop");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.kernels(), UnorderedElementsAre("attention mm 2", "other add 1"));
  const auto facts = story.facts();
  EXPECT_THAT(facts.at("observe.steps"), StartsWith("4"));
  EXPECT_FALSE(facts.contains("warning.observe"));
  EXPECT_THAT(facts.at("profile.differing_kernels"), StartsWith("3"))
      << "`add`, and `mm` in two places";
  EXPECT_THAT(facts.at("profile.dropped_records"), StartsWith("0"));
  EXPECT_EQ(story.bound("launches"), 3);
  EXPECT_EQ(story.bound("device_busy_time"), 0) << "its kernels run long after it";
}

TEST(ObserveCuda, DeviceMemoryOfTheSteps) {
  const CudaStory story(Pass::kMemory,
                        "cuda allocate=1000 allocate=200 push=step allocate=5000 free=5000 "
                        "launch=mm free=200 pop allocate=70000");
  EXPECT_EQ(story.ending(), "done");
  const auto memory = story.all<MemoryEvent>();
  ASSERT_THAT(memory, SizeIs(1)) << "`setup` would be of the worker";
  EXPECT_EQ(memory[0].record.phase, "step");
  EXPECT_EQ(memory[0].record.at_start->value, 1200);
  EXPECT_EQ(memory[0].record.peak_allocated->value, 6200);
  EXPECT_EQ(memory[0].record.at_end->value, 1000);
}
#endif

TEST(ObserveCuda, ARunWithoutStepsIsOne) {
  const CudaStory story(Pass::kProfile, "cuda launch=a launch=b launch=b");
  EXPECT_EQ(story.ending(), "done");
  EXPECT_THAT(story.kernels(), UnorderedElementsAre("other a 1", "other b 2"));
  EXPECT_THAT(story.facts().at("observe.step"), StartsWith("the whole run"));
}

TEST(ObserveCuda, OtherProfilerSkipsThePass) {
  const CudaStory story(Pass::kProfile, "cuda launch=a", "cuptiActivityEnable:39");
  EXPECT_THAT(story.ending(), StartsWith("skipped: observe: cuda: "));
  EXPECT_THAT(story.ending(), HasSubstr("CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"));
}

TEST(ObserveCuda, ProgramWithoutCudaFails) {
  EXPECT_THAT(CudaStory(Pass::kProfile, "exit=0").ending(),
              HasSubstr("no process of the program initialised CUDA"));
  EXPECT_THAT(CudaStory(Pass::kProfile, "cuda").ending(), HasSubstr("ran nothing on a GPU"));
}

TEST(ObserveCuda, TimingIsNotTraced) {
  // It would fail: nothing names the library.
  EXPECT_THAT(CudaStory(Pass::kTiming, "cuda").ending(), HasSubstr("exit"));
}

}  // namespace
}  // namespace sweepd
