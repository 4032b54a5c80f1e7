// Tests the tables of a profile: shares, layouts, groupings, and invalid requests.
#include "runner/model/vocabulary/kernel_class.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class KernelTables : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    auto request = sweep("s", {{{"model", "xl"}}});
    request.sweep.passes = {Pass::kProfile, Pass::kTiming};
    for (const OpenAttempt& attempt : submit(request).queued) {
      (attempt.pass == Pass::kProfile ? profile_ : timing_) = attempt;
    }
    record_ = done(profile_.row, 10, 20);
    record_.samples.clear();
    record_.summaries.clear();
    // ns:                                            calls total mean median min max std
    record_.kernels = {
        kernel("forward", "ffn", "sgemm", 8, 2, 40e3, 20e3, 20e3, 10e3, 30e3, 14142.1356),
        kernel("forward", "lm_head", "sgemm", 16, 1, 30e3, 30e3, 30e3, 30e3, 30e3, 0),
        kernel("forward", "ffn", "void silu_kernel<float>(int)", 1, 1, 10e3, 10e3, 10e3, 10e3, 10e3,
               0),
        kernel("backward", "ffn", "sgemm", 8, 4, 20e3, 5e3, 5e3, 5e3, 5e3, 0)};
    record_.operators = {{0, "forward", "ffn", "aten::mm", 3, 6e3, 8e3, 70e3, 70e3},
                         {0, "forward", "ffn", "aten::silu", 1, 2e3, 2e3, 10e3, 10e3},
                         {0, "backward", "ffn", "aten::mm", 4, 2e3, 2e3, 20e3, 20e3}};
    record_.facts = {{0, "profile.step_ms", 0.15, ""}, {0, "profile.kernel_ms", 0.1, ""}};
  }

  static KernelStats kernel(const char* phase, const char* range, const char* name,
                            std::int64_t grid, std::int64_t calls, double total, double mean,
                            double median, double min, double max, double std) {
    KernelStats stats{0,     phase, range,  name, {grid, 1, 1}, {128, 1, 1}, calls,
                      total, mean,  median, min,  max,          std};
    classify(stats);
    return stats;
  }

  Result<std::vector<Table>> ask(const KernelView& view) {
    return reader_->attempt_kernels(profile_.row, view);
  }
  // Returns "a | b | c" for each row.
  std::vector<std::string> rows(const KernelView& view) {
    const auto tables = ask(view);
    EXPECT_TRUE(tables) << tables.error().message;
    std::vector<std::string> texts;
    for (const auto& row : tables->at(0).rows) {
      std::string& text = texts.emplace_back();
      for (const Cell& cell : row) text += (text.empty() ? "" : " | ") + cell.text;
    }
    return texts;
  }

  // Of the table `Profile`; "" if it has none.
  std::string property(const std::string& name) {
    const auto details = reader_->attempt_details(profile_.row, false);
    for (const Table& table : *details) {
      if (table.title != "Profile") continue;
      for (const auto& row : table.rows) {
        if (row[0].text == name) return row[1].text;
      }
    }
    return "";
  }

  OpenAttempt profile_, timing_;
  AttemptRecord record_;
};

TEST_F(KernelTables, AsNsysPrintsThem) {
  finish(record_);
  // The three rows of sgemm are 10 30 30 5 5 5 5, whose standard deviation is 11.85.
  EXPECT_THAT(rows({}), ElementsAre("90.00 | 0.090 | 7 | 12.86 | — | 5.00 | 30.00 | 11.85 | sgemm",
                                    "10.00 | 0.010 | 1 | 10.00 | 10.00 | 10.00 | 10.00 | 0.00 | "
                                    "silu_kernel<float>"));
  KernelView forward;
  forward.phase = "forward";
  EXPECT_THAT(rows(forward)[0], HasSubstr("87.50 | 0.070 | 3 | 23.33 | — | 10.00 | 30.00"));
  KernelView launches = forward;
  launches.by = KernelGrouping::kLaunch;
  launches.top = 2;
  EXPECT_THAT(rows(launches), ElementsAre("50.00 | 0.040 | 2 | 20.00 | 20.00 | 10.00 | 30.00 | "
                                          "14.14 | 8 1 1 | 128 1 1 | sgemm",
                                          "37.50 | 0.030 | 1 | 30.00 | 30.00 | 30.00 | 30.00 | "
                                          "0.00 | 16 1 1 | 128 1 1 | sgemm"));
  EXPECT_THAT(ask(launches)->at(0).notes,
              ElementsAre("2 of 3 rows", "Kernel time total: 0.080 ms"));
}

