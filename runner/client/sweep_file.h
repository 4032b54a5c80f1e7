// Reading the sweep files that a command names.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/client.h"
#include "runner/client/command_line.h"

namespace sweepd {

struct SweepFiles {
  std::vector<std::string> files;  // - is standard input
  std::vector<std::string> sets;   // --set, as typed
};

// FILE... and --set.
void add_sweep_file_options(Command& command, SweepFiles& files);

// One of them. The error names the file and says why.
Result<std::string> read_sweep_file(const std::string& file);

struct SweepFile {
  std::string shown;  // what messages call it: "<stdin>" for -
  std::string text;
  std::vector<std::string> sets;  // those that fit it

  // The members that `submit` and `plan` share.
  nlohmann::json request() const;
};

// Reads all of them. Of several each is checked by the daemon before any is used, so that a mistake
// in the last does not find the first queued; and `--set` changes those that have the parameter, as
// it changes those documents of one file. For the others stderr gets a line; that none has it is a
// mistake. Errors name the file.
Result<std::vector<SweepFile>> read_sweep_files(Client& client, const SweepFiles& named);

}  // namespace sweepd
