// Evaluates a formula of numbers: `2 * 512 * (3 + 1e6)`.
#pragma once

#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

// Knows + - * / and ^ (to the power of, right to left), signs and parentheses. The error names the
// place.
Result<double> evaluate(std::string_view formula);

}  // namespace sweepd
