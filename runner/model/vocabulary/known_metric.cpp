#include "runner/model/vocabulary/known_metric.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "runner/model/vocabulary/memory.h"

namespace sweepd {
namespace {

constexpr std::string_view kFigurePrefix = "figure.";
constexpr std::string_view kFactPrefix = "fact.";

void add_samples(std::vector<KnownMetric>& metrics) {
  using enum KnownMetric::When;
  using enum FigureSource;
  metrics.insert(
      metrics.end(),
      {{"time", kSummary, "ms",
        "of a phase on the device's own clock if it has one (CUDA events on the work's stream), "
        "else the host's"},
       {"host_time", kSummary, "ms",
        "of the steady clock around a whole step after a synchronise; not with `launch: ahead`"},
       {std::string(kEnergy), kSummary, "J",
        "of a step, by the device's own counter (NVML of a GPU, RAPL of a CPU) where it can be "
        "read, the sum of all ranks; not with `launch: ahead` or `flush_cache: L2`",
        kSteps, Better::kSmaller},
       {std::string(kDeviceClock), kSummary, "MHz",
        "of a GPU's multiprocessors by NVML, or mean of the leased cores by the kernel; read every "
        "100 ms beside the steps, where a core is spare"},
       {std::string(kDevicePower), kSummary, "W", "of a GPU by NVML; read with the clock"},
       {std::string(kDeviceTemperature), kSummary, "°C",
        "of a GPU by NVML, or of the warmest CPU package; read with the clock"},
       {"loss", kSummary, "1", "of the step's batch", kSteps, Better::kSmaller},
       {"setup_time", kSummary, "ms", "making the workload", kSetup},
       {"capture_time", kSummary, "ms", "capturing the CUDA graph", kSetup},
       {"compile_time", kSummary, "ms", "compiling the model", kSetup},
       {"load_time", kSummary, "ms", "loading a compiled package", kSetup},
       {"rendezvous_time", kSummary, "ms", "connecting the ranks", kSetup},
       {"start_time", kSummary, "ms", "everything since the process started", kSetup},
       {"fill_time", kSummary, "ms", "filling buffers", kSetup},
       {std::string(kExposedLaunch), kSummary, "1",
        "1 for a step that the device began before the host had issued all of it, else 0; with "
        "`launch: ahead`",
        kSomeSteps},
       {"algbw", kSummary, "GB/s", "bytes of a collective by the slowest rank's time", kSomeSteps},
       {"busbw", kSummary, "GB/s", "of the links, as nccl-tests count it", kSomeSteps}});
}

// `at_start_bytes`, `peak_allocated_bytes` ...
void add_memory(std::vector<KnownMetric>& metrics) {
  const PhaseMemory memory;
  PhaseMemory::visit(
      memory, [&]<class T>(const char* name, const T&, const char* meaning, const auto&...) {
        if constexpr (std::is_same_v<T, std::optional<Bytes>>)
          metrics.push_back({std::string(name) + "_bytes", FigureSource::kMemory, "B", meaning});
      });
}

void add_profile(std::vector<KnownMetric>& metrics) {
  using enum FigureSource;
  metrics.insert(
      metrics.end(),
      {{"kernel_time", kKernel, "ms", "all calls of a kernel in the step"},
       {"kernel_calls", kKernel, "1", "calls in the step"},
       {"kernel_share", kKernel, "1", "of all kernels' time in the same phases"},
       {"kernel_mean", kKernel, "ms", "of one call"},
       {"kernel_median", kKernel, "ms", "of one call"},
       {"kernel_min", kKernel, "ms", "the shortest call"},
       {"kernel_max", kKernel, "ms", "the longest call"},
       {"kernel_std", kKernel, "ms", "of the calls"},
       {"operator_calls", kOperator, "1", "calls in the step"},
       {"operator_self_cpu_time", kOperator, "ms", "on the host, without the operators inside"},
       {"operator_cpu_time", kOperator, "ms", "on the host"},
       {"operator_cpu_mean", kOperator, "ms", "on the host, of one call"},
       {"operator_self_cpu_share", kOperator, "1", "of all operators' time on the host"},
       {"operator_cpu_share", kOperator, "1", "of all operators' time on the host"},
       {"operator_self_device_time", kOperator, "ms", "of its own kernels"},
       {"operator_device_time", kOperator, "ms", "of its kernels and of those inside"},
       {"operator_device_mean", kOperator, "ms", "of its kernels, of one call"},
       {"operator_self_device_share", kOperator, "1", "of all kernels' time"},
       {"steady_from", kSteadiness, "1",
        "the step from which on a phase's time stays on one level"},
       {"allocation_bytes", kAllocation, "B", "one of the largest live blocks"}});
}

// What bounds a step (runner/trace/analysis.h): samples of the profile pass, of each device, whose
// `step` is the device's position.
void add_bounds(std::vector<KnownMetric>& metrics) {
  using enum FigureSource;
  using enum Better;
  const auto add = [&](std::string name, std::string_view unit, std::string_view meaning,
                       Better better = kUnknown) {
    metrics.push_back({std::move(name), kSummary, unit, meaning, KnownMetric::When::kSomeSteps,
                       better, Pass::kProfile});
  };
  add("device_busy_share", "1", "of the step, while any work of a device ran", kLarger);
  add("device_busy_time", "ms", "union of the times of a device's kernels, copies and fills");
  add("device_idle_time", "ms", "the rest of the step");
  add("idle_host_time", "ms", "idle until work came that the host had launched late");
  add("idle_wait_time", "ms", "idle although the next work had been launched in time");
  add("idle_tail_time", "ms", "idle between a device's last work and the end of the step");
  add("idle_unknown_time", "ms", "idle before work whose launch the trace does not have");
  add("largest_gap_time", "ms", "the longest idle interval");
  add("largest_gap_launch_time", "ms", "of it, in the call that launched the work after it");
  add("launches", "1", "launches of kernels and graphs in the step", kSmaller);
  add("launch_host_time", "ms", "that the host spent in launches");
  add("launch_median_time", "ms", "of one launch on the host");
  add("launch_latency_time", "ms", "from the begin of a launch to that of its kernel, median");
  add("queue_depth", "1", "launched work that had not begun, mean over the step");
  add("queue_empty_share", "1", "of the step, while there was no such work", kSmaller);
  add("exposed_communication_time", "ms",
      "of collectives' kernels while no other kernel ran; without a device, of operators and "
      "ranges");
  add("overlapped_communication_time", "ms", "of collectives' kernels beside others, likewise");
  add("host_working_time", "ms",
      "without a device: in an operator or a collective, on any thread; a union");
  add("streams", "1", "with work of a device");
  add("graph_kernel_share", "1", "of the kernels, those that a CUDA graph launched");
  add("traced_step_time", "ms", "of a step that an imported trace marks");
}

// Of `figure.weights_bytes` and `fact.load_ms`.
std::string_view unit_within(std::string_view metric) {
  for (const std::string_view unit : {"ns", "us", "ms", "s"}) {
    if (metric.ends_with(unit) && metric.substr(0, metric.size() - unit.size()).ends_with('_')) {
      return unit;
    }
  }
  return "1";
}

}  // namespace

std::span<const KnownMetric> known_metrics() {
  static const std::vector<KnownMetric> metrics = [] {
    std::vector<KnownMetric> all;
    add_samples(all);
    add_memory(all);
    add_profile(all);
    add_bounds(all);
    return all;
  }();
  return metrics;
}

const KnownMetric* find_known_metric(std::string_view name) {
  const auto all = known_metrics();
  const auto found = std::ranges::find(all, name, &KnownMetric::name);
  return found == all.end() ? nullptr : &*found;
}

FigureSource source_of_metric(std::string_view name) {
  if (name == "figure" || name.starts_with(kFigurePrefix)) return FigureSource::kFigure;
  if (name == "fact" || name.starts_with(kFactPrefix)) return FigureSource::kFact;
  const KnownMetric* known = find_known_metric(name);
  return known == nullptr ? FigureSource::kSummary : known->source;
}

std::optional<Pass> pass_of_metric(std::string_view name) {
  if (name.starts_with(kRangeTimePrefix)) return Pass::kProfile;
  if (const KnownMetric* known = find_known_metric(name); known != nullptr && known->pass)
    return known->pass;
  switch (source_of_metric(name)) {
    case FigureSource::kKernel:
    case FigureSource::kOperator:
      return Pass::kProfile;
    case FigureSource::kMemory:
    case FigureSource::kAllocation:
      return Pass::kMemory;
    default:
      return std::nullopt;
  }
}

std::string_view unit_of_metric(std::string_view name) {
  if (const KnownMetric* known = find_known_metric(name)) return known->unit;
  if (name.ends_with("_time") || name.starts_with(kRangeTimePrefix)) return "ms";
  if (name.ends_with("_bytes") || name.find("_bytes_per_") != std::string_view::npos) return "B";
  if (name.ends_with("_calls") || name.ends_with("_share")) return "1";
  if (name.ends_with("_algbw") || name.ends_with("_busbw")) return "GB/s";
  const FigureSource source = source_of_metric(name);
  const bool named = source == FigureSource::kFigure || source == FigureSource::kFact;
  return named ? unit_within(name) : "";
}

bool is_without_clock(std::string_view name) {
  if (name.ends_with("loss") || name.ends_with("_bytes") || name.ends_with("_calls")) return true;
  switch (source_of_metric(name)) {
    case FigureSource::kFigure:
    case FigureSource::kMemory:
    case FigureSource::kAllocation:
      return true;
    case FigureSource::kFact:
      return name.starts_with(kFactPrefix) && !name.starts_with("fact.profile.") &&
             !name.starts_with("fact.fit.") && unit_within(name) == "1" &&
             !name.ends_with("_share") && !name.ends_with("_gbps");
    default:
      return name == "launches" || name == "streams";
  }
}

bool is_bandwidth(std::string_view name) {
  return unit_of_metric(name) == "GB/s";
}

std::string_view name_within(std::string_view metric) {
  for (const std::string_view prefix : {kFigurePrefix, kFactPrefix}) {
    if (metric.starts_with(prefix)) return metric.substr(prefix.size());
  }
  return "";
}

}  // namespace sweepd
