// Vega-Lite specifications as PNG pictures, which Python's vl-convert draws.
#pragma once

#include <string>

#include "runner/base/result.h"

namespace sweepd {

// Returns the picture's bytes. Runs $SWEEPD_PYTHON, else python3, for
// about a second. Errors: kUnavailable if there is no Python or it has no vl_convert, and the
// message then names the package to install; kInternal if vl-convert refuses the specification.
Result<std::string> draw_png(const std::string& vega_lite);

}  // namespace sweepd
