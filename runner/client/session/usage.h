// Explains an invalid command line: the wrong word and the likely intended one.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sweepd {

// For App::failure_message. Returns complete lines, or the help if there is no command.
std::string explain_usage(const CLI::App* app, const CLI::Error& error);

}  // namespace sweepd
