#include "runner/model/verdict/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runner/model/machine/peaks.h"
#include "tests/model/judged_record.h"

namespace sweepd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

WorkPerStep forward_work(double flops, double bytes = 0, std::string arithmetic = "bf16") {
  WorkPerStep work;
  work.arithmetic = std::move(arithmetic);
  work.phases = {{"forward", flops, bytes}};
  return work;
}

Summary timing(std::string phase, double mean_ms, double min_ms = 0) {
  const double least = min_ms > 0 ? min_ms : mean_ms;
  return {std::move(phase), "time", {10, mean_ms, 0, least, least, mean_ms, mean_ms, mean_ms, 0}};
}

Judgement judged(const AttemptRecord& record, std::int64_t world_size = 1) {
  return judge(JudgedAt::kStoring, {record, Pass::kTiming, world_size});
}

// Of a timing on an H200, or on a device of that name.
Judgement judge_forward(const Summary& summary, const WorkPerStep& work,
                        const char* device = "NVIDIA H200") {
  AttemptRecord record = quiet_record();
  record.summaries = {summary};
  record.work = work;
  record.environment->devices[0].name = device;
  return judged(record);
}

// Two of the five write-ups made this mistake: they printed 110 % and 190 % of the peak as results.
TEST(Judge, AMeanAboveTheDatasheetPeakIsInvalid) {
  const Judgement judgement = judge_forward(timing("forward", 1.0), forward_work(1.15e12));
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons,
              ElementsAre("forward ran at 1,150 TFLOP/s, above the device's dense bf16 peak of 989 "
                          "TFLOP/s: the clock stopped before the work did"));
}

TEST(Judge, TensorCoresMayExceedTheDatasheetAtAFasterClock) {
  AttemptRecord record = quiet_record();
  record.environment->devices[0].name = "NVIDIA H200";
  record.summaries = {timing("forward", 1.0)};
  record.work = forward_work(1.05e12);
  record.environment->states[0].sm_clock_mhz = 1700;
  EXPECT_EQ(judged(record).verdict, Verdict::kInvalid);
  record.environment->states[0].sm_clock_mhz = 1980;
  EXPECT_THAT(judged(record).reasons, IsEmpty());
  record.work = forward_work(1.15e12);
  EXPECT_THAT(
      judged(record).reasons,
      ElementsAre("forward ran at 1,150 TFLOP/s, above the device's dense bf16 peak at 1980 "
                  "MHz of 1,070 TFLOP/s: the clock stopped before the work did"));
}

TEST(Judge, BelowThePeakIsValid) {
  const Judgement judgement = judge_forward(timing("forward", 1.0), forward_work(0.98e12));
  EXPECT_EQ(judgement.verdict, Verdict::kValid);
  EXPECT_THAT(judgement.reasons, IsEmpty());
}

TEST(Judge, OnlyTheFastestStepAboveThePeakIsSuspect) {
  const Judgement judgement = judge_forward(timing("forward", 1.0, 0.5), forward_work(0.6e12));
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(judgement.reasons[0], HasSubstr("the fastest step of forward ran at 1,200 TFLOP/s"));
}

TEST(Judge, APeakIsPerArithmetic) {
  // 300 TFLOP/s are easy in bf16 and impossible in fp32.
  const Summary forward = timing("forward", 1.0);
  EXPECT_EQ(judge_forward(forward, forward_work(0.3e12)).verdict, Verdict::kValid);
  EXPECT_EQ(judge_forward(forward, forward_work(0.3e12, 0, "fp32")).verdict, Verdict::kInvalid);
}

