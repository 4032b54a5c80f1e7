#include "runner/trace/profile_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "runner/trace/kernel_work.h"
#include "runner/trace/occupancy.h"
#include "runner/trace/places.h"
#include "runner/trace/span_index.h"

namespace sweepd::trace {
namespace {

// A trace from a stranger may have any number of names.
constexpr std::size_t kMostRows = 20'000;

struct OperatorKey {
  Place place;
  NameId name = 0;
  auto operator<=>(const OperatorKey&) const = default;
};

struct Calls {
  std::vector<double> ns;
  WorkOfCalls work;
  std::int32_t launch_shape = -1, device = 0;  // of the first
};

class RowMaker {
 public:
  RowMaker(const TraceIndex& index, const std::vector<Window>& windows)
      : index_(index), timeline_(index.timeline()), windows_(windows) {}

  ProfileRows make() {
    add_operators();
    if (timeline_.work.empty()) {
      for (auto& [key, calls] : self_times_) {
        add_kernel(key.place, key.name, {}, calls);
      }
    } else {
      add_work();
    }
    const auto by_total = [](const KernelStats& a, const KernelStats& b) {
      return a.total_ns > b.total_ns;
    };
    std::ranges::stable_sort(rows_.kernels, by_total);
    for (auto& [key, row] : operators_) {
      row.phase = places_.name(key.place.phase);
      row.range = places_.name(key.place.range);
      row.name = timeline_.names[key.name];
      rows_.operators.push_back(std::move(row));
    }
    const auto by_self = [](const OperatorStats& a, const OperatorStats& b) {
      return a.self_cpu_ns > b.self_cpu_ns;
    };
    std::ranges::stable_sort(rows_.operators, by_self);
    if (rows_.kernels.size() > kMostRows) rows_.kernels.resize(kMostRows);
    if (rows_.operators.size() > kMostRows) rows_.operators.resize(kMostRows);
    return std::move(rows_);
  }

 private:
  OperatorKey key_of(std::size_t op) const {
    return {places_.of_operator(op), timeline_.operators[op].name};
  }

  bool is_in_window(std::int64_t ns) const { return any_contains(windows_, ns); }

  void add_operators() {
    const std::vector<std::int64_t> self = spans_.self_ns();
    for (std::size_t i = 0; i < timeline_.operators.size(); ++i) {
      const HostSpan& op = timeline_.operators[i];
      if (!is_in_window(op.begin_ns)) continue;
      const OperatorKey key = key_of(i);
      OperatorStats& row = operators_[key];
      ++row.calls;
      row.self_cpu_ns += static_cast<double>(self[i]);
      if (!is_recursive(i, key)) row.total_cpu_ns += static_cast<double>(op.end_ns - op.begin_ns);
      if (!timeline_.work.empty()) continue;
      Calls& calls = self_times_[key];
      calls.ns.push_back(static_cast<double>(self[i]));
      calls.work.add(work_at(op.work), static_cast<double>(self[i]));
    }
  }

  // nullptr: unknown.
  const OperatorWork* work_at(std::int32_t index) const {
    static const OperatorWork kNone{};
    if (index == kSharedWork) return &kNone;
    return index < 0 ? nullptr : &timeline_.operator_work[static_cast<std::size_t>(index)];
  }

  bool is_recursive(std::size_t op, const OperatorKey& key) const {
    for (auto up = spans_.parent(op); up; up = spans_.parent(*up)) {
      if (timeline_.operators[*up].name == key.name && key_of(*up) == key) return true;
    }
    return false;
  }

  void add_work() {
    using Shape = std::tuple<Shape3, Shape3>;
    std::map<std::tuple<Place, NameId, Shape>, Calls> groups;
    const std::vector<std::int32_t> of_operators = work_of_kernels(index_, spans_);
    for (std::size_t i = 0; i < timeline_.work.size(); ++i) {
      const DeviceWork& work = timeline_.work[i];
      if (!is_in_window(work.begin_ns)) continue;
      const double ns = static_cast<double>(work.end_ns - work.begin_ns);
      Shape shape;
      if (work.launch_shape >= 0) {
        const LaunchShape& launched = timeline_.shapes[static_cast<std::size_t>(work.launch_shape)];
        shape = {launched.grid, launched.block};
      }
      Calls& calls = groups[{place_of_work(i, ns), work.name, shape}];
      if (calls.ns.empty()) calls.launch_shape = work.launch_shape, calls.device = work.device;
      calls.ns.push_back(ns);
      calls.work.add(work_at(of_operators[i]), ns);
    }
    for (auto& [key, calls] : groups) {
      const auto& [place, name, shape] = key;
      add_kernel(place, name, shape, calls);
      add_launch(rows_.kernels.back(), calls.launch_shape, calls.device);
    }
  }

  // Also adds its time to the operators that launched it.
  Place place_of_work(std::size_t work, double ns) {
    const HostCall* launch = index_.launch_of(work);
    if (launch == nullptr) return {};
    const auto op = spans_.at(launch->thread, launch->begin_ns);
    if (!op) return places_.at(launch->thread, launch->begin_ns);
    // An operator of the step before may have launched work that begins in this one.
    if (is_in_window(timeline_.operators[*op].begin_ns)) {
      operators_[key_of(*op)].self_device_ns += ns;
      std::set<OperatorKey> callers;
      for (std::optional<std::size_t> up = op; up; up = spans_.parent(*up)) {
        const OperatorKey key = key_of(*up);
        if (!callers.insert(key).second) continue;
        const auto row = operators_.find(key);
        if (row != operators_.end()) row->second.total_device_ns += ns;
      }
    }
    return places_.of_operator(*op);
  }

