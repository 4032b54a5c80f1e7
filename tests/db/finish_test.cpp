// Tests that an attempt's results are stored, and only once.
#include <cmath>
#include <limits>

#include "runner/model/vocabulary/kernel_class.h"
#include "tests/db/fixture.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(DbTest, AJournalReadTwiceIsStoredOnce) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  const auto first = store_->finish(done(row, 10, 20));
  ASSERT_TRUE(first);
  EXPECT_TRUE(*first);
  const auto before = sql("SELECT (SELECT count(*) FROM sample), (SELECT ended_ns FROM attempt)");
  reopen();
  const auto second = store_->finish(done(row, 99, 99, WallTime{9'000'000'000}));
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
  EXPECT_THAT(before, ElementsAre("9|5000000000"));
  EXPECT_EQ(sql("SELECT (SELECT count(*) FROM sample), (SELECT ended_ns FROM attempt)"), before);
  EXPECT_THAT(sql("SELECT median FROM toy WHERE phase = 'forward'"), ElementsAre("10.0"));
}

AttemptRecord with_samples(std::int64_t row, std::size_t samples) {
  AttemptRecord record;
  record.row = row;
  record.ending = {Done{"fixed_steps"}, 0};
  record.ended = WallTime{5'000'000'000};
  for (std::size_t i = 0; i < samples; ++i) {
    record.samples.push_back({0, static_cast<std::int64_t>(i), "step", "time", 1.5, false});
  }
  return record;
}

TEST_F(DbTest, SamplesStoredInSlicesCountOnceAndOnlyWhenTheAttemptHasEnded) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  const AttemptRecord record = with_samples(row, Store::kSampleSlice + 7);
  const auto first = store_->store_samples(record, 0);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first, Store::kSampleSlice);
  EXPECT_THAT(sql("SELECT outcome IS NULL, (SELECT count(*) FROM summary) FROM attempt"),
              ElementsAre("1|0"));
  const auto finished = store_->finish(record, *first);
  ASSERT_TRUE(finished && *finished);
  EXPECT_THAT(sql("SELECT count(*), min(step), max(step) FROM sample"),
              ElementsAre(std::to_string(Store::kSampleSlice + 7) + "|0|" +
                          std::to_string(Store::kSampleSlice + 6)));
  const auto again = store_->store_samples(with_samples(row, 3), 0);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, 0U) << "it has ended: nothing is changed";
}

// A daemon that died between two slices leaves this. Its successor may read less, if the journal's
// last page was lost in a power failure.
TEST_F(DbTest, SlicesOfADaemonThatDiedAreReplaced) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  ASSERT_TRUE(store_->store_samples(with_samples(row, Store::kSampleSlice + 7), 0));
  reopen();
  const auto finished = store_->finish(with_samples(row, 3));
  ASSERT_TRUE(finished && *finished);
  EXPECT_THAT(sql("SELECT count(*) FROM sample"), ElementsAre("3"));
}

TEST_F(DbTest, AnUnknownAttemptCannotEnd) {
  const auto finished = store_->finish(done(4711, 1, 1));
  ASSERT_FALSE(finished);
  EXPECT_EQ(finished.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(finished.error().message, HasSubstr("4711"));
}

TEST_F(DbTest, AnEndedAttemptCannotStartOrQueueAgain) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  finish(done(row, 1, 1));
  for (const auto& refused :
       {store_->mark_started(row, WallTime{1}, {}), store_->mark_queued(row)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kFailedPrecondition);
  }
}

TEST_F(DbTest, EveryKindOfEndingComesBackAsItWas) {
  int context = 0;
  const auto comes_back = [&](const Ending& ending, const std::string& verdict = "") {
    const auto attempt =
        submit(sweep("s", {{{"context", std::to_string(++context)}}})).queued.front();
    finish(ended(attempt.row, ending));
    const auto found = reader_->find_attempt(attempt.id);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->outcome(), outcome_of(ending));
    EXPECT_EQ(found->detail, describe(ending));
    EXPECT_EQ(found->verdict, verdict);
  };
  comes_back({Done{"relative_error"}, 0}, "valid");
  comes_back({Oom{1_GiB, 2_GiB, 4_GiB, "backward"}, 1});
  comes_back({Timeout{seconds(90), "setup"}, 0});
  comes_back({Crashed{9, std::nullopt, "forward"}, 0});
  comes_back({Crashed{std::nullopt, 3, ""}, 0});
  comes_back({Crashed{std::nullopt, std::nullopt, ""}, 2});
  comes_back({Failed{"loss was NaN", "step"}, 0});
  comes_back({Cancelled{"its sweep was cancelled"}, 0});
  comes_back({Skipped{"no GPU here"}, 0});
  EXPECT_THAT(sql("SELECT stop_reason FROM attempt WHERE outcome = 'done'"),
              ElementsAre("relative_error"));
}

