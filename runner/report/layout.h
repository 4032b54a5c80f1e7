// What the markdown and the terminal renderer share: header texts, column widths, padding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/table.h"

namespace sweepd::report {

// "forward (ms)"; just the name without a unit, with "1", or where it ends with the unit itself.
std::string header_text(const Column& column);

// Every cell's text after `escape`, header first, each row as long as `columns`; `bold` stands
// before and behind bold cells. In right-aligned columns with a marked ("12.3†") or bold cell the
// others get spaces, so that the digits line up.
using Lines = std::vector<std::vector<std::string>>;
Lines lines_of(const Table& table, std::string (*escape)(std::string_view), std::string_view bold);

std::vector<std::size_t> widths_of(const Lines& lines);

std::string pad(const std::string& text, std::size_t width, Align align);

// Lines of at most `width` (1 or more) terminal columns, broken at spaces; inside a word only where
// it is longer than a line. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace sweepd::report