TEST_F(KernelTables, ALaunchHasItsRegistersAndOccupancyWhereTheyAreKnown) {
  KernelStats& gemm = record_.kernels[0];
  gemm.registers = 168;
  gemm.shared = Bytes{99'328};
  gemm.occupancy = 0.125;
  gemm.waves = 0.06;
  finish(record_);
  KernelView launches;
  launches.by = KernelGrouping::kLaunch;
  std::vector<std::string> names;
  const auto tables = ask(launches);
  for (const Column& column : tables->at(0).columns) names.push_back(column.name);
  EXPECT_THAT(
      names, ElementsAre("Time", "Total", "Instances", "Avg", "Med", "Min", "Max", "StdDev", "Grid",
                         "Block", "Registers", "Shared", "Occupancy", "Waves", "Name"));
  const auto table = rows(launches);
  EXPECT_THAT(table[0], HasSubstr("| 8 1 1 | 128 1 1 | 168 | 97.0 | 12.5 | 0.06 | sgemm"));
  EXPECT_THAT(table[1], HasSubstr("| 16 1 1 | 128 1 1 | - | - | - | - | sgemm"));
  EXPECT_THAT(table[2], HasSubstr("| 8 1 1 | 128 1 1 | - | - | - | - | sgemm"))
      << "the same shape with other registers is another launch";
}

TEST_F(KernelTables, ALaunchHasItsRatesAndItsShareOfTheRoofline) {
  record_.environment->devices[0].name = "NVIDIA H100 80GB HBM3";
  KernelStats& gemm = record_.kernels[0];
  gemm.flops = 40e3 * 67'000;
  gemm.bytes = 40e3 * 1'000;
  gemm.arithmetic = "bf16";
  KernelStats& silu = record_.kernels[2];
  silu.bytes = 10e3 * 1'675;
  finish(record_);
  KernelView launches;
  launches.phase = "forward";
  launches.by = KernelGrouping::kLaunch;
  const auto tables = ask(launches);
  const auto& columns = tables->at(0).columns;
  EXPECT_EQ(columns[columns.size() - 4].name, "Computed");
  const auto table = rows(launches);
  EXPECT_THAT(table[0], HasSubstr("| 128 1 1 | 67.00 | 1000.0 | 29.9 | sgemm"));
  EXPECT_THAT(table[1], HasSubstr("| 128 1 1 | - | - | - | sgemm"));
  EXPECT_THAT(table[2], HasSubstr("| 128 1 1 | - | 1675.0 | 50.0 | silu_kernel<float>"));
  launches.phase = "";
  EXPECT_THAT(rows(launches)[0], HasSubstr("| 8 1 1 | 128 1 1 | - | - | - | sgemm"))
      << "the backward has rows without work";
  const auto profile = reader_->step_profile(profile_.row, 0);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_FALSE(profile->kernels[0].roofline);
  ASSERT_TRUE(profile->kernels[2].roofline);
  EXPECT_DOUBLE_EQ(profile->kernels[2].roofline->share, 0.5);
  EXPECT_EQ(profile->kernels[2].roofline->bound, RooflineShare::Bound::kMemory);
}

TEST_F(KernelTables, ByRangeAndByClass) {
  finish(record_);
  KernelView view;
  view.by = KernelGrouping::kRange;
  EXPECT_THAT(rows(view), ElementsAre(HasSubstr("70.00 | 0.070 | 7 | "), HasSubstr("| lm_head")));
  view.by = KernelGrouping::kClass;
  EXPECT_THAT(rows(view), ElementsAre(HasSubstr("| matmul"), HasSubstr("| elementwise")));
}

TEST_F(KernelTables, AsPytorchsProfilerPrintsThem) {
  finish(record_);
  KernelView view;
  view.layout = KernelLayout::kPytorch;
  EXPECT_THAT(
      rows(view),
      ElementsAre("aten::mm | 80.00 | 0.008 | 100.00 | 0.010 | 1.43 | 0.090 | 90.00 | 0.090 "
                  "| 12.86 | 7",
                  "sgemm | 0.00 | 0.000 | 0.00 | 0.000 | 0.00 | 0.090 | 90.00 | 0.090 | "
                  "12.86 | 7",
                  "aten::silu | 20.00 | 0.002 | 20.00 | 0.002 | 2.00 | 0.010 | 10.00 | "
                  "0.010 | 10.00 | 1",
                  "silu_kernel<float> | 0.00 | 0.000 | 0.00 | 0.000 | 0.00 | 0.010 | 10.00 | "
                  "0.010 | 10.00 | 1"));
  EXPECT_THAT(ask(view)->at(0).notes,
              ElementsAre("Self CPU time total: 0.010 ms", "Self CUDA time total: 0.100 ms"));
}

TEST_F(KernelTables, KernelsWithoutAnOperatorCountInTheWhole) {
  record_.kernels.push_back(
      kernel("forward", "ffn", "alone", 1, 1, 100e3, 100e3, 100e3, 100e3, 100e3, 0));
  finish(record_);
  KernelView view;
  view.layout = KernelLayout::kPytorch;
  EXPECT_THAT(rows(view), testing::AllOf(Contains(HasSubstr("0.100 | 50.00 | 0.100 | 100.00 | 1")),
                                         Contains(HasSubstr("0.090 | 45.00 | 0.090"))));
  EXPECT_EQ(ask(view)->at(0).notes[1], "Self CUDA time total: 0.200 ms");
}

TEST_F(KernelTables, WithoutOperatorsThereIsNoTableOfThem) {
  record_.operators.clear();
  finish(record_);
  KernelView view;
  view.layout = KernelLayout::kPytorch;
  const auto tables = reader_->attempt_kernels(profile_.row, view);
  ASSERT_FALSE(tables);
  EXPECT_THAT(tables.error().message, HasSubstr("has kernels of rank 0, but no operators"));
}

TEST_F(KernelTables, ATraceIsOfItsMarkedStepsOrOfWhatWasRecorded) {
  record_.facts = {{0, "profile.step_ms", 0.15, ""},
                   {0, "profile.steps", 2, ""},
                   {0, "trace.steps", 2, ""},
                   {0, "trace.outside_steps_ms", 0.02, ""}};
  finish(record_);
  EXPECT_EQ(ask({})->at(0).title, "Kernels of 2 steps");
  const auto profile = reader_->step_profile(profile_.row, 0);
  ASSERT_TRUE(profile);
  EXPECT_EQ(profile->kernels[0].total_ns, 30e3) << "of one step";
  EXPECT_EQ(property("profiled step"), "0.150 ms, mean of 2 steps");
  EXPECT_EQ(property("in kernels"), "0.050 ms (33.3 %)");
  EXPECT_EQ(property("outside marked steps"), "0.020 ms, which do not count");
}

TEST_F(KernelTables, WithoutMarksItIsTheSpan) {
  record_.facts = {{0, "profile.step_ms", 0.2, ""}, {0, "trace.steps", 0, ""}};
  finish(record_);
  EXPECT_EQ(ask({})->at(0).title, "Kernels of what was recorded");
  EXPECT_EQ(property("recorded span"), "0.200 ms");
  EXPECT_EQ(property("in kernels"), "0.100 ms (50.0 %)");
  EXPECT_EQ(property("differing kernels"), "") << "nothing was compared";
}

TEST_F(KernelTables, OnACpuThereAreNoColumnsOfCuda) {
  for (OperatorStats& op : record_.operators) op.self_device_ns = op.total_device_ns = 0;
  finish(record_);
  KernelView view;
  view.layout = KernelLayout::kPytorch;
  EXPECT_THAT(rows(view), ElementsAre("aten::mm | 80.00 | 0.008 | 100.00 | 0.010 | 1.43 | 7",
                                      "aten::silu | 20.00 | 0.002 | 20.00 | 0.002 | 2.00 | 1"));
}

TEST_F(KernelTables, WhatCannotBeAskedSaysWhy) {
  const auto message = [&](std::int64_t row, const KernelView& view) {
    const auto tables = reader_->attempt_kernels(row, view);
    return tables ? "no error" : tables.error().message;
  };
  EXPECT_THAT(message(profile_.row, {}), HasSubstr("has no kernels: it is not done"));
  finish(record_);
  finish(done(timing_.row, 10, 20));
  KernelView sideward;
  sideward.phase = "sideward";
  EXPECT_THAT(message(profile_.row, sideward),
              HasSubstr("no kernels in phase `sideward`; expected"));
  KernelView third;
  third.rank = 3;
  EXPECT_THAT(message(profile_.row, third), HasSubstr("no kernels of rank 3"));
  EXPECT_THAT(message(timing_.row, {}), HasSubstr("is of the timing pass"));
}

TEST_F(KernelTables, TheClocksOfAProfileAreThoseOfTheTimingOfTheSameTrial) {
  finish(record_);
  EXPECT_THAT(reader_->step_profile(profile_.row, 0)->clocks_mhz, testing::IsEmpty());
  AttemptRecord timing = done(timing_.row, 10, 20);
  timing.samples.push_back({0, 0, "step", "device_clock", 345, true});
  timing.samples.push_back({0, 2, "step", "device_clock", 1755, false});
  timing.samples.push_back({0, 1, "step", "device_clock", 1980, false});
  timing.samples.push_back({1, 1, "step", "device_clock", 1200, false});
  DeviceState after;
  after.moment = "after";
  after.throttle_reasons = "sw_power_cap";
  timing.environment->states = {after};
  finish(timing);
  const auto profile = reader_->step_profile(profile_.row, 0);
  ASSERT_TRUE(profile);
  EXPECT_THAT(profile->clocks_mhz, ElementsAre(1980, 1755)) << "by step, without the warm-up";
  EXPECT_EQ(profile->throttle_reasons, "sw_power_cap");
  EXPECT_THAT(reader_->step_profile(timing_.row, 0).error().message, HasSubstr("no kernels"));
}

TEST_F(KernelTables, OverheadIsAgainstTheTimingPassOfTheSameTrial) {
  finish(record_);
  EXPECT_EQ(property("profiled step"), "0.150 ms");
  EXPECT_THAT(property("overhead"), HasSubstr("unknown"));
  finish(done(timing_.row, 0.04, 0.08));  // a step of 0.12 ms
  EXPECT_EQ(property("timing pass, median"), "0.120 ms");
  EXPECT_EQ(property("overhead"), "+25.0 %");
  EXPECT_EQ(property("in kernels"), "0.100 ms (66.7 %)");
}

}  // namespace
}  // namespace sweepd
