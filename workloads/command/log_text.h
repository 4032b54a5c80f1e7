// Shared by the readers of log lines. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::command {

// The line without what a terminal takes for a command: "\x1b[31mstep" is "step".
std::string without_colours(std::string_view line);

// The parts of the line between spaces and tabs.
std::vector<std::string> words_in(std::string_view line);

}  // namespace sweepd::command
