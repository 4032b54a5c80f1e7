#include "runner/report/memory_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sweepd {
namespace {

using Unit = std::pair<const char*, double>;

// Uses the largest unit of which `most` contains at least one.
template <std::size_t N>
PlotAxis axis_in(const std::array<Unit, N>& units, double most, int about) {
  Unit unit = units.front();
  for (const Unit& candidate : units) {
    if (most >= candidate.second) unit = candidate;
  }
  PlotAxis axis;
  axis.unit_name = unit.first;
  axis.unit = unit.second;
  const double span = std::max(most / unit.second, 1e-9);
  const double rough = span / about;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = power;
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    step = factor * power;
    if (step >= rough) break;
  }
  // Multiplied, not added up: adding 0.1 ten times does not give 1.
  for (int i = 0;; ++i) {
    axis.marks.push_back(i * step);
    if (i * step >= span) break;
  }
  axis.end = axis.marks.back() * unit.second;
  return axis;
}

}  // namespace

std::string PlotAxis::label(double mark) const {
  return fmt::format("{:.6g}", mark);
}

PlotAxis bytes_axis(std::int64_t most, int about) {
  constexpr std::array<Unit, 5> kUnits{
      {{"B", 1}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}}};
  return axis_in(kUnits, static_cast<double>(most), about);
}

PlotAxis time_axis(std::int64_t end_ns, int about) {
  constexpr std::array<Unit, 4> kUnits{{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
  return axis_in(kUnits, static_cast<double>(end_ns), about);
}

MemoryCurve curve_of(std::span<const MemoryPoint> timeline) {
  MemoryCurve curve;
  for (const MemoryPoint& point : timeline) {
    curve.end_ns = std::max(curve.end_ns, point.time.ns);
    if (curve.peak == nullptr || point.allocated > curve.peak->allocated) curve.peak = &point;
    if (point.action != "phase") continue;
    if (!curve.phases.empty()) curve.phases.back().end_ns = point.time.ns;
    curve.phases.push_back({point.phase, point.time.ns, point.time.ns});
  }
  if (!curve.phases.empty()) curve.phases.back().end_ns = curve.end_ns;
  std::erase_if(curve.phases, [](const PhaseSpan& span) { return span.begin_ns == span.end_ns; });
  return curve;
}

std::vector<std::int64_t> most_per_column(std::span<const MemoryPoint> timeline,
                                          std::int64_t end_ns, std::size_t columns) {
  std::vector<std::int64_t> most(columns, 0);
  if (timeline.empty() || columns == 0) return most;
  const double width = static_cast<double>(end_ns + 1) / static_cast<double>(columns);
  std::int64_t live = timeline.front().allocated.value;
  std::size_t next = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    most[column] = live;
    const double until = width * static_cast<double>(column + 1);
    for (; next < timeline.size() && static_cast<double>(timeline[next].time.ns) < until; ++next) {
      live = timeline[next].allocated.value;
      most[column] = std::max(most[column], live);
    }
  }
  return most;
}

}  // namespace sweepd
