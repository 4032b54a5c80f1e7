// The metrics that sweepd knows: name, source, unit and meaning, each in one place.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/model/vocabulary/metric.h"
#include "runner/model/vocabulary/pass.h"

namespace sweepd {

// Where a metric's values are stored.
enum class FigureSource {
  kSummary,     // samples, one row a phase
  kSample,      // samples, with steps or ranks apart
  kMemory,      // the memory pass's table
  kFigure,      // computed by formula: every attempt that started has them
  kFact,        // named results of an attempt, numbers and texts
  kKernel,      // kernels of the profile pass
  kOperator,    // operators of the profile pass, on both clocks
  kAllocation,  // blocks of the memory pass
  kSteadiness,  // of the times of each phase
};

struct KnownMetric {
  enum class When {
    kSteps,      // a table may name it before any result has it
    kSetup,      // a sample of the set-up, with phase `setup`
    kSomeSteps,  // of the steps of some workloads
  };
  std::string name;
  FigureSource source = FigureSource::kSummary;
  std::string_view unit, meaning;
  When when = When::kSteps;
  Better better = Better::kUnknown;  // where its unit does not say it
  std::optional<Pass> pass = {};     // of samples that only one pass has
};

// In the order in which tables show them. Other metrics are samples that a program reports, or
// belong to a family: `figure.NAME`, `fact.NAME`, `range_time.NAME`.
std::span<const KnownMetric> known_metrics();
const KnownMetric* find_known_metric(std::string_view name);  // null: not one of these

// The time in a range, of the profile pass: range_time.attention.softmax, a sample for each pass
// through it.
inline constexpr std::string_view kRangeTimePrefix = "range_time.";
inline constexpr std::string_view kExposedLaunch = "exposed_launch_share";
// The only metric that ranks have a part of each: their values of a step add up. Of every other
// metric the largest counts.
inline constexpr std::string_view kEnergy = "energy";
// Read beside the steps, so short steps mostly lack them.
inline constexpr std::string_view kDeviceClock = "device_clock";
inline constexpr std::string_view kDevicePower = "device_power";
inline constexpr std::string_view kDeviceTemperature = "device_temperature";

// Decides by the metric's name alone: kSummary for metrics of samples.
FigureSource source_of_metric(std::string_view name);
// The pass that measures it, if only one does.
std::optional<Pass> pass_of_metric(std::string_view name);
// "ms", "B", "GB/s", "1"; "" if it is unknown. Where the table has no entry, the name's end
// decides: `_time`, `_bytes`, `_calls`, `_share`; of figures and facts also `_ns`, `_us`, `_s`.
std::string_view unit_of_metric(std::string_view name);
// Whether the load of the machine cannot change it: sizes, counts, formulas, losses and computed
// facts.
bool is_without_clock(std::string_view name);
// True for bandwidths, whose samples all move the same bytes in different times.
bool is_bandwidth(std::string_view name);
// "parameters" for figure.parameters; "" for every other metric, and for plain `figure` and `fact`,
// which mean all of them.
std::string_view name_within(std::string_view metric);

}  // namespace sweepd