TEST_F(DbTest, KeepsWorkFiguresMemoryFactsAndStates) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kMemory};
  const auto row = submit(request).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.memory = {{0, "forward", 1_MiB, 2_MiB, 8_MiB, 16_MiB, 32_MiB},
                   {1, "forward", 1_MiB, 2_MiB, 9_MiB, 16_MiB, 32_MiB}};
  record.facts = {{0, "logits.dtype", std::nullopt, "bfloat16"}, {0, "loss", 2.5, ""}};
  DeviceState state;
  state.moment = "before";
  state.sm_clock_mhz = 1980;
  record.states = {state};
  finish(record);
  EXPECT_THAT(sql("SELECT name, value, formula FROM figures"),
              ElementsAre("parameters|1998235200.0|V*d"));
  EXPECT_THAT(sql("SELECT rank, phase, peak_allocated_bytes FROM memories"),
              ElementsAre("0|forward|8388608", "1|forward|9437184"));
  EXPECT_THAT(sql("SELECT name, number, text FROM facts ORDER BY name"),
              ElementsAre("logits.dtype||bfloat16", "loss|2.5|"));
  EXPECT_THAT(sql("SELECT moment, sm_clock_mhz, temperature_celsius IS NULL FROM device_state"),
              ElementsAre("before|1980|1"));
  EXPECT_THAT(sql("SELECT torch_version, tf32_matmul IS NULL FROM environment"),
              ElementsAre("2.11.0|1"));
  EXPECT_THAT(sql("SELECT model, rank, peak_allocated_bytes, device_name FROM toy_memory"),
              ElementsAre("xl|0|8388608|Test CPU", "xl|1|9437184|Test CPU"));
  EXPECT_THAT(sql("SELECT count(*) FROM pragma_foreign_key_check"), ElementsAre("0"));
}

TEST_F(DbTest, KernelsAreStoredWithTheirClassAndShortName) {
  auto request = sweep("s", {{{"model", "xl"}}});
  request.sweep.passes = {Pass::kProfile};
  const auto row = submit(request).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.kernels = {{0,
                     "forward",
                     "ffn",
                     "ampere_sgemm_128x64_tn",
                     {8, 4, 1},
                     {128, 1, 1},
                     3,
                     30,
                     10,
                     9,
                     8,
                     13,
                     2},
                    {0,
                     "optimizer",
                     "other",
                     "void f<4, at::native::CUDAFunctor_add<float> >(int)",
                     {1, 1, 1},
                     {64, 1, 1},
                     1,
                     5,
                     5,
                     5,
                     5,
                     5,
                     0}};
  for (KernelStats& kernel : record.kernels) classify(kernel);
  record.operators = {{0, "forward", "ffn", "aten::mm", 3, 12, 15, 30, 30}};
  record.judgement = {Verdict::kSuspect, {"2 records dropped"}};
  finish(record);
  EXPECT_THAT(sql("SELECT phase, range, short_name, class, grid_x, block_x, calls, total_ns "
                  "FROM kernels ORDER BY phase"),
              ElementsAre("forward|ffn|ampere_sgemm_128x64_tn|matmul|8|128|3|30.0",
                          "optimizer|other|f<4, CUDAFunctor_add<float>>|optimizer|1|64|1|5.0"));
  EXPECT_THAT(
      sql("SELECT operator, calls, self_cpu_ns, total_cpu_ns, self_device_ns FROM operators"),
      ElementsAre("aten::mm|3|12.0|15.0|30.0"));
  EXPECT_THAT(sql("SELECT verdict FROM attempt"), ElementsAre("suspect"));
}

TEST_F(DbTest, EqualEnvironmentsAreOneRow) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  for (const auto& attempt : queued) finish(done(attempt.row, 1, 1));
  EXPECT_THAT(sql("SELECT count(*), (SELECT count(*) FROM device) FROM environment"),
              ElementsAre("1|1"));
}

