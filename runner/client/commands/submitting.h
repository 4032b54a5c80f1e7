// Shared by `submit` and `run`: a sweep file, the reuse of earlier results, and waiting.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"

namespace sweepd {

struct SubmissionOptions {
  SweepFiles files;
  bool again = false;
  std::string reuse = "same";
  std::string notify;
};

// Adds FILE and the options that select its points, --again, --reuse and --notify; `submission`
// receives them.
void add_submission_options(Command& command, SubmissionOptions& submission);

// Queues the sweeps and prints a line for each to `lines`. Returns their ids.
Result<std::vector<std::string>> submit_sweeps(Client& client, const SubmissionOptions& submission,
                                               std::FILE* lines);
// The same of files that were read; `submission.files` is not used.
Result<std::vector<std::string>> submit_files(Client& client, const std::vector<SweepFile>& files,
                                              const SubmissionOptions& submission,
                                              std::FILE* lines);

// Follows one sweep after the other until all have ended. Returns the last exit that is not kOk;
// after kInterrupted it does not wait for the rest.
Exit watch_sweeps(Client& client, const std::vector<std::string>& ids);

// The same, and then prints the tables of all to stdout, or only of sweeps with a result.
enum class TablesOf { kAll, kResults };
Exit watch_and_print(Client& client, const std::vector<std::string>& ids, const std::string& format,
                     TablesOf which = TablesOf::kAll);

}  // namespace sweepd
