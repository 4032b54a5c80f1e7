#include "runner/worker/passes/chrome_trace.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/worker/fake_profiler.h"

namespace sweepd {
namespace {

nlohmann::json trace_of(const Recording& recording, int rank = 0) {
  std::ostringstream out;
  write_chrome_trace(out, recording, rank);
  return nlohmann::json::parse(out.str());
}

std::vector<nlohmann::json> events(const nlohmann::json& trace, const std::string& category) {
  std::vector<nlohmann::json> found;
  for (const auto& event : trace["traceEvents"]) {
    if (event.value("cat", "") == category) found.push_back(event);
  }
  return found;
}

TEST(ChromeTrace, IsValidJsonWithNestedEvents) {
  Recording recording;
  recording.phases = {{"forward", 1'000'000, 9'000'000}};
  recording.ranges = {{"ffn", 2'000'000, 8'000'000}};
  recording.operators = {op("aten::linear", 3'000'000, 7'000'000, kNoParent, "forward", "ffn"),
                         op("aten::\"mm\"\n", 4'000'500, 6'000'000, 0, "forward", "ffn")};
  recording.kernels = {
      {"void f<4, at::Add<float> >(int)", 1, 5'000'000, 20'000'000, 7, {8, 1, 1}, {128, 1, 1}}};
  const auto trace = trace_of(recording, 3);
  const auto ops = events(trace, "operator");
  ASSERT_EQ(ops.size(), 2U);
  EXPECT_EQ(ops[1]["name"], "aten::\"mm\"\n");
  EXPECT_EQ(ops[1]["ts"], 3000.5) << "microseconds since the first record";
  EXPECT_EQ(ops[1]["dur"], 1999.5);
  EXPECT_EQ(ops[1]["pid"], 3);
  EXPECT_EQ(ops[1]["args"]["range"], "ffn");
  // Each is within the one before, on the same track. Viewers nest them by that alone.
  const auto phase = events(trace, "phase").at(0), range = events(trace, "range").at(0);
  for (const auto& [outer, inner] : {std::pair{phase, range}, {range, ops[0]}, {ops[0], ops[1]}}) {
    EXPECT_EQ(outer["tid"], inner["tid"]);
    EXPECT_LE(outer["ts"].get<double>(), inner["ts"].get<double>());
    EXPECT_GE(outer["ts"].get<double>() + outer["dur"].get<double>(),
              inner["ts"].get<double>() + inner["dur"].get<double>());
  }
  const auto kernel = events(trace, "kernel").at(0);
  EXPECT_EQ(kernel["name"], "f<4, Add<float>>");
  EXPECT_EQ(kernel["args"]["grid"], nlohmann::json({8, 1, 1}));
  EXPECT_EQ(kernel["args"]["operator"], "aten::\"mm\"\n");
  EXPECT_NE(kernel["tid"], ops[0]["tid"]);
  EXPECT_EQ(events(trace, "launch").size(), 2U) << "an arrow has two ends";
}

TEST(ChromeTrace, OfNothingIsStillATrace) {
  EXPECT_TRUE(trace_of({})["traceEvents"].is_array());
}

}  // namespace
}  // namespace sweepd