  void add_kernel(const Place& place, NameId name, const std::tuple<Shape3, Shape3>& shape,
                  const Calls& calls) {
    KernelStats row;
    row.phase = places_.name(place.phase);
    row.range = places_.name(place.range);
    row.name = timeline_.names[name];
    std::tie(row.grid, row.block) = shape;
    set_times(row, calls.ns);
    calls.work.store(row);
    rows_.kernels.push_back(std::move(row));
  }

  void add_launch(KernelStats& row, std::int32_t launch_shape, std::int32_t device) const {
    if (launch_shape < 0) return;
    const LaunchShape& shape = timeline_.shapes[static_cast<std::size_t>(launch_shape)];
    row.registers = shape.registers;
    row.shared = Bytes{shape.shared_bytes};
    const auto traced = std::ranges::find(timeline_.devices, device, &TracedDevice::index);
    if (traced != timeline_.devices.end()) set_occupancy(row, *traced);
  }

  const TraceIndex& index_;
  const Timeline& timeline_;
  const std::vector<Window>& windows_;
  const SpanIndex spans_{timeline_.operators};
  const Places places_{timeline_, spans_};
  ProfileRows rows_;
  std::map<OperatorKey, OperatorStats> operators_;
  std::map<OperatorKey, Calls> self_times_;  // without work of a device
};

// The mean of the windows.
void add_communication(const CommunicationTime& time, std::size_t windows, std::int64_t device,
                       std::vector<Sample>& samples) {
  if (time.total_ns == 0) return;
  for (const auto& [metric, ns] : {std::pair{"exposed_communication_time", time.exposed_ns},
                                   {"overlapped_communication_time", time.overlapped_ns}}) {
    samples.push_back(
        {0, device, "step", metric, static_cast<double>(ns) / 1e6 / static_cast<double>(windows)});
  }
}

void add_device(const DeviceUse& use, std::size_t windows, bool knows_launches, std::int64_t device,
                std::vector<Sample>& samples) {
  const auto add = [&](const char* metric, double value) {
    samples.push_back({0, device, "step", metric, value});
  };
  const auto add_ms = [&](const char* metric, std::int64_t ns) {
    add(metric, static_cast<double>(ns) / 1e6 / static_cast<double>(windows));
  };
  add("device_busy_share", use.busy_share());
  add_ms("device_busy_time", use.busy_ns);
  add_ms("device_idle_time", use.idle_ns);
  add("largest_gap_time", static_cast<double>(use.largest_gap_ns) / 1e6);
  add("streams", static_cast<double>(use.streams));
  add_communication(use.communication, windows, device, samples);
  add_ms("idle_tail_time", use.idle.tail_ns);
  add_ms("idle_unknown_time", use.idle.unknown_ns);
  if (!knows_launches) return;
  if (use.largest_gap_in_launch_ns > 0) {
    add("largest_gap_launch_time", static_cast<double>(use.largest_gap_in_launch_ns) / 1e6);
  }
  add_ms("idle_host_time", use.idle.host_late_ns);
  add_ms("idle_wait_time", use.idle.waiting_ns);
  add("queue_depth", use.queue.mean);
  add("queue_empty_share", use.queue.empty_share);
  if (use.kernels > 0) add("graph_kernel_share", use.graph_share());
  if (use.launch_latency_ns) add("launch_latency_time", *use.launch_latency_ns / 1e6);
}

}  // namespace

void set_occupancy(KernelStats& kernel, const TracedDevice& device) {
  const LaunchShape shape{kernel.grid, kernel.block, static_cast<std::int32_t>(kernel.registers),
                          kernel.shared.value};
  const auto occupancy = occupancy_of(shape, device);
  if (!occupancy) return;
  kernel.occupancy = occupancy->share;
  if (occupancy->waves > 0) kernel.waves = occupancy->waves;
}

ProfileRows profile_rows(const TraceIndex& index, const std::vector<Window>& windows) {
  return RowMaker(index, windows).make();
}

std::vector<Sample> bound_samples(const TraceUse& use) {
  std::vector<Sample> samples;
  const bool knows_launches = use.launches.launches > 0;
  const auto windows = static_cast<double>(use.windows.size());
  std::int64_t position = 0;
  for (const DeviceUse& device : use.devices) {
    add_device(device, use.windows.size(), knows_launches, position++, samples);
  }
  if (use.host && use.host->working_ns > 0) {
    const double working_ms = static_cast<double>(use.host->working_ns) / 1e6;
    samples.push_back({0, 0, "step", "host_working_time", working_ms / windows});
    add_communication(use.host->communication, use.windows.size(), 0, samples);
  }
  if (!knows_launches) return samples;
  samples.push_back(
      {0, 0, "step", "launches", static_cast<double>(use.launches.launches) / windows});
  samples.push_back({0, 0, "step", "launch_host_time", use.launches.host_ns / 1e6 / windows});
  if (use.launches.host_median_ns) {
    samples.push_back({0, 0, "step", "launch_median_time", *use.launches.host_median_ns / 1e6});
  }
  return samples;
}

}  // namespace sweepd::trace
