// "peak_allocated_bytes per sequence^2": a metric divided by a parameter of the point. A column of
// it shows whether something grows as a power of that parameter.
#pragma once

#include <string>

#include "runner/base/result.h"

namespace sweepd {

struct DividedMetric {
  std::string metric;           // the metric that is read
  std::string parameter;        // "" if there is no divisor
  int power = 1;                // 1 to 4
  std::string divisor() const;  // "sequence^2", "sequence", ""
};

// Text without " per " is a metric alone. The error describes the defect of the text after it.
Result<DividedMetric> parse_metric(std::string_view text);

// Returns the metric without its divisor, even if the text is wrong.
std::string metric_alone(std::string_view text);

}  // namespace sweepd
