#include "runner/worker/passes/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

std::int64_t first_begin(const Recording& recording) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const auto look = [&](const auto& records) {
    for (const auto& record : records) first = std::min(first, record.begin_ns);
  };
  look(recording.operators);
  look(recording.kernels);
  look(recording.phases);
  return first;
}

}  // namespace

std::vector<Sample> bounds_of(const Recording& recording, double step_ms) {
  if (recording.kernels.empty()) return {};
  trace::Timeline timeline;
  for (const KernelRecord& kernel : recording.kernels) {
    trace::DeviceWork& work = timeline.work.emplace_back();
    work.begin_ns = kernel.begin_ns;
    work.end_ns = kernel.end_ns;
    work.stream = static_cast<std::int64_t>(kernel.stream);
    work.name = timeline.names.add(kernel.name);
    work.kind = kind_of(kernel.name);
  }
  std::ranges::stable_sort(timeline.work, {}, &trace::DeviceWork::begin_ns);
  const std::int64_t begin = first_begin(recording);
  const trace::Window step{begin, begin + std::llround(step_ms * 1e6)};
  return trace::bound_samples(trace::TraceIndex(timeline).analyse(step));
}

}  // namespace sweepd
