// Tests Reader::results for figures of passes and devices, with their units and limits.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "runner/model/vocabulary/cell_name.h"
#include "tests/db/results_fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ResultsTest, MemoryMetricsComeFromTheMemoryPass) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kMemory};
  const auto queued = submit(request).queued;
  finish(done(queued[0].row, 10, 20));
  AttemptRecord record = done(queued[1].row, 11, 21);
  record.memory = {{0, "forward", 1_MiB, 2_MiB, 8_MiB, 16_MiB, 32_MiB},
                   {1, "forward", 1_MiB, 2_MiB, 9_MiB, 16_MiB, 32_MiB},
                   {0, "step", 1_MiB, 1_MiB, 9_MiB, 16_MiB, 32_MiB}};
  finish(record);
  auto query = by({"model"}, {"phase"});
  query.table.metric = "peak_allocated_bytes";
  const auto results = ask(query);
  EXPECT_EQ(results.unit, "B");
  EXPECT_THAT(lines(results),
              testing::UnorderedElementsAre("xl forward done 9437184", "xl step done 9437184"));
  query = by({"rank"}, {}, {{"phase", {"forward"}}});
  query.table.metric = "peak_allocated_bytes";
  EXPECT_THAT(lines(ask(query)), ElementsAre("0 done 8388608", "1 done 9437184"));
  query = by({"metric"}, {}, {{"metric", {"at_start_bytes", "peak_reserved_bytes"}}});
  EXPECT_THAT(lines(ask(query)),
              testing::UnorderedElementsAre("at_start_bytes done 1048576",
                                            "peak_reserved_bytes done 16777216"));
  query = by({"step"});
  query.table.metric = "peak_allocated_bytes";
  EXPECT_THAT(refusal(query), HasSubstr("measured once per phase"));
  // The memory pass never mixes into a timing, unless it is requested.
  EXPECT_THAT(lines(ask(by({"model"}))), ElementsAre("xl done 30"));
  EXPECT_THAT(lines(ask(by({"pass"}))),
              testing::UnorderedElementsAre("timing done 30", "memory done 32"));
}

// A program that reports no memory has a resident set, but no allocator's peak.
TEST_F(ResultsTest, WhatNoAllocatorToldIsBlank) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kMemory};
  AttemptRecord record = done(submit(request).queued.front().row, 10, 20);
  record.memory = {{0, "step", {}, {}, {}, {}, 32_MiB}};
  finish(record);
  auto query = by({"metric"}, {},
                  {{"metric", {"peak_allocated_bytes", "at_end_bytes", "device_in_use_bytes"}}});
  EXPECT_THAT(lines(ask(query)), ElementsAre("device_in_use_bytes done 33554432"));
}

// "val/loss" of a program is stored as `val_loss`, and its attempt has the fact.
TEST_F(ResultsTest, AMetricIsFoundAndCalledAsItsProgramDoes) {
  const auto queued = submit(sweep("s", {{{"model", "xl"}}, {{"model", "large"}}})).queued;
  const auto finish_with = [&](std::size_t i, const std::vector<std::string>& names) {
    AttemptRecord record = done(queued[i].row, 10, 20);
    for (const char* stored : {"val_loss", "val_loss_2"}) {
      record.samples.push_back({0, 1, "step", stored, 3, false});
    }
    record.summaries = summarize_samples(record.samples);
    record.facts = {{0, "metric.val_loss", std::nullopt, names[0]},
                    {0, "metric.val_loss_2", std::nullopt, names[1]}};
    finish(record);
  };
  using Shown = std::vector<std::pair<std::string, std::string>>;
  finish_with(0, {"val/loss", "val.loss"});
  const auto shown_for = [&](const std::string& metric) {
    QuerySpec query = by({"model"});
    query.table.metric = metric;
    const ResultSet results = ask(query);
    EXPECT_THAT(lines(results), testing::Contains("xl done 3")) << metric;
    return results.shown;
  };
  EXPECT_EQ(shown_for("val_loss"), (Shown{{"val_loss", "val/loss"}}));
  EXPECT_EQ(shown_for("val/loss"), (Shown{{"val_loss", "val/loss"}}));
  EXPECT_EQ(shown_for("val.loss"), (Shown{{"val_loss_2", "val.loss"}}));
  QuerySpec unknown = by({"model"});
  unknown.table.metric = "val-loss";
  EXPECT_THAT(refusal(unknown), HasSubstr("have no `val-loss`"));
  std::vector<std::string> named;
  const auto details = reader_->attempt_details(queued[0].row, false);
  ASSERT_TRUE(details);
  for (const Table& table : *details) {
    if (!table.title.starts_with("Summary")) continue;
    for (const auto& row : table.rows) named.push_back(row[3].text);
  }
  EXPECT_THAT(named, testing::IsSupersetOf({"val_loss (val/loss)", "val_loss_2 (val.loss)"}));
  finish_with(1, {"val-loss", "val.loss"});
  EXPECT_EQ(shown_for("val_loss"), Shown{}) << "two programs call it by two names";
}

