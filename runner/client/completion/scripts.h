// The completion scripts of shells. They are made from the parser's own verbs and options, so they
// cannot differ from the program.
#pragma once

#include <string>

#include "runner/client/completion/outline.h"

namespace sweepd {

std::string bash_script(const Outline& outline);
std::string zsh_script(const Outline& outline);
std::string fish_script(const Outline& outline);

// The script for `shell`, or "" for a shell without one.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace sweepd
