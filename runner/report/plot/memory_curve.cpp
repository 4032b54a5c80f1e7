#include "runner/report/plot/memory_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::int64_t kStretches = 240;
constexpr const char* kEvent = "event";

struct Colour {
  std::string_view kind;
  const char* colour;
};
constexpr std::array kColours{Colour{"weights", "#4c78a8"}, Colour{"optimizer_state", "#9ecae9"},
                              Colour{"gradients", "#f58518"}, Colour{"activations", "#54a24b"},
                              Colour{"other", "#bab0ac"}};

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

std::string title_of_time(const PlotAxis& axis) {
  return axis.unit_name == kEvent ? "Event" : fmt::format("Time ({})", axis.unit_name);
}

std::string moment_on(const PlotAxis& axis, std::int64_t ns) {
  const double at = static_cast<double>(ns) / axis.unit;
  if (axis.unit_name == kEvent) return "event " + with_thousands(std::llround(at));
  return fmt::format("{:.3g} {}", at, axis.unit_name);
}

PlotAxis time_axis(const MemoryPicture& picture, std::int64_t end_ns, int about) {
  constexpr std::array<Unit, 1> kEvents{{{kEvent, 1e3}}};
  if (picture.by_event) return axis_in(kEvents, static_cast<double>(end_ns), about);
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

std::vector<std::size_t> points_to_draw(std::span<const MemoryPoint> timeline,
                                        std::int64_t end_ns) {
  const auto stretch = [&](std::size_t i) {
    const std::int64_t at = timeline[i].time.ns * kStretches / end_ns;
    return std::min(at, kStretches - 1);  // the step's end is in the last
  };
  std::vector<std::size_t> shown;
  for (std::size_t begin = 0, end = 0; begin < timeline.size(); begin = end) {
    std::size_t most = begin;
    for (end = begin; end < timeline.size() && stretch(end) == stretch(begin); ++end) {
      if (timeline[end].allocated > timeline[most].allocated) most = end;
    }
    if (begin == 0 && most != 0) shown.push_back(0);
    shown.push_back(most);
    if (most != end - 1) shown.push_back(end - 1);
  }
  return shown;
}

std::string kind_in_words(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return kind;
}

const char* colour_of_kind(std::string_view kind) {
  const auto found = std::ranges::find(kColours, kind, &Colour::kind);
  return found == kColours.end() ? "#888" : found->colour;
}

}  // namespace sweepd
