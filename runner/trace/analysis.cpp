#include "runner/trace/analysis.h"

#include <algorithm>

#include "runner/model/vocabulary/kernel_class.h"

namespace sweepd::trace {
namespace {

std::optional<double> median_of(std::vector<std::int64_t> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  const auto upper = static_cast<double>(*middle);
  if (values.size() % 2 == 1) return upper;
  return (static_cast<double>(*std::max_element(values.begin(), middle)) + upper) / 2;
}

CommunicationTime communication_beside(std::vector<Window> communication,
                                       std::vector<Window> others) {
  communication = union_of(std::move(communication));
  CommunicationTime time;
  time.total_ns = length_of(communication);
  time.overlapped_ns = length_of_both(communication, union_of(std::move(others)));
  time.exposed_ns = time.total_ns - time.overlapped_ns;
  return time;
}

// Adds the parts of a span that are in the windows, which are in order and do not overlap.
void add_parts(const HostSpan& span, const std::vector<Window>& windows,
               std::vector<Window>& parts) {
  auto window = std::ranges::upper_bound(windows, span.begin_ns, {}, &Window::end_ns);
  for (; window != windows.end() && window->begin_ns < span.end_ns; ++window) {
    parts.push_back(clip({span.begin_ns, span.end_ns}, *window));
  }
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

}  // namespace

std::array<GapDecade, kGapDecades> empty_gap_histogram() {
  std::array<GapDecade, kGapDecades> decades{};
  std::int64_t from_ns = 1'000;
  for (std::size_t i = 1; i < kGapDecades; ++i, from_ns *= 10) decades[i].from_ns = from_ns;
  return decades;
}

double DeviceUse::busy_share() const {
  return share(static_cast<double>(busy_ns), static_cast<double>(busy_ns + idle_ns));
}

void CommunicationTime::add(const CommunicationTime& more) {
  total_ns += more.total_ns;
  exposed_ns += more.exposed_ns;
  overlapped_ns += more.overlapped_ns;
}

double DeviceUse::graph_share() const {
  return share(static_cast<double>(graph_kernels), static_cast<double>(kernels));
}

double TraceUse::length_ns() const {
  double ns = 0;
  for (const Window& window : windows) ns += static_cast<double>(window.length_ns());
  return ns;
}

TraceUse TraceIndex::analyse(const std::vector<Window>& windows, const IdleRules& rules) const {
  TraceUse use{windows, launches_in(windows), {}, {}};
  for (const auto& [device, all] : devices_) {
    use.devices.push_back(use_of(device, all, windows, rules));
  }
  if (use.devices.empty()) use.host = use_of_host(windows);
  return use;
}

DeviceUse TraceIndex::use_of(std::int32_t device, const PerDevice& all,
                             const std::vector<Window>& windows, const IdleRules& rules) const {
  DeviceUse use;
  use.device = device;
  Tally tally;
  std::int64_t length_ns = 0;
  for (const Window& window : windows) {
    if (window.length_ns() == 0) continue;
    length_ns += window.length_ns();
    count_work(use, all, window, tally);
    find_gaps(use, all, window, rules);
    use.communication.add(communication_of(all, window));
    count_pending(all, window, tally);
  }
  use.busy_ns = length_ns - use.idle_ns;
  use.streams = std::ssize(tally.streams);
  use.launch_latency_ns = median_of(std::move(tally.latencies_ns));
  use.queue.mean = share(tally.pending_ns, static_cast<double>(length_ns));
  use.queue.empty_share = share(tally.empty_ns, static_cast<double>(length_ns));
  return use;
}

void TraceIndex::count_pending(const PerDevice& all, const Window& window, Tally& tally) const {
  const auto [first, last] = all.pending_when.touching(window);
  std::vector<Window> pending;
  for (std::size_t i = first; i < last; ++i) {
    pending.push_back(clip(all.pending[i], window));
    tally.pending_ns += static_cast<double>(pending.back().length_ns());
  }
  tally.empty_ns +=
      static_cast<double>(window.length_ns() - length_of(union_of(std::move(pending))));
}

void TraceIndex::count_work(DeviceUse& use, const PerDevice& all, const Window& window,
                            Tally& tally) const {
  const auto [first, last] = all.when.touching(window);
  for (std::size_t i = first; i < last; ++i) {
    const std::size_t index = all.work[i];
    const DeviceWork& work = timeline_.work[index];
    const bool is_kernel = work.kind == WorkKind::kKernel;
    if (is_kernel) {
      use.kernel_ns += static_cast<double>(clip({work.begin_ns, work.end_ns}, window).length_ns());
    }
    if (!window.contains(work.begin_ns)) continue;
    tally.streams.insert(work.stream);
    use.copies += work.kind == WorkKind::kCopy ? 1 : 0;
    use.fills += work.kind == WorkKind::kFill ? 1 : 0;
    if (!is_kernel) continue;
    ++use.kernels;
    use.graph_kernels += is_of_graph(index) ? 1 : 0;
    if (!is_first_of_launch(index)) continue;
    tally.latencies_ns.push_back(work.begin_ns - launch_of(index)->begin_ns);
  }
}

void TraceIndex::find_gaps(DeviceUse& use, const PerDevice& all, const Window& window,
                           const IdleRules& rules) const {
  const auto [first, last] = all.when.touching(window);
  for (std::size_t i = first; i <= last; ++i) {
    const bool is_tail = i == last;
    const std::int64_t idle_since_ns = all.when.furthest_before(i);
    const std::int64_t begin_ns = is_tail ? window.end_ns : timeline_.work[all.work[i]].begin_ns;
    const Window gap = clip({idle_since_ns, begin_ns}, window);
    if (gap.length_ns() == 0) continue;
    const auto next = is_tail ? std::nullopt : std::optional<std::size_t>(all.work[i]);
    add_gap(use, gap, idle_since_ns, next, rules);
  }
}

void TraceIndex::add_gap(DeviceUse& use, const Window& gap, std::int64_t idle_since_ns,
                         std::optional<std::size_t> next, const IdleRules& rules) const {
  const std::int64_t length_ns = gap.length_ns();
  use.idle_ns += length_ns;
  std::size_t decade = kGapDecades - 1;
  while (use.gaps[decade].from_ns > length_ns) --decade;
  ++use.gaps[decade].gaps;
  use.gaps[decade].total_ns += length_ns;

  const HostCall* launch = next ? launch_of(*next) : nullptr;
  if (length_ns > use.largest_gap_ns) {
    use.largest_gap_ns = length_ns;
    const bool ends_it = launch != nullptr && is_first_of_launch(*next);
    use.largest_gap_in_launch_ns =
        ends_it ? clip({launch->begin_ns, launch->end_ns}, gap).length_ns() : 0;
  }
  if (!next) {
    use.idle.tail_ns += length_ns;
  } else if (launch == nullptr) {
    use.idle.unknown_ns += length_ns;
  } else if (is_first_of_launch(*next) &&
             (launch->begin_ns >= idle_since_ns ||
              timeline_.work[*next].begin_ns - launch->end_ns < rules.reach.ns)) {
    use.idle.host_late_ns += length_ns;
  } else {
    use.idle.waiting_ns += length_ns;
  }
}

CommunicationTime TraceIndex::communication_of(const PerDevice& all, const Window& window) const {
  std::vector<Window> communication, others;
  const auto [first, last] = all.when.touching(window);
  for (std::size_t i = first; i < last; ++i) {
    const DeviceWork& work = timeline_.work[all.work[i]];
    if (work.kind != WorkKind::kKernel) continue;
    auto& kernels = is_communication(work.name) ? communication : others;
    kernels.push_back(clip({work.begin_ns, work.end_ns}, window));
  }
  return communication_beside(std::move(communication), std::move(others));
}

HostUse TraceIndex::use_of_host(const std::vector<Window>& windows) const {
  std::vector<std::optional<KernelClass>> classes(timeline_.names.size());
  const auto class_of_span = [&](const HostSpan& span) {
    auto& known = classes[span.name];
    if (!known) known = class_of(timeline_.names[span.name], "");
    return *known;
  };
  std::vector<Window> working, communication, others;
  for (const HostSpan& op : timeline_.operators) {
    // A step is an operator in the traces of older versions of PyTorch.
    if (timeline_.names[op.name].starts_with("ProfilerStep")) continue;
    const KernelClass kind = class_of_span(op);
    add_parts(op, windows, working);
    if (kind == KernelClass::kCommunication) add_parts(op, windows, communication);
    // Those of kOther may only call others, or wait.
    if (kind != KernelClass::kCommunication && kind != KernelClass::kOther) {
      add_parts(op, windows, others);
    }
  }
  for (const HostSpan& range : timeline_.ranges) {
    if (class_of_span(range) != KernelClass::kCommunication) continue;
    add_parts(range, windows, communication);
    add_parts(range, windows, working);
  }
  HostUse use;
  use.working_ns = length_of(union_of(std::move(working)));
  use.communication = communication_beside(std::move(communication), std::move(others));
  return use;
}

LaunchUse TraceIndex::launches_in(const std::vector<Window>& windows) const {
  LaunchUse use;
  std::vector<std::int64_t> durations;
  const auto end = timeline_.calls.end();
  for (const Window& window : windows) {
    auto call = std::ranges::lower_bound(timeline_.calls, window.begin_ns, {}, &HostCall::begin_ns);
    for (; call != end && call->begin_ns < window.end_ns; ++call) {
      if (!is_launch(static_cast<std::size_t>(call - timeline_.calls.begin()))) continue;
      ++use.launches;
      use.graph_launches += call->kind == CallKind::kGraphLaunch ? 1 : 0;
      durations.push_back(call->end_ns - call->begin_ns);
      use.host_ns += static_cast<double>(durations.back());
    }
  }
  use.host_median_ns = median_of(std::move(durations));
  return use;
}

}  // namespace sweepd::trace
