// `<state>/sweeps/<id>.json`: a sweep as it was submitted. The daemon writes it, and forces it to
// the disk, before the sweep is in the database; only `sweepctl recover` reads it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"

namespace sweepd {

struct Submission {
  SweepId id;
  std::string name;
  WallTime submitted;
  std::string text;              // of the whole sweep file
  int document = 0;              // which sweep of the file
  std::vector<std::string> set;  // --set, as it was given
  bool set_where_it_fits = false;
  std::string folder;                          // of the sweep file
  std::vector<std::string> environment;        // "NAME=value", what is kept of the submitter's
  int version = 0;                             // of the workload
  std::map<std::string, std::string> devices;  // what `auto` was, by pool
};

// One file of the folder, which is made if need be.
std::filesystem::path submission_file(const std::filesystem::path& sweeps, const SweepId& id);
Result<void> write_submission(const std::filesystem::path& sweeps, const Submission& submission);
Result<Submission> read_submission(const std::filesystem::path& file);

}  // namespace sweepd
