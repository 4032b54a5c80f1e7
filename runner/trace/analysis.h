// What bounds a step: how busy each device was, why it was idle, and how work reached it. Pure
// functions of a timeline and a window. Times are ns.
//
// Work is a kernel, copy or fill. It counts in a window as far as it lies in it, so busy and idle
// time of a window add up to it. Of several windows, such as the steps of a trace, figures are
// sums, the longest gap is that of any, and medians are of all of their work. The launch of work is
// the call with its correlation; a launch of a graph has much work, of which the first to begin is
// the launch's. Of a median without values there is none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "runner/trace/intervals.h"
#include "runner/trace/timeline.h"
#include "runner/trace/window.h"

namespace sweepd::trace {

struct IdleRules {
  // Work that begins this soon after the end of its launch had waited for its launch: it takes a
  // launch a few microseconds to reach the device.
  Duration reach{5'000};
};

// Why a device was idle. An idle interval ends where the next work begins, which says why:
struct IdleTime {
  // Its launch began after the device had become idle, or ended less than `reach` before it began.
  std::int64_t host_late_ns = 0;
  // It was launched before that, or by a graph that was already running, so it waited for another
  // stream, an event or a dependency of the graph, or for the device to switch kernels.
  std::int64_t waiting_ns = 0;
  // The trace does not have its launch.
  std::int64_t unknown_ns = 0;
  // No work begins before the end of the window.
  std::int64_t tail_ns = 0;
};

// Idle intervals by their length: below 1 us, 10 us, ... 1000 s, and from 1000 s on.
struct GapDecade {
  std::int64_t from_ns = 0;
  std::int64_t gaps = 0, total_ns = 0;
};
inline constexpr std::size_t kGapDecades = 11;
std::array<GapDecade, kGapDecades> empty_gap_histogram();

// Kernels of collectives, by name (runner/model/vocabulary/kernel_class.h). Times are of unions.
struct CommunicationTime {
  std::int64_t total_ns = 0;
  std::int64_t exposed_ns = 0;     // while no other kernel ran
  std::int64_t overlapped_ns = 0;  // the rest
  void add(const CommunicationTime& more);
};

// Launches, copies and fills that had begun and whose work had not.
struct QueueDepth {
  double mean = 0;         // over the window's time
  double empty_share = 0;  // of the window's time, at which there was none
};

struct DeviceUse {
  std::int32_t device = 0;
  std::int64_t busy_ns = 0;  // while any work ran
  std::int64_t idle_ns = 0;
  std::int64_t largest_gap_ns = 0;            // the longest idle interval
  std::int64_t largest_gap_in_launch_ns = 0;  // of that, in the call that launched what ended it
  double kernel_ns = 0;                       // sum over kernels; more than busy_ns if they overlap
  IdleTime idle;
  std::array<GapDecade, kGapDecades> gaps = empty_gap_histogram();
  CommunicationTime communication;
  QueueDepth queue;
  // From the begin of a launch to the begin of its kernel, of kernels that begin in the window. Of
  // a graph only the first.
  std::optional<double> launch_latency_ns;  // median
  // Work that begins in the window.
  std::int64_t kernels = 0, copies = 0, fills = 0, graph_kernels = 0;
  std::int64_t streams = 0;    // with such work
  double busy_share() const;   // of the windows' time; 0 of none
  double graph_share() const;  // of the kernels, those that a graph launched; 0 without kernels
};

// Launches of kernels and graphs that begin in the window, on all threads. Where the trace links
// calls to kernels, only calls whose kernel ran are launches: calls that are captured into a graph
// run nothing.
struct LaunchUse {
  std::int64_t launches = 0, graph_launches = 0;  // the latter are among the former
  double host_ns = 0;                             // sum of their durations
  std::optional<double> host_median_ns;
};

// On a host without any work of a device: unions over all threads.
struct HostUse {
  std::int64_t working_ns = 0;      // in an operator or a collective
  CommunicationTime communication;  // of collectives' operators and ranges, beside other operators
};

struct TraceUse {
  std::vector<Window> windows;
  LaunchUse launches;
  std::vector<DeviceUse> devices;  // all with work in the timeline, in order
  std::optional<HostUse> host;     // without devices
  double length_ns() const;        // of all windows
};

// Prepares a timeline for the analysis of many windows. The timeline must outlive it unchanged, and
// be sorted as timeline.h promises. Uses about 30 bytes for each record. Safe for several readers.
class TraceIndex {
 public:
  explicit TraceIndex(const Timeline& timeline);
  const Timeline& timeline() const { return timeline_; }

  // The windows are in order and do not overlap.
  TraceUse analyse(const std::vector<Window>& windows, const IdleRules& rules = {}) const;
  TraceUse analyse(const Window& window, const IdleRules& rules = {}) const {
    return analyse(std::vector{window}, rules);
  }
  LaunchUse launches_in(const std::vector<Window>& windows) const;  // a part of it

  // The call that launched `timeline.work[index]`, or nullptr.
  const HostCall* launch_of(std::size_t index) const;

 private:
  struct PerDevice {
    std::vector<std::uint32_t> work;  // indices, by begin
    TouchIndex when;                  // of the same
    std::vector<Window> pending;      // from the begin of a launch to that of its work, by begin
    TouchIndex pending_when;
  };
  void find_launches();
  void add_pending(std::size_t work);
  bool is_first_of_launch(std::size_t index) const { return first_[index]; }
  bool is_of_graph(std::size_t index) const;
  bool is_launch(std::size_t call) const;
  bool is_communication(NameId name) const {
    return name < communication_.size() && communication_[name];
  }

  // What the figures of several windows need.
  struct Tally {
    std::set<std::int64_t> streams;
    std::vector<std::int64_t> latencies_ns;
    double pending_ns = 0, empty_ns = 0;
  };
  DeviceUse use_of(std::int32_t device, const PerDevice& all, const std::vector<Window>& windows,
                   const IdleRules& rules) const;
  void count_work(DeviceUse& use, const PerDevice& all, const Window& window, Tally& tally) const;
  void count_pending(const PerDevice& all, const Window& window, Tally& tally) const;
  void find_gaps(DeviceUse& use, const PerDevice& all, const Window& window,
                 const IdleRules& rules) const;
  void add_gap(DeviceUse& use, const Window& gap, std::int64_t idle_since_ns,
               std::optional<std::size_t> next, const IdleRules& rules) const;
  CommunicationTime communication_of(const PerDevice& all, const Window& window) const;
  HostUse use_of_host(const std::vector<Window>& windows) const;

  const Timeline& timeline_;
  std::map<std::int32_t, PerDevice> devices_;
  std::vector<std::uint32_t> launch_;  // of each work, an index of calls; kNoLaunch
  std::vector<bool> first_;            // of each work: the first of its launch
  std::vector<bool> launches_kernel_;  // of each call
  bool knows_launches_ = false;        // of any kernel
  std::vector<bool> communication_;    // of each name of a kernel
};

}  // namespace sweepd::trace
