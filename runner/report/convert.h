// Conversion between units of one kind. FLOP/s and shares have fixed units and are never converted.
#pragma once

#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

// value * multiply / divide: one of the two is 1, so that 1500 ms is 1.5 s to the last bit.
struct Conversion {
  double multiply = 1;
  double divide = 1;
  double operator()(double value) const { return value * multiply / divide; }
};

// `from` is a metric's own unit, `to` what a person asked for; "" keeps the metric's.
Result<Conversion> conversion(std::string_view from, std::string_view to);

// Is it a unit that can be asked for at all? The error lists them and the nearest.
Result<void> check_unit(std::string_view unit);

}  // namespace sweepd::report
