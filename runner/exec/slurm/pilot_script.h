// The text of a job's batch script: the pilot, and with the word `rank` a task of a step. Pure.
#pragma once

#include <filesystem>
#include <string>

#include "runner/model/pool_config.h"

namespace sweepd {

struct PilotSettings {
  PoolConfig pool;
  std::filesystem::path worker;
  std::filesystem::path light;    // SlurmSettings::light
  std::filesystem::path folder;   // of the job (job_folder.h)
  Duration reload = seconds(60);  // SlurmTiming::reload
};

// A bash script without a value that is not quoted.
std::string pilot_script(const PilotSettings& settings);

// Quotes a text for a shell.
std::string quoted(const std::string& text);

}  // namespace sweepd