TEST(Judge, RanksBringTheirDevices) {
  const auto judge_on = [&](const std::vector<std::string>& uuid_of_rank) {
    AttemptRecord record = quiet_record();
    record.summaries = {timing("forward", 1.0)};
    record.work = forward_work(3e12);  // the work of all four ranks
    const DeviceInfo gpu = record.environment->devices.front();
    record.environment->devices.clear();
    for (const std::string& uuid : uuid_of_rank) {
      record.environment->devices.push_back(gpu);
      record.environment->devices.back().uuid = uuid;
    }
    return judged(record, static_cast<std::int64_t>(uuid_of_rank.size()));
  };
  EXPECT_EQ(judge_on({"a", "b", "c", "d"}).verdict, Verdict::kValid);
  const Judgement two = judge_on({"a", "b"});
  EXPECT_EQ(two.verdict, Verdict::kInvalid);
  EXPECT_THAT(two.reasons[0], HasSubstr("above the 2 devices' dense bf16 peak of 1,979 TFLOP/s"));
  // On a CPU, which its ranks share, all of them together are one device.
  const Judgement shared = judge_on({"a", "a", "a", "a"});
  EXPECT_EQ(shared.verdict, Verdict::kInvalid);
  EXPECT_THAT(shared.reasons[0], HasSubstr("above the device's dense bf16 peak of 989 TFLOP/s"));
}

TEST(Judge, MemoryTrafficAboveThePeakIsInvalid) {
  const Judgement judgement = judge_forward(timing("forward", 1.0), forward_work(0, 6e9));
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons[0], HasSubstr("forward moved 6,000 GB/s, above the device's memory "
                                              "peak of 4,800 GB/s"));
}

// A copy of 16 MB in a loop stays in L2. It is fast, but the clock is right.
TEST(Judge, WhatFitsInTheCacheIsOnlySuspect) {
  const Judgement judgement = judge_forward(timing("forward", 0.002), forward_work(0, 16e6));
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(judgement.reasons[0], HasSubstr("it fits in the cache of 50 MiB"));
}

// Two cores do at most 64 fp32 operations a cycle each, at 6.2 GHz at most.
TEST(Judge, NoCpuIsFasterThanItsCores) {
  const Peak ceiling = cpu_ceiling(2, "fp32");
  EXPECT_DOUBLE_EQ(ceiling.flops_per_s, 793.6e9);
  EXPECT_EQ(cpu_ceiling(2, "bf16").flops_per_s, 32 * ceiling.flops_per_s);
  const auto judge_on = [](std::int64_t cores, double ms) {
    AttemptRecord record = quiet_record();
    record.summaries = {timing("forward", ms)};
    record.work = forward_work(1e12, 1e15, "fp32");
    record.environment->devices[0].kind = "cpu";
    record.environment->host.cores = cores;
    return judged(record);
  };
  EXPECT_EQ(judge_on(2, 1300).verdict, Verdict::kValid);
  const Judgement above = judge_on(2, 500);
  EXPECT_EQ(above.verdict, Verdict::kInvalid);
  EXPECT_THAT(above.reasons,
              ElementsAre("forward ran at 2 TFLOP/s, above the fp32 limit of any CPU's cores of "
                          "0.794 TFLOP/s: the clock stopped before the work did"));
  EXPECT_EQ(judge_on(0, 1e-9).verdict, Verdict::kValid) << "an unknown number has no limit";
}

TEST(Judge, NoTimeForSomeWorkIsInvalidOnEveryDevice) {
  const Judgement judgement =
      judge_forward(timing("forward", 0), forward_work(1e9), "GPU of next year");
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_THAT(judgement.reasons[0], HasSubstr("forward took 0 ms"));
}

TEST(Judge, WithoutAPeakNothingIsClaimed) {
  EXPECT_EQ(judge_forward(timing("forward", 1e-6), forward_work(1e15), "GPU of next year").verdict,
            Verdict::kValid);
}

TEST(Judge, FewSamplesAreNoReason) {
  Summary one = timing("forward", 1.0);
  one.stats.n = 1;
  EXPECT_EQ(judge_forward(one, forward_work(1e11)).verdict, Verdict::kValid);
}

