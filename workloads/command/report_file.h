// The file in which a program reports: `{report}`, or the one that it names itself, `reports:
// {file: out/results.csv}`. That one is kept in the attempt's folder, so that it can be read again.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "workloads/api/workload.h"
#include "workloads/command/params.h"
#include "workloads/command/secrets.h"

namespace sweepd::command {

// The file that a program names itself is the first rank's, unless its name has {rank}.
bool is_file_of_other_rank(const Params& params, int rank);

class ReportFile {
 public:
  // `cwd` is the program's working folder. Throws std::invalid_argument if the file is not below
  // it.
  ReportFile(const Params& params, const Context& context, std::filesystem::path cwd);

  bool is_of_other_rank() const { return is_of_other_rank_; }
  // The program begins now: what is there already, and what it does not change, is not its file.
  void begin();
  // Returns what the program wrote, without secrets; nothing if it wrote no `{report}`. Throws
  // std::runtime_error about a file that the program names: it is not there, was there before, is a
  // link or no file, leads out of the working folder, is too large, or cannot be kept.
  std::optional<std::string> read(const Secrets& secrets) const;

 private:
  bool is_named() const { return !name_.empty(); }
  std::string read_named() const;
  void keep(std::string_view text) const;

  std::filesystem::path folder_;  // the attempt's
  int rank_ = 0, world_size_ = 1;
  bool is_of_other_rank_ = false;
  std::filesystem::path cwd_, name_;  // below it; empty: `{report}`
  std::string before_;                // identity_of
};

// The same of an attempt that has ended. Nothing if there is no `{report}`. Throws
// std::runtime_error if the file that the program names was not kept.
std::optional<std::string> kept_report(const Params& params, const RunParams& run,
                                       const StoredOutput& output);

}  // namespace sweepd::command
