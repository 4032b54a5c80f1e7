#include "workloads/command/cuda_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "runner/trace/analysis.h"

namespace sweepd::command {
namespace {

using trace::StepWindow;
using trace::Timeline;
using trace::Window;

constexpr Window kAllOfStep{0, std::numeric_limits<std::int64_t>::max()};

// The calls of a step, which are also its operators, and the work that they launched.
Timeline launched_in(const Window& step, const trace::TraceIndex& index) {
  const Timeline& all = index.timeline();
  Timeline part;
  part.names = all.names;
  part.devices = all.devices;
  part.shapes = all.shapes;
  part.ranges = all.ranges;
  for (const trace::HostCall& call : all.calls) {
    if (!step.contains(call.begin_ns)) continue;
    part.calls.push_back(call);
    part.operators.push_back({call.begin_ns, call.end_ns, call.thread, -1, call.name});
  }
  for (std::size_t i = 0; i < all.work.size(); ++i) {
    const trace::HostCall* launch = index.launch_of(i);
    const std::int64_t begin_ns = launch != nullptr ? launch->begin_ns : all.work[i].begin_ns;
    if (step.contains(begin_ns)) part.work.push_back(all.work[i]);
  }
  return part;
}

trace::ProfileRows rows_of(const Timeline& step) {
  trace::ProfileRows rows = trace::profile_rows(trace::TraceIndex(step), {kAllOfStep});
  if (step.work.empty()) rows.kernels.clear();  // else the calls, as of a CPU
  return rows;
}

double busiest_stream_ms(const Timeline& step) {
  std::map<std::pair<std::int32_t, std::int64_t>, double> busy_ns;
  double most = 0;
  for (const trace::DeviceWork& work : step.work) {
    double& busy = busy_ns[{work.device, work.stream}];
    busy += static_cast<double>(work.end_ns - work.begin_ns);
    most = std::max(most, busy);
  }
  return most / 1e6;
}

std::int64_t differing_calls(const std::vector<KernelStats>& a, const std::vector<KernelStats>& b) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::int64_t> more;
  for (const KernelStats& row : a) more[{row.phase, row.range, row.name}] += row.calls;
  for (const KernelStats& row : b) more[{row.phase, row.range, row.name}] -= row.calls;
  return std::ranges::count_if(more, [](const auto& each) { return each.second != 0; });
}

}  // namespace

CudaProfile cuda_profile(const trace::Injected& traced, std::int64_t warmup) {
  CudaProfile profile;
  profile.dropped = traced.timeline.dropped;
  const std::vector<StepWindow>& steps = traced.steps.steps;
  if (steps.empty()) return profile;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(warmup, 0));
  const std::size_t stored = std::min(steps.size() - 1, wanted + 1);
  const Window& step = steps[stored].window;
  const trace::TraceIndex index(traced.timeline);
  const Timeline launched = launched_in(step, index);
  profile.rows = rows_of(launched);
  profile.bounds = trace::bound_samples(index.analyse(step));
  profile.step_ms = static_cast<double>(step.length_ns()) / 1e6;
  profile.kernel_ms = busiest_stream_ms(launched);
  if (stored > 0) {
    const trace::ProfileRows before = rows_of(launched_in(steps[stored - 1].window, index));
    profile.differing_kernels = differing_calls(before.kernels, profile.rows.kernels);
  }
  return profile;
}

PhaseMemory cuda_memory(const trace::Injected& traced) {
  std::int64_t held = 0, at_start = 0, peak = 0, at_end = 0;
  std::unordered_map<std::uint64_t, std::int64_t> blocks;
  const std::vector<StepWindow>& steps = traced.steps.steps;
  for (const trace::DeviceAllocation& change : traced.allocations) {
    const auto block = blocks.find(change.address);
    if (block != blocks.end()) held -= block->second;
    if (change.released) {
      if (block != blocks.end()) blocks.erase(block);
    } else {
      blocks[change.address] = change.bytes;
      held += change.bytes;
    }
    const bool before = steps.empty() || change.at_ns < steps.front().window.begin_ns;
    if (before) at_start = peak = at_end = held;
    if (before || change.at_ns > steps.back().window.end_ns) continue;
    peak = std::max(peak, held);
    at_end = held;
  }
  PhaseMemory memory;
  memory.phase = "step";
  memory.at_start = Bytes{at_start};
  memory.peak_allocated = Bytes{peak};
  memory.at_end = Bytes{at_end};
  return memory;
}

}  // namespace sweepd::command
