// The prose of a study's document. Pure.
#pragma once

#include <string>
#include <string_view>

namespace sweepd {

// Fills the paragraphs of markdown to lines of at most 100 columns where their words allow it, and
// joins each number to the unit behind it by a no-break space, so that a figure never breaks a
// line. Lists, tables, headings, code and paragraphs with hard line breaks stay as they are.
std::string fill_paragraphs(std::string_view markdown);

}  // namespace sweepd