TEST_F(DbTest, AResultIsOfTheHostThatItsEnvironmentNames) {
  AttemptRecord record = done(submit(sweep("s", {{{"context", "1"}}})).queued.front().row, 1, 1);
  record.environment->host = host_named("elsewhere");
  finish(record);
  EXPECT_THAT(sql("SELECT h.hostname FROM attempt a JOIN host h ON h.id = a.host"),
              ElementsAre("elsewhere"));
}

TEST_F(DbTest, ALossThatIsNotANumberIsStoredAsUnknown) {
  const auto attempt = submit(sweep("s", {{{"model", "small"}}})).queued.front();
  AttemptRecord record = done(attempt.row, 10, 20);
  record.samples.push_back({0, 1, "step", "loss", std::numeric_limits<double>::quiet_NaN(), false});
  record.samples.push_back({0, 2, "step", "loss", std::numeric_limits<double>::infinity(), false});
  record.summaries = summarize_samples(record.samples);
  finish(record);
  EXPECT_THAT(sql("SELECT step, value IS NULL FROM samples WHERE metric = 'loss'"),
              ElementsAre("1|1", "2|0"));
  QuerySpec query;
  query.workload = "toy";
  query.table.metric = "loss";
  query.table.rows = {"step"};
  const auto results = reader_->results(query, false);
  ASSERT_TRUE(results) << results.error().message;
  ASSERT_EQ(results->rows.size(), 2u);
  EXPECT_TRUE(std::isnan(results->rows[0].stats.mean));
  EXPECT_TRUE(std::isinf(results->rows[1].stats.mean));
}

TEST_F(DbTest, ASampleWrittenTwiceDoesNotMakeTheAttemptUnstorable) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  AttemptRecord record = done(row, 10, 20);
  record.samples.push_back(record.samples.back());
  finish(record);
  EXPECT_THAT(sql("SELECT count(*) FROM sample"), ElementsAre("9"));
}

TEST_F(DbTest, AVerdictComesWithItsReasons) {
  const auto attempt = submit(sweep("s", {{{"model", "small"}}})).queued.front();
  AttemptRecord record = done(attempt.row, 10, 20);
  record.judgement = {Verdict::kSuspect, {"another process on the device", "load 9.0 of 4 cores"}};
  finish(record);
  const auto found = reader_->find_attempt(attempt.id.substr(0, 6));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->verdict, "suspect");
  EXPECT_EQ(found->verdict_reasons, "another process on the device; load 9.0 of 4 cores");
}

