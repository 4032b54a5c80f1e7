#include "runner/report/explain/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "runner/base/files.h"

namespace sweepd::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A step of 10 ms on a GPU, of which products take nearly all.
StepProfile good_step() {
  StepProfile profile;
  profile.device = "NVIDIA H100 80GB HBM3";
  profile.on_gpu = true;
  profile.multiprocessors = 132;
  profile.step_ms = 10;
  profile.metrics = {{"device_busy_share", 0.85},
                     {"idle_host_time", 0.5},
                     {"idle_wait_time", 0.5},
                     {"idle_tail_time", 0.5},
                     {"largest_gap_time", 0.3}};
  for (int i = 0; i < 4; ++i) {
    profile.kernels.push_back({"nvjet_bf16_" + std::to_string(i),
                               "matmul",
                               {1320, 1, 1},
                               {384, 1, 1},
                               10,
                               2e6,
                               2e5,
                               0.25,
                               10.0});
  }
  return profile;
}

void add(StepProfile& profile, const char* name, const char* kernel_class, std::int64_t calls,
         double total_ms) {
  profile.kernels.push_back({name,
                             kernel_class,
                             {64, 1, 1},
                             {256, 1, 1},
                             calls,
                             total_ms * 1e6,
                             total_ms * 1e6 / static_cast<double>(calls),
                             {},
                             {}});
  std::ranges::stable_sort(profile.kernels, std::greater(), &StepProfile::Kernel::total_ns);
}

std::set<std::string_view> rules_for(const StepProfile& profile) {
  std::set<std::string_view> rules;
  for (const Explanation& each : explain(profile)) rules.insert(each.rule);
  return rules;
}

std::string text_of(const StepProfile& profile, std::string_view rule) {
  for (const Explanation& each : explain(profile)) {
    if (each.rule == rule) return each.text;
  }
  return "silent";
}

TEST(Explain, AStepWithoutTroubleSaysNothing) {
  EXPECT_THAT(explain(good_step()), IsEmpty());
  EXPECT_THAT(explain(StepProfile()), IsEmpty());
}

TEST(Explain, HostLate) {
  StepProfile profile = good_step();
  profile.metrics["idle_host_time"] = 6.2;
  profile.metrics["launches"] = 390;
  profile.metrics["launch_median_time"] = 0.0137;
  EXPECT_EQ(
      text_of(profile, "host_late"),
      "The device is idle for 62 % of the step (6.2 ms of 10.0 ms) because the host is late: it "
      "issues 390 launches, one every 25.6 us (13.7 us in the call itself); capture the step "
      "in a CUDA graph, fuse kernels (torch.compile), or use a larger batch.");
  profile.metrics["launches"] = 12;
  EXPECT_THAT(text_of(profile, "host_late"),
              HasSubstr("12 launches, one every 833.3 us (13.7 us in the call itself); look for "
                        "data loading"));
  profile.metrics["launches"] = 1;
  profile.metrics["largest_gap_time"] = 4;
  profile.metrics["launch_median_time"] = 6.9;
  EXPECT_THAT(text_of(profile, "host_late"), HasSubstr("1 launch, one every 6.0 ms; look for data"))
      << "the long call is that of the gap";
  profile.metrics["launch_median_time"] = 0.0137;
  profile.metrics["launches"] = 390;
  EXPECT_THAT(
      text_of(profile, "host_late"),
      HasSubstr("Apart from the longest gap the device is idle for 22 % of the step (2.2 ms "
                "of 10.0 ms) because the host is late: it issues 390 launches, one every "
                "15.4 us"));
  profile.metrics["largest_gap_time"] = 6;
  EXPECT_EQ(text_of(profile, "host_late"), "silent");
  profile.metrics["largest_gap_time"] = 0.3;
  profile.metrics.erase("launches");
  EXPECT_THAT(text_of(profile, "host_late"), HasSubstr("because the host is late; capture"));
  profile.metrics["idle_host_time"] = 0.9;
  EXPECT_EQ(text_of(profile, "host_late"), "silent");
}

