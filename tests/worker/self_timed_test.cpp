// Tests the log's lines on the reports of a workload that measures itself.
#include "runner/worker/passes/self_timed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "runner/base/proc.h"
#include "tests/worker/temp_folder.h"

namespace sweepd {
namespace {

std::vector<Sample> samples_of(const std::vector<std::string>& metrics) {
  std::vector<Sample> samples;
  for (const std::string& metric : metrics) samples.push_back({0, 0, "step", metric, 1.0, false});
  return samples;
}

// A pattern reports each metric of a step by itself.
TEST(JournalFindings, CountsStepsAndMetricsAndNotReports) {
  const TempFolder folder;
  auto events = EventWriter::open(folder.path() / "events.0.ndjson");
  ASSERT_TRUE(events.ok());
  AttemptProgress progress;
  JournalFindings findings(*events, progress, 0);
  EXPECT_EQ(findings.summary(), "0 steps");
  for (std::int64_t step = 0; step < 6; ++step) {
    for (const char* metric : {"time", "loss", "rate", "norm"}) {
      findings.step(step, false, samples_of({metric}));
    }
  }
  EXPECT_EQ(findings.summary(), "6 steps of 4 metrics");
  findings.whole_run(samples_of({"joules"}));
  EXPECT_EQ(findings.summary(), "6 steps of 4 metrics, 1 metric of the whole run");
}

TEST(JournalFindings, UnnamedMemoryIsThatWithoutHeldTensors) {
  const TempFolder folder;
  const auto path = folder.path() / "events.0.ndjson";
  auto events = EventWriter::open(path);
  ASSERT_TRUE(events.ok());
  AttemptProgress progress;
  JournalFindings findings(*events, progress, 0);
  ObservedMemory memory;
  memory.held = {{0, "weights", "w", {40}}, {0, "gradients", "w.grad", {40}}};
  memory.allocations = {{0, 0, {40}, {}, {}, "before", "", "w"},
                        {0, 1, {7}, {}, {}, "before", "", ""},
                        {0, 2, {40}, {5}, {}, "backward", "", "w.grad"}};
  memory.timeline = {{0, 0, {}, "phase", 0, {}, {47}, {47}, "step"}};
  findings.memory(std::move(memory));
  events->flush();
  EXPECT_THAT(read_small_file(path.string()),
              testing::HasSubstr("\"name\":\"unnamed_bytes\",\"number\":7"));
}

TEST(SelfTimedSteps, CannotBeChangedFromOutside) {
  const auto refusal = [](const RunParams& run) -> std::string {
    try {
      refuse_measuring_params(run, "command");
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({}), "");
  RunParams slower, ahead, cold;
  slower.slowdown = 0.05;
  ahead.launch = "ahead";
  cold.flush_cache = "L2";
  EXPECT_EQ(
      refusal(slower),
      "slowdown: `command` times its steps itself, so they cannot be made longer; expected 0");
  EXPECT_EQ(refusal(ahead),
            "launch: `command` times its steps itself, so its launches cannot be hidden; expected "
            "`exposed`");
  EXPECT_EQ(refusal(cold),
            "flush_cache: `command` times its steps itself, so no cache can be flushed between "
            "them; expected `none`");
}

}  // namespace
}  // namespace sweepd