TEST_F(DbTest, TheNewestDoneAttemptCounts) {
  const auto request = sweep("s", {{{"model", "small"}}});
  finish(done(submit(request).queued.front().row, 10, 20, WallTime{1'000}));
  const auto again = store_->retry_sweep(request.id, {"done"}, WallTime{2'000});
  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->queued.size(), 1u);
  // While it is measured again, the old figure still counts. If the new attempt fails, the old
  // figure stays.
  EXPECT_THAT(sql("SELECT median FROM toy WHERE phase = 'forward'"), ElementsAre("10.0"));
  finish(ended(again->queued.front().row, {Failed{"no", ""}, 0}, WallTime{3'000}));
  EXPECT_THAT(sql("SELECT median FROM toy WHERE phase = 'forward'"), ElementsAre("10.0"));
  const auto third = store_->retry_sweep(request.id, {}, WallTime{4'000});
  ASSERT_TRUE(third);
  // This host has a done one from before. It is reused, not measured a third time.
  EXPECT_EQ(third->attempts_reused, 1);
  const auto fourth = store_->retry_sweep(request.id, {"valid"}, WallTime{5'000});
  ASSERT_TRUE(fourth);
  finish(done(fourth->queued.front().row, 12, 20, WallTime{6'000}));
  EXPECT_THAT(sql("SELECT median FROM toy WHERE phase = 'forward'"), ElementsAre("12.0"));
}

TEST_F(DbTest, TheViewShowsWhatIsNotDoneWithItsOutcome) {
  const auto queued =
      submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}})).queued;
  finish(done(queued[0].row, 10, 20));
  finish(ended(queued[1].row, {Oom{}, 0}));
  EXPECT_THAT(sql("SELECT context, phase, median, tokens, outcome, host FROM toy "
                  "ORDER BY context, phase"),
              ElementsAre("1|backward|20.0|512.0|done|alpha", "1|forward|10.0|512.0|done|alpha",
                          "1|step|30.0|512.0|done|alpha", "2||||oom|alpha", "3|||||alpha"));
}

TEST_F(DbTest, ManyEndInOneTransactionAndEachOnce) {
  const auto queued =
      submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}, {{"context", "3"}}})).queued;
  finish(done(queued[1].row, 1, 2));
  std::vector<AttemptRecord> records;
  for (const OpenAttempt& attempt : queued) {
    AttemptRecord record = ended(attempt.row, {Done{"computed"}, 0});
    record.started = WallTime{1'000};
    records.push_back(record);
  }
  const auto stored = store_->finish_all(records);
  ASSERT_TRUE(stored) << stored.error().message;
  EXPECT_THAT(*stored, ElementsAre(true, false, true));
  EXPECT_THAT(sql("SELECT outcome, verdict, started_ns, stop_reason FROM attempt ORDER BY row"),
              ElementsAre("done|valid|1000|computed", "done|valid||fixed_steps",
                          "done|valid|1000|computed"));
}

TEST_F(DbTest, FinishAll_DeletedOrAnotherAttemptByNow_LeavesIt) {
  const OpenAttempt attempt = submit(sweep("s", {{{"context", "1"}}})).queued.front();
  const std::vector<AttemptRecord> records{done(attempt.row, 1, 2), done(4711, 1, 2)};
  const AttemptId other = "0123456789abcdef";
  EXPECT_THAT(*store_->finish_all(records, {other, other}), ElementsAre(false, false));
  EXPECT_THAT(sql("SELECT count(outcome) FROM attempt"), ElementsAre("0"));
  EXPECT_THAT(*store_->finish_all(records, {attempt.id, other}), ElementsAre(true, false));
}

TEST_F(DbTest, PeaksKeepTheLargestOfEach) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  EXPECT_FALSE(store_->measured_peak(cpu(), "fp32")->has_value());
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {5e10, 0}, {}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {4e10, 0}, {}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {3e10, 0}, {1e9, 0}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "", {0, 1e10}, {}, row));
  const auto peak = store_->measured_peak(cpu(), "fp32");
  ASSERT_TRUE(peak);
  ASSERT_TRUE(peak->has_value());
  EXPECT_EQ((*peak)->flops_per_s, 5e10);
  EXPECT_EQ((*peak)->bytes_per_s, 1e10);
  EXPECT_EQ((*peak)->source, PeakSource::kMeasured);
  const auto other = store_->measured_peak(cpu(), "bf16");
  ASSERT_TRUE(other && other->has_value());
  EXPECT_EQ((*other)->flops_per_s, 0);  // unknown for this arithmetic; the memory is the same
  EXPECT_EQ((*other)->bytes_per_s, 1e10);
}

// Other workloads do not set a device's peak, but raise it if they were faster than its ruler.
TEST_F(DbTest, WhatWasSeenRaisesAPeakButMakesNone) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {}, {7e10, 3e10}, row));
  EXPECT_FALSE(store_->measured_peak(cpu(), "fp32")->has_value());
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {5e10, 0}, {5e10, 0}, row));
  EXPECT_EQ((*store_->measured_peak(cpu(), "fp32"))->flops_per_s, 7e10);
  EXPECT_EQ((*store_->measured_peak(cpu(), "fp32"))->bytes_per_s, 0);  // no copy has run
  ASSERT_TRUE(store_->record_peak(cpu(), "", {0, 2e10}, {}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {8e10, 0}, {8e10, 0}, row));
  EXPECT_EQ((*store_->measured_peak(cpu(), "fp32"))->flops_per_s, 8e10);
  EXPECT_EQ((*store_->measured_peak(cpu(), "fp32"))->bytes_per_s, 3e10);
  EXPECT_EQ((*store_->measured_peak(cpu(), "bf16"))->flops_per_s, 0);
}

TEST_F(DbTest, ASlowerRateWritesNothing) {
  const auto row = submit(sweep("s", {{{"model", "small"}}})).queued.front().row;
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {5e10, 0}, {6e10, 0}, row));
  const auto log_bytes = [&] { return std::filesystem::file_size(file().string() + "-wal"); };
  const auto before = log_bytes();
  ASSERT_TRUE(store_->record_peak(cpu(), "fp32", {4e10, 0}, {6e10, 0}, row));
  ASSERT_TRUE(store_->record_peak(cpu(), "bf16", {}, {}, row));
  EXPECT_EQ(log_bytes(), before);
  ASSERT_TRUE(store_->record_peak(cpu(), "bf16", {}, {1e9, 0}, row));
  EXPECT_GT(log_bytes(), before);
}

}  // namespace
}  // namespace sweepd