TEST(Judge, HostTimeCountsWhereThereIsNoOther) {
  AttemptRecord record = quiet_record();
  record.work = {"bf16", 0, {{"step", 1.5e12, 0}}, {}};
  Summary host = timing("step", 1.0);
  host.metric = "host_time";
  Summary setup = timing("step", 1e-9);
  setup.metric = "setup_time";
  const Summary device = timing("step", 2.0);
  record.summaries = {host};
  EXPECT_EQ(judged(record).verdict, Verdict::kInvalid);
  record.summaries = {host, device};
  EXPECT_EQ(judged(record).verdict, Verdict::kValid);
  record.summaries = {setup, device};
  EXPECT_EQ(judged(record).verdict, Verdict::kValid);
}

TEST(Judge, ThrottlingIsSuspectIdlingIsNot) {
  struct Case {
    const char* reasons;
    Verdict verdict;
  };
  const Case cases[] = {
      {"", Verdict::kValid},
      {"gpu_idle", Verdict::kValid},
      {"gpu_idle, applications_clocks_setting", Verdict::kValid},
      {"sw_power_cap", Verdict::kValid},
      {"gpu_idle,hw_thermal_slowdown", Verdict::kSuspect},
      {"hw_slowdown", Verdict::kSuspect},
  };
  for (const Case& c : cases) {
    AttemptRecord record = quiet_record();
    Environment& environment = *record.environment;
    environment.states[1].throttle_reasons = c.reasons;
    EXPECT_EQ(judged(record).verdict, c.verdict) << c.reasons;
  }
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.states[1].throttle_reasons = "sw_power_cap";
  EXPECT_THAT(judged(record).reasons,
              ElementsAre("at power limit: the device ran after the measured steps"));
  environment.states[1].throttle_reasons = "gpu_idle, sw_power_cap, hw_slowdown";
  environment.states[1].sm_clock_mhz = 1305;
  EXPECT_THAT(
      judged(record).reasons,
      ElementsAre("at power limit: the device ran at 1305 MHz after the measured steps",
                  "the device was throttled at 1305 MHz (hw_slowdown) after the measured steps"));
}

TEST(Judge, OtherProcessesAreSuspect) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.states[0].other_processes = 2;
  environment.states[1].other_processes = 1;
  environment.states[1].rank = 3;
  EXPECT_THAT(judged(record).reasons,
              ElementsAre("2 other processes were on the device before the measured steps",
                          "1 other process was on the device of rank 3 after the measured steps"));
}

TEST(Judge, CoresThatOthersTookFromTheLease) {
  struct Case {
    const char* leased;
    double lost, stolen;
    Verdict verdict;
    const char* why;
  };
  const Case cases[] = {
      {"0-3", 0.0, 0.0, Verdict::kValid, "undisturbed"},
      {"0-3", 0.39, 0.0, Verdict::kValid, "below a tenth of four cores"},
      {"0-3", 0.41, 0.0, Verdict::kSuspect, "above it"},
      {"0-1", 0.0, 0.3, Verdict::kSuspect, "another guest of the hypervisor counts alike"},
      {"0,2,4-5", 0.39, 0.0, Verdict::kValid, "lists have gaps"},
      {"", 0.2, 0.0, Verdict::kSuspect, "an unknown lease has one core at least"},
      {"garbage", 0.2, 0.0, Verdict::kSuspect, "an unreadable one too"},
  };
  for (const Case& c : cases) {
    AttemptRecord record = quiet_record();
    Environment& environment = *record.environment;
    environment.cores = c.leased;
    environment.states[1].cores_lost_to_others = c.lost;
    environment.states[1].cores_stolen = c.stolen;
    EXPECT_EQ(judged(record).verdict, c.verdict) << c.leased << ": " << c.why;
  }
}

TEST(Judge, SaysHowMuchOthersTook) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.cores = "0-1";
  environment.states[1].cores_lost_to_others = 0.84;
  environment.states[1].cores_stolen = 0.3;
  EXPECT_THAT(
      judged(record).reasons,
      ElementsAre("other processes kept 0.8 of the 2 leased cores busy during the measured steps",
                  "the hypervisor took 0.3 of the 2 leased cores away during the measured steps"));
}

