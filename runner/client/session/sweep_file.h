// Reads the sweep files that a command names.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/session/client.h"
#include "runner/client/session/command_line.h"
#include "runner/wire/messages/plan.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {

struct SweepFiles {
  std::vector<std::string> files;  // - is standard input
  std::vector<std::string> sets;   // --set, as typed
  std::string pool;                // --pool: the same as --set pool=...

  std::vector<std::string> all_sets() const;
};

// Adds FILE..., --set and --pool.
void add_sweep_file_options(Command& command, SweepFiles& files);

// Reads one file. The error names the file and says why.
Result<std::string> read_sweep_file(const std::string& file);

struct SweepFile {
  std::string shown;  // its name in messages: "<stdin>" for -
  std::string text;
  std::vector<std::string> sets;  // those that fit it
  std::string folder = {};        // an absolute path; of standard input, the working folder
  // This process's variables that locate programs, and those that the file names.
  std::vector<std::string> environment = {};

  rpc::Submit::Request submit() const;
  rpc::Plan::Request plan() const;
};

// Reads one file, with its folder and the variables that it needs.
Result<SweepFile> load_sweep_file(const std::string& file, std::vector<std::string> sets);

// Reads all of them. If there are several, the daemon checks each before any is used, so that a
// mistake in the last is found before the first is queued. `--set` changes the files that have the
// parameter, as it changes those documents of one file; stderr gets a line for each other file. A
// parameter that no file has is a mistake. Errors name the file.
Result<std::vector<SweepFile>> read_sweep_files(Client& client, const SweepFiles& named);

}  // namespace sweepd
