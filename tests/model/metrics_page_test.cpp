// Tests that docs/METRICS.md lists the metrics that sweepd knows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {
namespace {

constexpr const char* kPage = SWEEPD_SOURCE_FOLDER "/docs/METRICS.md";

std::string_view measured_in(const KnownMetric& metric) {
  if (const auto pass = pass_of_metric(metric.name)) return name_of(*pass);
  switch (metric.when) {
    case KnownMetric::When::kSetup:
      return "set-up";
    case KnownMetric::When::kSomeSteps:
      return "steps of some workloads";
    case KnownMetric::When::kSteps:
      break;
  }
  return "steps";
}

std::string page() {
  std::string text =
      "<!-- Written by a test: SWEEPD_UPDATE_GOLDEN=1 build/release/bin/test_model "
      "--gtest_filter='MetricsPage*' -->\n"
      "# Metrics\n\n"
      "What `metric` may be in tables, plots and queries. Steps and set-up are of the pass "
      "`timing`; "
      "a metric of the set-up has the phase `setup`. [MEASURING](MEASURING.md) defines the times, "
      "[MEMORY](MEMORY.md) and [PROFILE](PROFILE.md) the others.\n\n"
      "| metric | unit | measured in | meaning |\n|---|---|---|---|\n";
  for (const KnownMetric& metric : known_metrics()) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", metric.name, metric.unit, measured_in(metric),
                        metric.meaning);
  }
  return text +
         "\nFamilies: `figure.NAME` is computed by formula, for every trial; `fact.NAME` is a "
         "named "
         "result of an attempt; `range_time.NAME` is the time in a range of the profile. A "
         "program's "
         "own metrics have the unit that the sweep file declares, else by their name's end: "
         "`_time` is "
         "ms, `_bytes` B, `_algbw` and `_busbw` GB/s, `_calls` and `_share` 1.\n";
}

TEST(MetricsPage, ListsEveryMetric) {
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) std::ofstream(kPage) << page();
  std::ostringstream found;
  found << std::ifstream(kPage).rdbuf();
  EXPECT_EQ(found.str(), page()) << "run with SWEEPD_UPDATE_GOLDEN=1 and look at the difference";
}

}  // namespace
}  // namespace sweepd
