// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace sweepd::report {

// Escapes what would be markup, also in an attribute in either quotes. Control characters, which
// XML forbids, become spaces.
std::string escape_markup(std::string_view text);
// The same, with the line breaks that a tip may have.
std::string escape_lines(std::string_view text);

}  // namespace sweepd::report
