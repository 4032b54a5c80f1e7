// Asks a small program a question, such as `git rev-parse HEAD` or `python3 --version`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/base/units.h"

namespace sweepd::command {

// Returns what the program printed to its standard output, at most 64 KiB, without blanks at its
// ends; nothing if it does not exist, fails, or takes longer than `limit`, when it is killed.
// argv[0] is found by PATH. It gets no input, and no variable GIT_*, which would name another
// repository. Not while command::run runs a program.
std::optional<std::string> answer_of(const std::vector<std::string>& argv, Duration limit);

}  // namespace sweepd::command
