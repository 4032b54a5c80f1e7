// What the readers of log lines share. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

// The line without what a terminal takes for a command: "\x1b[31mstep" is "step".
std::string without_colours(std::string_view line);

// The parts of the line between spaces and tabs.
std::vector<std::string> words_in(std::string_view line);

// Reads "1,234.5" as 1234.5, and what number_in reads. Commas must separate groups of three digits.
std::optional<double> grouped_number_in(std::string_view text);

}  // namespace sweepd::command