TEST_F(ResultsTest, AMetricOfWarmUpStepsOnlyIsNotUnknown) {
  AttemptRecord record = done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20);
  record.samples.push_back({0, 0, "step", "gradient_norm", 3, true});
  record.summaries = summarize_samples(record.samples);
  finish(record);
  QuerySpec query = by({"model"});
  query.table.metric = "gradient_norm";
  EXPECT_EQ(refusal(query),
            "metric: all values of `gradient_norm` are of warm-up steps; measure with fewer of "
            "them (`warmup`)");
}

// A program for torchrun trains one model with all of its ranks, and sweepd does not see it.
TEST_F(ResultsTest, WhetherAProgramsRanksMeetIsNotSaid) {
  catalog_ = {{workload_def<ToyParams>("command")}};
  reopen();
  auto mine = sweep("s", {{{"world_size", "2"}}});
  mine.sweep.workload = "command";
  finish(done(submit(mine).queued.front().row, 10, 20));
  QuerySpec query;
  query.workload = "command";
  const auto ranks = reader_->ranks_seen(query);
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_TRUE(ranks->several);
  EXPECT_FALSE(ranks->apart);
}

// A profile's passes through a range are samples that no timing has.
TEST_F(ResultsTest, TimesOfRangesComeFromTheProfilePass) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kTiming, Pass::kProfile};
  const auto queued = submit(request).queued;
  finish(done(queued[0].row, 10, 20));
  AttemptRecord record = done(queued[1].row, 11, 21);
  record.samples = {{0, 0, "forward", "range_time.attention.softmax", 2, false},
                    {0, 1, "forward", "range_time.attention.softmax", 4, false}};
  record.summaries = summarize_samples(record.samples);
  finish(record);
  auto query = by({"model"}, {}, {{"phase", {"forward"}}});
  query.table.metric = "range_time.attention.softmax";
  EXPECT_EQ(ask(query).unit, "ms");
  EXPECT_THAT(lines(ask(query)), ElementsAre("xl done 3"));
  query = by({"step"}, {}, {{"phase", {"forward"}}});
  query.table.metric = "range_time.attention.softmax";
  EXPECT_THAT(lines(ask(query)), ElementsAre("0 done 2", "1 done 4"));
  query.table.metric = "range_time.ffn";  // none was recorded
  for (const ResultRow& row : ask(query).rows) EXPECT_EQ(row.stats.n, 0);
}

TEST_F(ResultsTest, MetricsSideBySideHaveAUnitWhenTheyShareOne) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.samples.push_back({0, 1, "step", "host_time", 31, false});
  record.samples.push_back({0, 1, "step", "loss", 2.5, false});
  record.summaries = summarize_samples(record.samples);
  finish(record);
  auto results = ask(by({}, {"metric"}, {{"phase", {"step"}}}));
  EXPECT_THAT(results.dimensions[0].values, ElementsAre("time", "host_time", "loss"));
  EXPECT_EQ(results.metric, "time, host_time, loss");
  EXPECT_EQ(results.unit, "");
  results = ask(by({}, {"metric"}, {{"metric", {"host_time", "time"}}}));
  EXPECT_THAT(results.dimensions[0].values, ElementsAre("host_time", "time"));
  EXPECT_EQ(results.unit, "ms");
  results = ask(by({}, {"metric"}, {{"phase", {"forward"}}}));  // only `time` has this phase
  EXPECT_EQ(results.unit, "ms");
}

// If all compiled steps were skipped, their report must not call the metric a mistake.
TEST_F(ResultsTest, MetricsOfTheSetUpAreKnownBeforeAnyWasMeasured) {
  auto record = done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20);
  record.samples.push_back({0, 0, "setup", "setup_time", 200, false});
  record.summaries = summarize_samples(record.samples);
  finish(record);
  for (const auto& [metric, measured] : {std::pair{"setup_time", true},
                                         {"capture_time", false},
                                         {"compile_time", false},
                                         {"load_time", false},
                                         {"rendezvous_time", false}}) {
    auto query = by({"model"}, {});
    query.table.metric = metric;
    const auto results = ask(query);
    ASSERT_EQ(results.rows.size(), 1U) << metric;
    EXPECT_EQ(results.rows[0].stats.n, measured ? 1 : 0) << metric;
    EXPECT_EQ(results.unit, "ms") << metric;
  }
}

TEST_F(ResultsTest, WorkAndPeaksComeWithDerivedFigures) {
  const auto row = submit(sweep("s", {{{"model", "xl"}}})).queued.front().row;
  finish(done(row, 10, 20));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {5e11, 0}, {}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "", {0, 1e10}, {}, row));
  auto query = by({"model"}, {"phase"}, {{"phase", {"backward"}}});
  query.table.cell = "{mean:.1f} ({mfu:.1%})";
  const ResultRow result = ask(query).rows.at(0);
  EXPECT_EQ(result.flops, 2e9);
  EXPECT_EQ(result.bytes, 2e6);
  EXPECT_EQ(result.tokens, 512);
  EXPECT_EQ(result.peak_flops_per_s, 5e11);
  EXPECT_EQ(result.peak_bytes_per_s, 1e10);
}