TEST(Explain, IdleForAnotherReason) {
  for (const auto& [metric, rule] : {std::pair{"idle_wait_time", "waiting"},
                                     {"idle_tail_time", "tail"},
                                     {"largest_gap_time", "one_gap"}}) {
    StepProfile profile = good_step();
    profile.metrics[metric] = 3;
    EXPECT_EQ(rules_for(profile), std::set<std::string_view>{rule});
    EXPECT_THAT(text_of(profile, rule), HasSubstr("30 %"));
    profile.step_ms = 0;  // unknown
    EXPECT_EQ(text_of(profile, rule), "silent");
  }
}

TEST(Explain, AGapThatALaunchFills) {
  StepProfile profile = good_step();
  profile.metrics["largest_gap_time"] = 8;
  profile.metrics["largest_gap_launch_time"] = 7.6;
  EXPECT_EQ(text_of(profile, "one_gap"),
            "One gap alone is 8.0 ms (80 % of the step): the host is in the call that launches the "
            "next kernel for 7.6 ms of it. The first launch of a kernel loads its module, and one "
            "into a full queue waits; leave first steps out of the profile.");
  profile.metrics["largest_gap_launch_time"] = 0.1;
  EXPECT_THAT(text_of(profile, "one_gap"), HasSubstr("(80 % of the step): loading data"));
}

TEST(Explain, ExposedCommunication) {
  StepProfile profile = good_step();
  profile.metrics["exposed_communication_time"] = 2;
  profile.metrics["overlapped_communication_time"] = 1.5;
  EXPECT_THAT(
      text_of(profile, "exposed_communication"),
      HasSubstr("alone for 20 % of the step (2.0 ms), and beside other kernels for 1.5 ms"));
  profile.metrics["exposed_communication_time"] = 0.1;
  EXPECT_EQ(text_of(profile, "exposed_communication"), "silent");
}

TEST(Explain, KernelsOfAnIdleDeviceDoNotMatter) {
  StepProfile profile = good_step();
  add(profile, "my_kernel", "elementwise", 2000, 8);
  add(profile, "[CUDA memcpy HtoD]", "copy", 12, 8);
  profile.metrics["device_busy_share"] = 0.08;
  profile.metrics["idle_host_time"] = 9.2;
  EXPECT_EQ(rules_for(profile), std::set<std::string_view>{"host_late"});
}

TEST(Explain, CopiesBetweenHostAndDevice) {
  StepProfile profile = good_step();
  add(profile, "[CUDA memcpy HtoD]", "copy", 12, 1);
  EXPECT_THAT(text_of(profile, "copies"), HasSubstr("11 % of the device's time in 12 calls"));
  add(profile, "[CUDA memcpy DtoH]", "copy", 1, 20);
  EXPECT_EQ(rules_for(profile), std::set<std::string_view>{"copies"})
      << "no fusion helps, and no faster kernel";
  profile = good_step();
  add(profile, "[CUDA memcpy DtoD]", "copy", 12, 1);
  EXPECT_EQ(text_of(profile, "copies"), "silent");
}

TEST(Explain, ShortKernels) {
  StepProfile profile = good_step();
  add(profile, "vectorized_elementwise_kernel", "elementwise", 1000, 3);
  EXPECT_THAT(text_of(profile, "short_kernels"), HasSubstr("1,000 calls of kernels below 10 us"));
  profile = good_step();
  add(profile, "vectorized_elementwise_kernel", "elementwise", 50, 3);  // few and long
  EXPECT_EQ(text_of(profile, "short_kernels"), "silent");
}

TEST(Explain, Elementwise) {
  StepProfile profile = good_step();
  add(profile, "vectorized_elementwise_kernel", "elementwise", 100, 5);
  EXPECT_THAT(text_of(profile, "elementwise"), HasSubstr("38 % of the kernel time in 100 calls"));
  profile = good_step();
  add(profile, "vectorized_elementwise_kernel", "elementwise", 100, 2);
  EXPECT_EQ(text_of(profile, "elementwise"), "silent");
}

TEST(Explain, ProductsWithoutTensorCores) {
  StepProfile profile = good_step();
  add(profile, "sm80_xmma_gemm_f32f32_f32f32_simt_sgemm", "matmul", 10, 2);
  EXPECT_THAT(text_of(profile, "without_tensor_cores"), HasSubstr("take 20 % of the kernel time"));
  profile.kernels.back().name = "sm80_xmma_gemm_bf16";
  for (StepProfile::Kernel& kernel : profile.kernels) kernel.name = "sm80_xmma_gemm_bf16";
  EXPECT_EQ(text_of(profile, "without_tensor_cores"), "silent");
}

