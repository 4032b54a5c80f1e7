// Tests what `explain` says of profiles without a device, whose kernels are operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "runner/report/explain/explain.h"

namespace sweepd::report {
namespace {

using testing::HasSubstr;

// A step of 10 ms, of which aten::mm takes 6.
StepProfile step_of_host() {
  StepProfile profile;
  profile.step_ms = 10;
  profile.kernels.push_back({"aten::mm", "matmul", {}, {}, 4, 6e6, 1.5e6, {}, {}});
  return profile;
}

std::string sentence_of(const StepProfile& profile, std::string_view rule) {
  for (const Explanation& each : explain(profile)) {
    if (each.rule == rule) return each.text;
  }
  return "silent";
}

TEST(ExplainHost, OutsideOperatorsByTheirSum) {
  StepProfile profile = step_of_host();
  EXPECT_THAT(sentence_of(profile, "outside_operators"),
              HasSubstr("40 % of the step on the CPU (4.0 ms of 10.0 ms) is outside operators: "));
  profile.kernels[0].total_ns = 9.5e6;
  EXPECT_EQ(sentence_of(profile, "outside_operators"), "silent");
}

TEST(ExplainHost, OutsideOperatorsOfAllThreads) {
  StepProfile profile = step_of_host();
  profile.metrics["host_working_time"] = 1.6;  // of several threads
  EXPECT_EQ(sentence_of(profile, "outside_operators"),
            "84 % of the step on the CPU (8.4 ms of 10.0 ms) is outside operators and collectives "
            "on all threads: Python or the framework, for which a compiled model or a larger batch "
            "helps, or waiting for data or a request.");
  profile.metrics["host_working_time"] = 9.5;
  EXPECT_EQ(sentence_of(profile, "outside_operators"), "silent");
}

TEST(ExplainHost, CollectivesRunBesideOperators) {
  StepProfile profile = step_of_host();
  profile.metrics["exposed_communication_time"] = 8;
  EXPECT_THAT(sentence_of(profile, "exposed_communication"), HasSubstr("beside other operators"));
}

TEST(ExplainHost, OperatorsOfAHostThatWaitsDoNotMatter) {
  StepProfile profile = step_of_host();
  profile.kernels.push_back({"aten::add", "elementwise", {}, {}, 4, 1e6, 2.5e5, {}, {}});
  EXPECT_THAT(sentence_of(profile, "one_kernel"), HasSubstr("`aten::mm` takes 86 %"));
  profile.metrics["host_working_time"] = 1.6;
  EXPECT_EQ(sentence_of(profile, "one_kernel"), "silent");
}

}  // namespace
}  // namespace sweepd::report