// Each rank's GPU counts its own energy. The summary, the samples behind it and a query that reads
// samples must agree.
TEST_F(ResultsTest, EnergyIsTheSumOfTheRanks) {
  const auto row = submit(sweep("s", {{{"world_size", "2"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  for (const int rank : {0, 1}) {
    for (const std::int64_t step : {1, 2}) {
      record.samples.push_back({rank, step, "step", "energy", 10.0 * (rank + 1), false});
    }
  }
  record.summaries = summarize_samples(record.samples);
  finish(record);
  auto query = by({"world_size"}, {});
  query.table.metric = "energy";
  for (const char* cell : {"{mean}", "{median}"}) {
    query.table.cell = cell;
    const ResultRow result = ask(query).rows.at(0);
    EXPECT_EQ(result.stats.n, 2) << cell;
    EXPECT_DOUBLE_EQ(result.stats.mean, 30) << cell;
    EXPECT_DOUBLE_EQ(result.stats.median, 30) << cell;
    for (const double sample : result.samples) EXPECT_EQ(sample, 30) << cell;
  }
  auto by_step = by({"step"}, {});
  by_step.table.metric = "energy";
  EXPECT_DOUBLE_EQ(ask(by_step).rows.at(0).stats.mean, 30);
  auto by_rank = by({"rank"}, {});
  by_rank.table.metric = "energy";
  EXPECT_DOUBLE_EQ(ask(by_rank).rows.at(1).stats.mean, 20);
}

// A lookup of work and peaks per attempt is wasted on any other figure.
TEST_F(ResultsTest, OnlyFiguresMadeOfWorkReadIt) {
  const std::set<std::string_view> made_of_work{
      "floor", "tokens_per_s", "tokens_per_joule", "tflops",         "hardware_tflops", "gbps",
      "mfu",   "hfu",          "reached",          "bandwidth_share"};
  finish(done(submit(sweep("s", {{{"model", "xl"}}})).queued.front().row, 10, 20));
  for (const CellName& figure : cell_names()) {
    const std::string name(figure.name);
    auto in_cell = by({"model"}), in_sort = by({"model"});
    in_cell.table.cell = "{" + name + "}";
    in_sort.table.sort = {"-" + name};
    const std::int64_t tokens = made_of_work.contains(figure.name) ? 512 : 0;
    EXPECT_EQ(ask(in_cell).rows.at(0).tokens, tokens) << name;
    EXPECT_EQ(ask(in_sort).rows.at(0).tokens, tokens) << name;
  }
}

TEST_F(ResultsTest, KnownDevicesHaveTheirDatasheetPeak) {
  const auto row = submit(sweep("s", {{{"world_size", "2"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.environment->devices.clear();
  for (int i = 0; i < 2; ++i) {
    DeviceInfo gpu;
    gpu.kind = "cuda";
    gpu.index = i;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.name = "NVIDIA H200";
    record.environment->devices.push_back(gpu);
  }
  finish(record);
  const auto sheet = datasheet_peak("NVIDIA H200", "fp32");
  ASSERT_TRUE(sheet);
  auto query = by({"model"});
  query.table.cell = "{mfu}";
  EXPECT_EQ(ask(query).rows.at(0).peak_flops_per_s, 2 * sheet->flops_per_s);
}
// A busy machine changes no count, but who lost a line of the journal may have lost any value.
TEST_F(ResultsTest, ABusyMachineMakesTimesSuspectAlone) {
  const auto verdicts = [&](const char* sweep_name, const char* context, const char* reason) {
    AttemptRecord record =
        done(submit(sweep(sweep_name, {{{"context", context}}})).queued.front().row, 1, 2);
    record.facts = {{0, "layers", 2.0, ""}, {0, "skew_ms", 2.0, ""}};
    record.judgement = {Verdict::kSuspect, {reason}};
    finish(record);
    std::string found;
    const auto add = [&](QuerySpec query) {
      query.table.where.push_back({"context", {context}});
      for (const ResultRow& row : ask(query).rows) {
        if (row.stats.n > 0) found += fmt::format("{} ", name_of(row.verdict));
      }
    };
    for (const char* metric : {"fact.layers", "fact.skew_ms"}) {
      QuerySpec query = by({"model"});
      query.table.metric = metric;
      add(query);
    }
    add(by({"fact"}));  // both
    add(by({"model"}, {}, {{"phase", {"step"}}}));
    return found;
  };
  EXPECT_EQ(verdicts("a", "1", "the device was throttled (x) after the measured steps"),
            "valid suspect valid suspect suspect ");
  EXPECT_EQ(verdicts("b", "2", "1 line of the journal could not be read"),
            "suspect suspect suspect suspect suspect ");
}

}  // namespace
}  // namespace sweepd
