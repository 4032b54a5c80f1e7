// Reading the sweep files that a command names.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/command_line.h"

namespace sweepd {

struct SweepFiles {
  std::vector<std::string> files;  // - is standard input
  std::vector<std::string> sets;   // --set, as typed
};

// FILE... and --set.
void add_sweep_file_options(Command& command, SweepFiles& files);

// The error names the file and says why.
Result<std::string> read_sweep_file(const std::string& file);

// What messages call it: "<stdin>" for -.
std::string shown_name(const std::string& file);

}  // namespace sweepd
