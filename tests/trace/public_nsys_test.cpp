// Reads a public export of nsys and compares it with the figures of an independent script. The
// files are not in the project: SWEEPD_TRACES names their folder, with `mock.sqlite`
// (GindaChen/nsys-ai, tests/fixtures) and `mock.sqlite.expected.json`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "runner/trace/nsys.h"

namespace sweepd::trace {
namespace {

struct NameTotal {
  std::int64_t count = 0, total_ns = 0, min_ns = INT64_MAX, max_ns = 0;
};

std::map<std::string, NameTotal> totals_by_name(const Timeline& timeline, WorkKind kind) {
  std::map<std::string, NameTotal> totals;
  for (const DeviceWork& work : timeline.work) {
    if (work.kind != kind) continue;
    NameTotal& total = totals[timeline.names[work.name]];
    const std::int64_t ns = work.end_ns - work.begin_ns;
    ++total.count;
    total.total_ns += ns;
    total.min_ns = std::min(total.min_ns, ns);
    total.max_ns = std::max(total.max_ns, ns);
  }
  return totals;
}

TEST(PublicNsysTest, HasTheFiguresOfTheScript) {
  const char* const folder = std::getenv("SWEEPD_TRACES");
  if (folder == nullptr) GTEST_SKIP() << "SWEEPD_TRACES does not name the folder of public traces";
  const std::filesystem::path file = std::filesystem::path(folder) / "mock.sqlite";
  std::ifstream json(file.string() + ".expected.json");
  ASSERT_TRUE(json) << "no figures for " << file;
  const auto expected = nlohmann::json::parse(json);
  const auto timelines = read_nsys(file);
  ASSERT_TRUE(timelines) << timelines.error().message;
  ASSERT_EQ(timelines->size(), 1);
  const Timeline& timeline = timelines->front();

  const auto kernels = totals_by_name(timeline, WorkKind::kKernel);
  EXPECT_EQ(kernels.size(), expected["kernels"].size());
  for (const auto& row : expected["kernels"]) {
    const auto found = kernels.find(row["name"].get<std::string>());
    ASSERT_NE(found, kernels.end()) << row["name"];
    EXPECT_EQ(found->second.count, row["count"]);
    EXPECT_EQ(found->second.total_ns, row["total_ns"]);
    EXPECT_EQ(found->second.min_ns, row["min_ns"]);
    EXPECT_EQ(found->second.max_ns, row["max_ns"]);
  }
  const auto copies = totals_by_name(timeline, WorkKind::kCopy);
  ASSERT_EQ(copies.size(), expected["copies"].size());
  EXPECT_EQ(copies.begin()->first, "[CUDA memcpy DtoH]");
  EXPECT_EQ(copies.begin()->second.total_ns, expected["copies"][0]["total_ns"]);

  std::int64_t span = 0, busy = 0, longest = 0, last = timeline.work.front().begin_ns;
  for (const DeviceWork& work : timeline.work) {
    longest = std::max(longest, work.begin_ns - last);
    busy += std::max<std::int64_t>(0, work.end_ns - std::max(work.begin_ns, last));
    last = std::max(last, work.end_ns);
  }
  span = last - timeline.work.front().begin_ns;
  const auto& device = expected["devices"]["0"];
  EXPECT_EQ(timeline.work.size(), device["events"]);
  EXPECT_EQ(span, device["span_ns"]);
  EXPECT_EQ(busy, device["busy_ns"]);
  EXPECT_EQ(longest, device["longest_gap_ns"]);
  EXPECT_EQ(timeline.devices.at(0).name, "NVIDIA GeForce RTX 3080");
  EXPECT_EQ(timeline.devices.at(0).multiprocessors, 68);
  EXPECT_EQ(timeline.calls.size(), 9);
  EXPECT_EQ(timeline.source, "nsys 2026.1.1.204");
}

}  // namespace
}  // namespace sweepd::trace
