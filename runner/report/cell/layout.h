// Shared by the renderers of tables for people: header texts, column widths, padding.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sweep/table.h"

namespace sweepd::report {

// Returns "forward (ms)", or just the name if there is no unit, the unit is "1", or the name ends
// with it.
std::string header_text(const Column& column);

// Returns where a figure's marks begin: for a verdict, for steps not on one level, for a difference
// that cannot be judged. Returns the text's size if it has none.
std::size_t begin_of_marks(std::string_view text);

// Returns every cell's text after `escape`, header first, each row as long as `columns`. Bold cells
// have `bold` on both sides. In a right-aligned column with a marked ("12.3†") or bold cell the
// other cells are padded so that the digits line up.
using Lines = std::vector<std::vector<std::string>>;
Lines lines_of(const Table& table, std::string (*escape)(std::string_view), std::string_view bold);

std::vector<std::size_t> widths_of(const Lines& lines);

std::string pad(const std::string& text, std::size_t width, Align align);

// Breaks text into lines of at most `width` (1 or more) terminal columns, at spaces, or inside a
// word that is longer than a line. Returns at least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace sweepd::report
