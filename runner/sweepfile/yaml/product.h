// The cross product of a sweep's matrix and zip groups, as counters over value lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runner/model/sweep/sweep.h"

namespace sweepd::sweepfile {

constexpr std::int64_t kMaxPoints = 1'000'000;

// A sweep without axes is one point, its params. But if include lists points and there is no axis,
// those are all of its points.
bool has_product(const Sweep& sweep);

// Axes that advance together: a matrix axis, or the axes of a zip group. Points into the sweep.
struct Dimension {
  std::vector<const Axis*> axes;
  std::size_t length = 0;
};
std::vector<Dimension> dimensions_of(const Sweep& sweep);  // slowest first

}  // namespace sweepd::sweepfile
