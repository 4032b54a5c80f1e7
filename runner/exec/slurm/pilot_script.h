// The text of a job's batch script: the pilot, and with the word `rank` a task of a step. Pure.
#pragma once

#include <filesystem>
#include <string>

#include "runner/exec/pilot/pilot_settings.h"

namespace sweepd {

// A bash script without a value that is not quoted.
std::string pilot_script(const PilotSettings& settings, const std::filesystem::path& job_folder);

// Quotes a text for a shell.
std::string quoted(const std::string& text);

}  // namespace sweepd
