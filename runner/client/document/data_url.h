// A picture, or what a script draws one from, as part of a page.
#pragma once

#include <string>

namespace sweepd {

// An SVG as a data URL, fit for an attribute in double quotes. As an image it can hold no script
// that runs.
std::string svg_data_url(const std::string& svg);

// A Vega-Lite specification as an element that the page's script finds. No text in it can end the
// element.
std::string plot_element(const std::string& vega_lite);

}  // namespace sweepd
