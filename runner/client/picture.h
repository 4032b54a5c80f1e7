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

// Returns JavaScript that defines `vegaEmbed`, which draws specifications in a browser: Vega, Vega-
// Lite and Vega-Embed (BSD 3-Clause), about 0.9 MB. The first call takes seconds; what it made is
// kept in the user's cache folder. Errors: as above.
Result<std::string> plot_library();

}  // namespace sweepd
