// Vega-Lite specifications as pictures. Python's vl-convert draws them: nothing in sweepd does.
#pragma once

#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

// Returns the picture's bytes. `format` is "svg" or "png". Runs $SWEEPD_PYTHON, else python3, for
// about a second. Errors: kUnavailable if there is no Python or it has no vl_convert, and then the
// message says what to install; kInternal if vl-convert refuses the specification.
Result<std::string> draw_picture(const std::string& vega_lite, std::string_view format);

}  // namespace sweepd
