#include "runner/worker/passes/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "runner/trace/analysis.h"
#include "runner/trace/profile_rows.h"
#include "runner/trace/timeline.h"

namespace sweepd {
namespace {

trace::WorkKind kind_of(const std::string& name) {
  if (name.starts_with("[CUDA memcpy")) return trace::WorkKind::kCopy;
  if (name.starts_with("[CUDA memset")) return trace::WorkKind::kFill;
  return trace::WorkKind::kKernel;
}

std::int64_t begin_of(const Recording& recording) {
  if (recording.begin_ns != 0) return recording.begin_ns;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto look = [&](const auto& records) {
    for (const auto& record : records) first = std::min(first, record.begin_ns);
  };
  look(recording.operators);
  look(recording.kernels);
  look(recording.phases);
  return first;
}

trace::CallKind kind_of_launch(const KernelRecord& kernel) {
  if (kernel.launch.of_graph) return trace::CallKind::kGraphLaunch;
  switch (kind_of(kernel.name)) {
    case trace::WorkKind::kCopy:
      return trace::CallKind::kCopy;
    case trace::WorkKind::kFill:
      return trace::CallKind::kFill;
    case trace::WorkKind::kKernel:
      break;
  }
  return trace::CallKind::kLaunch;
}

void add_launches(const Recording& recording, trace::Timeline& timeline) {
  std::set<std::uint64_t> known;
  for (const KernelRecord& kernel : recording.kernels) {
    const LaunchRecord& launch = kernel.launch;
    if (launch.id == 0 || !known.insert(launch.id).second) continue;
    trace::HostCall& call = timeline.calls.emplace_back();
    call.begin_ns = launch.begin_ns;
    call.end_ns = launch.end_ns;
    call.correlation = static_cast<std::int64_t>(launch.id);
    call.kind = kind_of_launch(kernel);
  }
  std::ranges::stable_sort(timeline.calls, {}, &trace::HostCall::begin_ns);
}

}  // namespace

std::vector<Sample> bounds_of(const Recording& recording, double step_ms) {
  if (recording.kernels.empty()) return {};
  trace::Timeline timeline;
  for (const KernelRecord& kernel : recording.kernels) {
    trace::DeviceWork& work = timeline.work.emplace_back();
    work.begin_ns = kernel.begin_ns;
    work.end_ns = kernel.end_ns;
    work.device = kernel.device;
    work.stream = static_cast<std::int64_t>(kernel.stream);
    work.name = timeline.names.add(kernel.name);
    work.kind = kind_of(kernel.name);
    work.correlation = static_cast<std::int64_t>(kernel.launch.id);
    work.graph = kernel.launch.of_graph ? 1 : 0;
  }
  std::ranges::stable_sort(timeline.work, {}, &trace::DeviceWork::begin_ns);
  add_launches(recording, timeline);
  const std::int64_t begin = begin_of(recording);
  const trace::Window step{begin, begin + std::llround(step_ms * 1e6)};
  return trace::bound_samples(trace::TraceIndex(timeline).analyse(step));
}

}  // namespace sweepd
