// Compares aot_inductor with eager: the command that is named for a missing package makes it, and
// the step in the package has the losses, gradients and state of the eager step.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/compiled/packages.h"
#include "tests/workloads/workload_harness.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pointwise;

// A single layer: TorchInductor's time depends on the number of different kernels.
const Texts kOneLayer = {{"model", "custom"},     {"d_model", "16"}, {"d_ff", "40"},
                         {"layers", "1"},         {"heads", "2"},    {"vocab", "23"},
                         {"context", "12"},       {"batch", "2"},    {"lr", "0.01"},
                         {"weight_decay", "0.1"}, {"seed", "3"}};

Texts one_layer(const Texts& changes) {
  Texts texts = kOneLayer;
  texts.insert(texts.end(), changes.begin(), changes.end());
  return texts;
}

class SetUpSamples final : public Samples {
 public:
  void add(std::string_view phase, std::string_view metric, double value) override {
    EXPECT_EQ(phase, "setup");
    values[std::string(metric)] = value;
  }
  std::map<std::string, double> values;
};

struct Steps {
  std::vector<double> losses;
  std::vector<std::string> phases;     // of the last step
  std::map<std::string, double> held;  // bytes by name, after the last step
  std::map<std::string, double> set_up;
};

Steps steps_of(const Texts& changes, int count) {
  Harness harness;
  SetUpSamples samples;
  harness.context.setup = &samples;
  const auto workload = harness.make("lm_step", one_layer(changes));
  Steps steps;
  for (int i = 0; i < count; ++i) {
    RecordedPhases phases;
    workload->step(phases);
    RecordedFacts facts;
    workload->facts(facts);
    steps.losses.push_back(facts.numbers.at("final_loss"));
    steps.phases = phases.seen;
  }
  for (const HeldTensor& held : workload->state()) {
    steps.held[held.name] = static_cast<double>(held.size.value);
  }
  steps.set_up = samples.values;
  return steps;
}

std::string why_skipped(const Texts& changes) {
  Harness harness;
  try {
    harness.make("lm_step", one_layer(changes));
  } catch (const Unavailable& reason) {
    return reason.what();
  }
  return "made";
}

Texts with_compile(Texts changes, const char* kind) {
  changes.emplace_back("compile", kind);
  return changes;
}

TEST(MissingPackage, NamesTheCommandThatMakesIt) {
  const PackagesFolder folder;
  const std::string reason =
      why_skipped({{"compile", "aot_inductor"}, {"mode", "forward"}, {"precision", "bf16"}});
  EXPECT_THAT(reason, HasSubstr("no package of this compiled step; make it with `"));
  EXPECT_THAT(
      command_in(reason),
      AllOf(HasSubstr(TOOL " --d-model 16 --d-ff 40 --layers 1 --heads 2 --vocab 23 "
                           "--context 12 --batch 2 --precision bf16 --mode forward "
                           "--attention naive --device cpu --hardware "),
            HasSubstr(" --torch 2.11.0 --out " + folder.path().string() + "/torch-2.11.0/cpu-")));
}

TEST(MissingPackage, ComesBeforeAnyAllocation) {
  const PackagesFolder folder;
  EXPECT_THAT(why_skipped({{"compile", "aot_inductor"}, {"model", "2.7B"}, {"d_model", "0"}}),
              HasSubstr("--d-model 2560"));
}

struct Case {
  const char* name;
  Texts changes;
  double allowed;  // at a loss near 3.2
};

class Packaged : public ::testing::TestWithParam<Case> {};

