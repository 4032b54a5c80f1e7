// A picture as part of a page.
#pragma once

#include <string>

namespace sweepd {

// An SVG as a data URL, fit for an attribute in double quotes. As an image it can hold no script
// that runs.
std::string svg_data_url(const std::string& svg);

}  // namespace sweepd