TEST(Explain, OneKernel) {
  StepProfile profile = good_step();
  add(profile, "my_kernel", "other", 2, 8);
  EXPECT_THAT(text_of(profile, "one_kernel"),
              HasSubstr("`my_kernel` takes 50 % of the kernel time in 2 calls, 4.0 ms on average"));
  profile.on_gpu = false;
  EXPECT_THAT(text_of(profile, "one_kernel"), HasSubstr("takes 50 % of the operators' time"));
  std::ranges::find(profile.kernels, "my_kernel", &StepProfile::Kernel::name)->calls = 1;
  EXPECT_THAT(text_of(profile, "one_kernel"), HasSubstr("in 1 call of 8.0 ms: a faster step"));
  profile.kernels.resize(1);  // a benchmark of one kernel knows that
  EXPECT_EQ(text_of(profile, "one_kernel"), "silent");
}

TEST(Explain, LastWave) {
  StepProfile profile = good_step();
  profile.kernels[0].grid = {160, 1, 1};
  profile.kernels[0].waves = 160.0 / 132;
  EXPECT_THAT(
      text_of(profile, "last_wave"),
      HasSubstr("has 160 blocks, 1.21 waves on 132 multiprocessors: 79 % of the last wave is "
                "empty"));
  profile.kernels[0].grid = {1, 1, 1};
  profile.kernels[0].waves = 1 / 132.0;
  EXPECT_EQ(text_of(profile, "last_wave"),
            "`nvjet_bf16_0` (25 % of the kernel time) has 1 block for 132 multiprocessors, 1 % of "
            "what it holds at once: too few; split its work into more blocks, or use a larger "
            "batch.");
  profile.kernels[0].kernel_class = "communication";
  EXPECT_EQ(text_of(profile, "last_wave"), "silent") << "its grid is the number of channels";
  profile.kernels[1].waves = 1.95;
  EXPECT_EQ(text_of(profile, "last_wave"), "silent");
  profile.kernels[1].waves.reset();
  EXPECT_EQ(text_of(profile, "last_wave"), "silent");
}

TEST(Explain, LowOccupancy) {
  StepProfile profile = good_step();
  add(profile, "my_softmax", "softmax", 10, 2);
  const auto softmax = std::ranges::find(profile.kernels, "my_softmax", &StepProfile::Kernel::name);
  softmax->occupancy = 0.125;
  EXPECT_THAT(text_of(profile, "low_occupancy"), HasSubstr("at most 12 % of the warps"));
  softmax->occupancy = 0.5;
  EXPECT_EQ(text_of(profile, "low_occupancy"), "silent");
}

TEST(Explain, ClockFell) {
  StepProfile profile = good_step();
  profile.clocks_mhz = {1980, 1980, 1965, 1900, 1800, 1770, 1755, 1755, 1740};
  profile.throttle_reasons = "sw_power_cap,sw_thermal_slowdown,hw_thermal_slowdown";
  EXPECT_EQ(text_of(profile, "clock_fell"),
            "The clock fell from 1,980 to 1,755 MHz over the measured steps of the timing: power "
            "limit, temperature; measure after a longer warm-up, or lower the clock to one that "
            "lasts (nvidia-smi --lock-gpu-clocks).");
  profile.throttle_reasons = "";
  profile.on_gpu = false;
  EXPECT_THAT(text_of(profile, "clock_fell"),
              HasSubstr("of the timing; measure after a longer warm-up, or lower the clock to one "
                        "that lasts."));
  profile.throttle_reasons = "new_reason";
  EXPECT_THAT(text_of(profile, "clock_fell"), HasSubstr("of the timing: new_reason; measure"));
}

TEST(Explain, AClockThatHoldsRisesOrIsHardlyKnownDidNotFall) {
  StepProfile profile = good_step();
  profile.throttle_reasons = "sw_power_cap";
  for (const std::vector<double>& mhz : {std::vector<double>{},
                                         {1980, 1755},
                                         {1980, 1980, 1965, 1965, 1950, 1950},
                                         {1755, 1755, 1800, 1900, 1980, 1980},
                                         {1980, 1980, 345, 1980, 1980, 1980},
                                         {0, 0, 0, 0, 0, 0}}) {
    profile.clocks_mhz = mhz;
    EXPECT_EQ(text_of(profile, "clock_fell"), "silent") << mhz.size();
  }
}

