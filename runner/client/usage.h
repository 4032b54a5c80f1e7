// What to say about a command line that cannot be: which word, and which one was meant.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sweepd {

// For App::failure_message. Complete lines; with no command at all the help itself.
std::string explain_usage(const CLI::App* app, const CLI::Error& error);

}  // namespace sweepd
