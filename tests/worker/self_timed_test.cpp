// Tests the log's lines on the reports of a workload that measures itself.
#include "runner/worker/passes/self_timed.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace sweepd
