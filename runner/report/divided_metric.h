// "peak_allocated_bytes per sequence^2": a metric divided by a parameter of the point, so that a
// column shows whether something grows as a power of it.
#pragma once

#include <string>

#include "runner/base/result.h"

namespace sweepd {

struct DividedMetric {
  std::string metric;           // what is read
  std::string parameter;        // "" when nothing divides
  int power = 1;                // 1 to 4
  std::string divisor() const;  // "sequence^2", "sequence", ""
};

// Text without " per " is a metric alone. The error says what is wrong with what stands behind it.
Result<DividedMetric> parse_metric(std::string_view text);

// The metric alone, of right and wrong text.
std::string metric_alone(std::string_view text);

}  // namespace sweepd
