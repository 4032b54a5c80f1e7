// Conversion between units of one kind. FLOP/s and shares have fixed units and are never converted.
#pragma once

#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

// Computes value * multiply / divide. One of the two is 1, so that 1500 ms is exactly 1.5 s.
struct Conversion {
  double multiply = 1;
  double divide = 1;
  double operator()(double value) const { return value * multiply / divide; }
};

// `from` is the metric's own unit, `to` the requested unit; "" keeps the metric's.
Result<Conversion> conversion(std::string_view from, std::string_view to);

// Checks that a unit exists at all. The error lists the units and the nearest one.
Result<void> check_unit(std::string_view unit);

}  // namespace sweepd::report
