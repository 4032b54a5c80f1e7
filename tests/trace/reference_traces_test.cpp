// Whole trace files against tests/trace/trace_reference.py, which computes the same figures apart:
// those of tests/trace/data, and of the folder that SWEEPD_TRACES names. A file FILE.expected.json
// beside a trace has more figures. two_gpus.json is made up, in the form of an H100's trace;
// cpu_training.json.gz is what torch.profiler 2.15 wrote of two steps of a small model on a CPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "runner/trace/analysis.h"
#include "runner/trace/chrome.h"
#include "runner/trace/profile_rows.h"

namespace sweepd::trace {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> traces_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    const bool is_trace = name.ends_with(".json.gz") ||
                          (name.ends_with(".json") && !name.ends_with(".expected.json"));
    if (is_trace) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

nlohmann::json reference_of(const fs::path& file, const char* option = "") {
  const std::string command =
      fmt::format("python3 '{}' {} '{}'", TRACE_REFERENCE, option, file.string());
  std::unique_ptr<FILE, int (*)(FILE*)> output(::popen(command.c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 4096> piece{};
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), output.get())) {
    text.append(piece.data(), n);
  }
  return nlohmann::json::parse(text);
}

nlohmann::json figures_of(const Timeline& timeline) {
  nlohmann::json figures = nlohmann::json::object();
  const TraceIndex index(timeline);
  for (const std::int32_t device : devices_with_work(timeline)) {
    for (const DeviceUse& use : index.analyse(device_window(timeline, device)).devices) {
      if (use.device != device) continue;
      figures[std::to_string(device)] = {{"kernels", use.kernels},
                                         {"kernel_ns", static_cast<std::int64_t>(use.kernel_ns)},
                                         {"busy_ns", use.busy_ns},
                                         {"largest_gap_ns", use.largest_gap_ns}};
    }
  }
  return figures;
}

struct Total {
  std::int64_t count = 0;
  double total_ns = 0, min_ns = 0, max_ns = 0;
  friend bool operator==(const Total&, const Total&) = default;
  friend void PrintTo(const Total& total, std::ostream* out) {
    *out << fmt::format("{} calls, {} ns, {} to {}", total.count, total.total_ns, total.min_ns,
                        total.max_ns);
  }
};
constexpr const char* kCopies = "copies and fills";
using Totals = std::map<std::string, Total>;

// Copies and fills are one: a trace's own names of them say more than rows do.
Totals totals_by_name(const std::vector<KernelStats>& rows) {
  Totals totals;
  for (const KernelStats& row : rows) {
    Total& total = totals[row.name.starts_with("[CUDA mem") ? kCopies : row.name];
    total.min_ns = total.count == 0 ? row.min_ns : std::min(total.min_ns, row.min_ns);
    total.max_ns = std::max(total.max_ns, row.max_ns);
    total.count += row.calls;
    total.total_ns += row.total_ns;
  }
  for (auto& [name, total] : totals) total.total_ns = std::round(total.total_ns);
  return totals;
}

// The rows that an attempt stores, over phases, ranges and shapes.
void compare_rows(const Timeline& timeline, const nlohmann::json& expected) {
  const ProfileRows rows = profile_rows(TraceIndex(timeline), {{INT64_MIN, INT64_MAX}});
  std::vector<KernelStats> all;
  for (const char* kind : {"kernels", "copies"}) {
    for (const auto& row : expected.at(kind)) {
      KernelStats& stats = all.emplace_back();
      stats.name = kind == std::string("copies") ? "[CUDA memcpy]" : row.at("name");
      stats.calls = row.at("count");
      stats.total_ns = row.at("total_ns");
      stats.min_ns = row.at("min_ns");
      stats.max_ns = row.at("max_ns");
    }
  }
  const Totals work = totals_by_name(all);
  EXPECT_EQ(totals_by_name(rows.kernels), work);
  std::map<std::string, std::pair<std::int64_t, double>> operators, own;
  for (const auto& row : expected.at("operators")) {
    operators[row.at("name")] = {row.at("count"), row.at("self_ns")};
  }
  for (const OperatorStats& row : rows.operators) {
    auto& [calls, self_ns] = own[row.name];
    calls += row.calls;
    self_ns += row.self_cpu_ns;
  }
  EXPECT_EQ(own, operators);
}

// FLOPs of the kernels, or without a device of the operators.
std::int64_t flops_of(const Timeline& timeline) {
  std::int64_t flops = 0;
  for (const KernelStats& row :
       profile_rows(TraceIndex(timeline), {{INT64_MIN, INT64_MAX}}).kernels) {
    flops += std::llround(row.flops.value_or(0));
  }
  return flops;
}

void compare(const fs::path& file) {
  SCOPED_TRACE(file.string());
  const auto trace = read_chrome_trace(file);
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->unusable, 0) << trace->first_unusable;
  const nlohmann::json figures = figures_of(trace->timeline);
  EXPECT_EQ(figures, reference_of(file));
  fmt::print("{}\n  {} events, {}\n", file.filename().string(), trace->events, figures.dump());
  const nlohmann::json flops = reference_of(file, "--flops");
  EXPECT_EQ(flops_of(trace->timeline),
            flops.at("products").get<std::int64_t>() + flops.at("attention").get<std::int64_t>());
  fmt::print("  {}\n", flops.dump());
  if (std::ifstream in(file.string() + ".expected.json"); in) {
    compare_rows(trace->timeline, nlohmann::json::parse(in));
  }
}

TEST(ReferenceTraces, FiguresOfTheTreesOwnAreThoseOfTheScript) {
  const auto files = traces_in(TRACE_DATA);
  EXPECT_EQ(files.size(), 2U);
  for (const fs::path& file : files) compare(file);
}

TEST(ReferenceTraces, FiguresOfPublicOnesAreThoseOfTheScript) {
  const char* folder = std::getenv("SWEEPD_TRACES");
  if (folder == nullptr)
    GTEST_SKIP() << "SWEEPD_TRACES names no folder of traces (*.json, *.json.gz)";
  const auto files = traces_in(folder);
  ASSERT_FALSE(files.empty()) << folder << " has no trace (*.json, *.json.gz)";
  for (const fs::path& file : files) compare(file);
}

TEST(ReferenceTraces, StepsAndOperatorsOfACpuAreRead) {
  const auto trace = read_chrome_trace(fs::path(TRACE_DATA) / "cpu_training.json.gz");
  ASSERT_TRUE(trace) << trace.error().message;
  const Timeline& timeline = trace->timeline;
  EXPECT_EQ(timeline.operators.size(), 216U);
  EXPECT_EQ(timeline.ranges.size(), 12U);
  EXPECT_TRUE(timeline.work.empty());
  const auto steps = step_windows(timeline);
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].number, 2);
  EXPECT_EQ(steps[1].number, 3);
  double own_ns = 0, covered_ns = 0;
  for (const OperatorStats& row : profile_rows(TraceIndex(timeline), {steps[0].window}).operators) {
    own_ns += row.self_cpu_ns;
  }
  std::vector<Window> operators;
  for (const HostSpan& span : timeline.operators) {
    if (steps[0].window.contains(span.begin_ns)) operators.push_back({span.begin_ns, span.end_ns});
  }
  covered_ns = static_cast<double>(length_of(union_of(operators)));
  EXPECT_EQ(own_ns, covered_ns);  // one thread: own times add up to the time with an operator
}

}  // namespace
}  // namespace sweepd::trace