TEST(Judge, AQuotaThatWasUsedUp) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.states[1].quota_periods = 74;
  environment.states[1].throttled_periods = 0;
  EXPECT_EQ(judged(record).verdict, Verdict::kValid);
  environment.states.push_back(environment.states[1]);
  environment.states[2].rank = 1;
  environment.states[2].throttled_periods = 65;
  const Judgement judgement = judged(record, 2);
  EXPECT_EQ(judgement.verdict, Verdict::kSuspect);
  EXPECT_THAT(
      judgement.reasons,
      ElementsAre("the CPU quota was used up in 65 of 74 periods during the measured steps"));
}

TEST(Judge, ALoadThatDidNotTouchTheLeaseIsNoMatter) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.states[0].load_average = 40;
  environment.states[1].load_average = 40;
  EXPECT_EQ(judged(record).verdict, Verdict::kValid);
}

TEST(Judge, MoreRanksThanCores) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.host.cores = 2;
  EXPECT_EQ(judged(record, 2).verdict, Verdict::kValid);
  EXPECT_THAT(judged(record, 4).reasons, ElementsAre("4 ranks shared 2 cores"));
  // Two of the four are on another host, so the load on this one's cores matters.
  environment.cores = "0";
  environment.states[1].cores_lost_to_others = 0.84;
  for (int rank = 0; rank < 4; ++rank) {
    const char* node = rank < 2 ? "17.0 on node1" : "17.0 on node2";
    record.facts.push_back({rank, "slurm.step", std::nullopt, node});
  }
  EXPECT_THAT(judged(record, 4).reasons,
              ElementsAre("other processes kept 0.8 of the 1 leased core busy during the measured "
                          "steps"));
}

TEST(Judge, AllReasonsAreKeptAndTheWorstDecides) {
  AttemptRecord record = quiet_record();
  Environment& environment = *record.environment;
  environment.states[0].other_processes = 1;
  record.summaries = {timing("forward", 1.0)};
  record.work = forward_work(2e12);
  const Judgement judgement = judged(record);
  EXPECT_EQ(judgement.verdict, Verdict::kInvalid);
  EXPECT_EQ(judgement.reasons.size(), 2u);
}

// The journals' rule names what is missing.
TEST(Judge, ATimingWithoutItsWorkOrDeviceIsNotJudgedByThem) {
  AttemptRecord record = quiet_record();
  record.environment->states[0].other_processes = 1;
  EXPECT_EQ(judged(record).verdict, Verdict::kSuspect);
  record.work.reset();
  EXPECT_THAT(judged(record).reasons, IsEmpty());
  record = quiet_record();
  record.environment->devices.clear();
  EXPECT_THAT(judged(record).reasons, IsEmpty());
}

TEST(Judge, WhatDidNotEndWellIsNotJudged) {
  AttemptRecord record = quiet_record();
  record.environment->states[0].other_processes = 1;
  record.ending = {Crashed{}, 0};
  EXPECT_THAT(judged(record).reasons, IsEmpty());
}

TEST(Judge, AProfileIsJudgedByItsSurroundings) {
  AttemptRecord record = quiet_record();
  record.environment->states[0].other_processes = 1;
  const auto verdict = [&](Pass pass) { return judge(JudgedAt::kStoring, {record, pass}).verdict; };
  EXPECT_EQ(verdict(Pass::kProfile), Verdict::kSuspect);
  EXPECT_EQ(verdict(Pass::kMemory), Verdict::kValid) << "a size does not depend on them";
}

TEST(Verdict, Names) {
  EXPECT_EQ(name_of(Verdict::kValid), "valid");
  EXPECT_EQ(name_of(Verdict::kSuspect), "suspect");
  EXPECT_EQ(name_of(Verdict::kInvalid), "invalid");
}

}  // namespace
}  // namespace sweepd