TEST_P(Packaged, HasTheEagerStepsLossesAndState) {
  if (const std::string why = why_no_packages(); !why.empty()) GTEST_SKIP() << why;
  const PackagesFolder folder;
  const auto& [name, changes, allowed] = GetParam();
  const Texts packaged = with_compile(changes, "aot_inductor");
  ASSERT_EQ(run_command(command_in(why_skipped(packaged))), 0);

  const Steps eager = steps_of(changes, 4), got = steps_of(packaged, 4);
  EXPECT_THAT(got.losses, Pointwise(DoubleNear(allowed), eager.losses));
  EXPECT_GT(got.set_up.at("load_time"), 0);
  EXPECT_GT(got.set_up.at("compile_time"), got.set_up.at("load_time"));
  const std::string mode = changes.front().second;
  if (mode == "forward") {
    EXPECT_THAT(got.phases, ElementsAre("forward"));
  } else {
    EXPECT_THAT(got.phases, IsEmpty());
  }
  for (const auto& [tensor, bytes] : eager.held) {
    EXPECT_EQ(got.held.count(tensor) == 1 ? got.held.at(tensor) : 0, bytes) << tensor;
  }
}

std::string name_of_case(const ::testing::TestParamInfo<Case>& one) {
  return one.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Modes, Packaged,
    ::testing::Values(
        Case{"ForwardFlash", {{"mode", "forward"}, {"attention", "sdpa_flash"}}, 1e-5},
        Case{"ForwardBackwardBf16", {{"mode", "forward_backward"}, {"precision", "bf16"}}, 0.03},
        Case{"TrainStep", {{"mode", "train_step"}}, 1e-4}),
    name_of_case);

// The workload's own check() compares it with float64.
TEST(PackagedAttention, ForwardAndBackwardPassTheCheckOfEveryAttention) {
  if (const std::string why = why_no_packages(); !why.empty()) GTEST_SKIP() << why;
  const PackagesFolder folder;
  Harness harness;
  SetUpSamples samples;
  harness.context.setup = &samples;
  Texts changes = {
      {"batch", "2"},     {"heads", "2"},   {"sequence", "37"},         {"d_head", "24"},
      {"causal", "true"}, {"mode", "both"}, {"compile", "aot_inductor"}};
  try {
    harness.make("attention", changes);
    FAIL() << "made without a package";
  } catch (const Unavailable& reason) {
    ASSERT_EQ(run_command(command_in(reason.what())), 0);
  }
  const auto workload = harness.make("attention", changes);
  const auto check = workload->check();
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->passed) << check->message;
  EXPECT_GT(check->largest_error, 0);
  for (int i = 0; i < 2; ++i) {
    RecordedPhases phases;
    workload->step(phases);
    EXPECT_THAT(phases.seen, ElementsAre("forward", "backward"));
  }
  EXPECT_GT(samples.values.at("compile_time"), samples.values.at("load_time"));

  changes[5].second = "backward";  // repeats the backward of one forward, from the same package
  const auto backward = harness.make("attention", changes);
  for (int i = 0; i < 2; ++i) {
    RecordedPhases phases;
    backward->step(phases);
    EXPECT_THAT(phases.seen, ElementsAre("backward"));
  }
}

// The package's C interface turns every exception into an error code without a name.
TEST(PackagedMemory, OutOfMemoryIsStillOutOfMemory) {
  if (const std::string why = why_no_packages(); !why.empty()) GTEST_SKIP() << why;
  const PackagesFolder folder;
  const Texts changes = {{"mode", "forward"}, {"context", "200"}, {"compile", "aot_inductor"}};
  ASSERT_EQ(run_command(command_in(why_skipped(changes))), 0);
  DeviceOptions options;
  options.memory_limit = 100_KiB;
  Harness harness(options);
  const auto workload = harness.make("lm_step", one_layer(changes));
  RecordedPhases phases;
  bool refused = false;
  try {
    workload->step(phases);
  } catch (...) {
    try {
      harness.device->rethrow_out_of_memory();
    } catch (const OutOfMemory& error) {
      refused = true;
      EXPECT_EQ(error.limit, 100_KiB);
      EXPECT_GT(error.requested.value + error.in_use.value, error.limit.value);
    }
  }
  EXPECT_TRUE(refused);
}

}  // namespace
}  // namespace sweepd
