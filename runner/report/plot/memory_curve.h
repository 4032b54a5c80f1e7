// Shared by the two pictures of a memory timeline: its phases, its peak, its axes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/measurement/memory_picture.h"

namespace sweepd {

struct PhaseSpan {
  std::string phase;
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct MemoryCurve {
  std::int64_t end_ns = 0;            // of the step; it begins at 0
  const MemoryPoint* peak = nullptr;  // first point that holds the most; null if empty
  std::vector<PhaseSpan> phases;      // longer than 0, in order; "step" is outside of them
};

// `timeline` must outlive the curve.
MemoryCurve curve_of(std::span<const MemoryPoint> timeline);

// Returns live bytes for each of `columns` equal intervals of the step: the maximum in each, so
// that even the shortest peak is visible. Blocks allocated before an interval count in it.
std::vector<std::int64_t> most_per_column(std::span<const MemoryPoint> timeline,
                                          std::int64_t end_ns, std::size_t columns);

// The first point, and of each of 240 stretches of the step the point with the most and the last
// one, so that no peak is lost and each level lasts until it changes.
std::vector<std::size_t> points_to_draw(std::span<const MemoryPoint> timeline, std::int64_t end_ns);

// How pictures show a kind of memory (MemoryBand): "optimizer state", "#9ecae9".
std::string kind_in_words(std::string kind);
const char* colour_of_kind(std::string_view kind);

// Round marks from 0 to just above `most`: 1, 2 or 5 times a power of ten in `unit`, about `about`
// of them.
struct PlotAxis {
  double unit = 1;                       // of one label unit, in the axis' own unit (bytes, ns)
  std::string unit_name;                 // "MiB", "ms"
  std::vector<double> marks;             // in label units, from 0
  double end = 0;                        // the last mark, in the axis' own unit
  std::string label(double mark) const;  // without the unit
};
PlotAxis bytes_axis(std::int64_t most, int about);
PlotAxis time_axis(const MemoryPicture& picture, std::int64_t end_ns, int about);
// "Time (ms)", "Event".
std::string title_of_time(const PlotAxis& axis);
// "3.7 ms", "event 3,697".
std::string moment_on(const PlotAxis& axis, std::int64_t ns);

}  // namespace sweepd
