#include <algorithm>
#include <limits>
#include <utility>

#include "runner/model/vocabulary/kernel_class.h"
#include "runner/trace/analysis.h"

namespace sweepd::trace {
namespace {

constexpr std::uint32_t kNoLaunch = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TraceIndex::TraceIndex(const Timeline& timeline) : timeline_(timeline) {
  find_launches();
  for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
    const DeviceWork& work = timeline_.work[i];
    PerDevice& device = devices_[work.device];
    device.work.push_back(static_cast<std::uint32_t>(i));
    device.when.add(work.begin_ns, work.end_ns);
    if (first_[i]) add_pending(i);
    if (work.kind != WorkKind::kKernel) continue;
    if (work.name >= communication_.size()) communication_.resize(work.name + 1);
  }
  for (NameId name = 0; name < communication_.size(); ++name) {
    communication_[name] = class_of(timeline_.names[name], "") == KernelClass::kCommunication;
  }
  for (auto& [index, device] : devices_) {
    std::ranges::sort(device.pending, {}, &Window::begin_ns);
    for (const Window& each : device.pending) {
      device.pending_when.add(each.begin_ns, each.end_ns);
    }
  }
}

void TraceIndex::find_launches() {
  std::vector<std::pair<std::int64_t, std::uint32_t>> calls;
  for (std::size_t i = 0; i < timeline_.calls.size(); ++i) {
    const std::int64_t correlation = timeline_.calls[i].correlation;
    if (correlation != kNoCorrelation)
      calls.emplace_back(correlation, static_cast<std::uint32_t>(i));
  }
  std::ranges::sort(calls);  // of several calls with one correlation the first counts
  launch_.assign(timeline_.work.size(), kNoLaunch);
  first_.assign(timeline_.work.size(), false);
  std::vector<bool> begun(timeline_.calls.size());
  launches_kernel_.assign(timeline_.calls.size(), false);
  for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
    const std::int64_t correlation = timeline_.work[i].correlation;
    const auto call = std::ranges::lower_bound(calls, std::pair(correlation, std::uint32_t{0}));
    if (call == calls.end() || call->first != correlation) continue;
    launch_[i] = call->second;
    first_[i] = !begun[call->second];
    begun[call->second] = true;
    if (timeline_.work[i].kind == WorkKind::kKernel) {
      launches_kernel_[call->second] = knows_launches_ = true;
    }
  }
}

void TraceIndex::add_pending(std::size_t work) {
  const Window pending{launch_of(work)->begin_ns, timeline_.work[work].begin_ns};
  if (pending.length_ns() > 0) devices_[timeline_.work[work].device].pending.push_back(pending);
}

const HostCall* TraceIndex::launch_of(std::size_t index) const {
  return launch_[index] == kNoLaunch ? nullptr : &timeline_.calls[launch_[index]];
}

bool TraceIndex::is_of_graph(std::size_t index) const {
  const HostCall* launch = launch_of(index);
  return timeline_.work[index].graph != 0 ||
         (launch != nullptr && launch->kind == CallKind::kGraphLaunch);
}

bool TraceIndex::is_launch(std::size_t call) const {
  const CallKind kind = timeline_.calls[call].kind;
  if (kind == CallKind::kGraphLaunch) return true;
  return knows_launches_ ? launches_kernel_[call] : kind == CallKind::kLaunch;
}

}  // namespace sweepd::trace