TEST(Explain, BelowTheRoofline) {
  StepProfile profile = good_step();
  profile.kernels[1].roofline = {0.22, RooflineShare::Bound::kCompute};
  EXPECT_EQ(text_of(profile, "below_roofline"),
            "`nvjet_bf16_1` takes 21 % of the step and reaches 22 % of its roofline, bound by "
            "compute: try a larger batch, or sizes that are multiples of 64.");
  profile.kernels[1].roofline->bound = RooflineShare::Bound::kMemory;
  EXPECT_THAT(text_of(profile, "below_roofline"), HasSubstr("bound by memory: try contiguous"));
  profile.kernels[1].roofline->share = 0.5;
  EXPECT_EQ(text_of(profile, "below_roofline"), "silent") << "half of it is near enough";
  profile.kernels[1].roofline->share = 0.22;
  profile.metrics["device_busy_share"] = 0.3;
  EXPECT_EQ(text_of(profile, "below_roofline"), "silent") << "7.5 % of the step";
}

TEST(Explain, Busy) {
  StepProfile profile = good_step();
  profile.metrics["device_busy_share"] = 0.96;
  EXPECT_THAT(text_of(profile, "busy"),
              HasSubstr("works for 96 % of the step, 100 % of it in products"));
}

TEST(Explain, BusyWithKernelsOfNoKnownClass) {
  StepProfile profile = good_step();
  profile.metrics["device_busy_share"] = 0.96;
  add(profile, "my_own_product", "other", 10, 12);
  add(profile, "flash_fwd_kernel<Flash_fwd_kernel_traits<64, bf16>>", "other", 10, 20);
  EXPECT_THAT(text_of(profile, "busy"),
              HasSubstr("20 % of it in products and convolutions, 50 % in fused attention, 30 % in "
                        "kernels of no known class: only"));
  profile.kernels.resize(1);
  EXPECT_THAT(text_of(profile, "busy"), HasSubstr("step, 100 % of it in fused attention: only"));
  profile.kernels[0].name = "my_own_product";
  EXPECT_THAT(text_of(profile, "busy"),
              HasSubstr("step, 100 % of it in kernels of no known class: only"));
}

TEST(Explain, WithoutMarkedStepsItIsOfWhatWasRecorded) {
  StepProfile profile = good_step();
  profile.metrics["device_busy_share"] = 0.96;
  profile.facts["trace.steps"] = 2;
  EXPECT_THAT(text_of(profile, "busy"), HasSubstr("for 96 % of the step,"));
  profile.facts["trace.steps"] = 0;
  EXPECT_THAT(text_of(profile, "busy"), HasSubstr("for 96 % of what was recorded,"));
}

TEST(Explain, LargestShareFirstAndAtMostTen) {
  StepProfile profile = good_step();
  profile.metrics = {{"idle_host_time", 2.5},
                     {"idle_wait_time", 3.0},
                     {"idle_tail_time", 1.5},
                     {"largest_gap_time", 1.2},
                     {"exposed_communication_time", 1.1}};
  add(profile, "[CUDA memcpy HtoD]", "copy", 12, 1);
  add(profile, "vectorized_elementwise_kernel", "elementwise", 2000, 12);
  add(profile, "ampere_sgemm_128x64", "matmul", 10, 4);
  profile.kernels[0].occupancy = 0.1;
  const std::vector<Explanation> found = explain(profile);
  EXPECT_EQ(found.size(), kMostExplanations);
  EXPECT_TRUE(std::ranges::is_sorted(found, std::greater(), &Explanation::share));
}

TEST(Explain, ThePageListsEveryRule) {
  const auto page = read_regular(std::string(SWEEPD_DOCS_FOLDER) + "/WHY_SLOW.md", Links::kFollow);
  ASSERT_TRUE(page);
  for (const std::string_view rule : explanation_rules()) {
    EXPECT_THAT(*page, HasSubstr("| `" + std::string(rule) + "` |"));
  }
}

}  // namespace
}  // namespace sweepd::report
