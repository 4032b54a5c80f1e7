// `<state>/sweeps/<id>.json`: a sweep as it was submitted; only `sweepctl recover` reads it. The
// daemon writes it as `<id>.json.pending`, and forces it to the disk, before the sweep is in the
// database, and gives it its name afterwards; while it deletes a sweep the file is pending again.
// If it dies between the two, the next daemon checks the database for the sweep.
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
  std::vector<std::string> environment;        // "NAME=value", the stored part of the submitter's
  int version = 0;                             // of the workload
  std::map<std::string, std::string> devices;  // the value of `auto`, by pool
};

std::filesystem::path submission_file(const std::filesystem::path& sweeps, const SweepId& id);
// Writes the file, which is pending, into the folder, which is made if need be.
Result<void> write_submission(const std::filesystem::path& sweeps, const Submission& submission);
// Before the sweep is deleted.
void pend_submission(const std::filesystem::path& sweeps, const SweepId& id);
// Gives the file its name, if the sweep is in the database, or removes it.
void settle_submission(const std::filesystem::path& sweeps, const SweepId& id, bool is_stored);
// The sweeps whose files are pending.
std::vector<SweepId> pending_submissions(const std::filesystem::path& sweeps);
// Removes the unfinished files of a killed daemon's replace_file. Not while another thread writes
// submissions.
void remove_unfinished_submissions(const std::filesystem::path& sweeps);
// All files of the folder, pending or not.
std::vector<std::filesystem::path> submission_files(const std::filesystem::path& sweeps);
// Errors name the file: it cannot be read, its id or name is invalid, or its file name differs.
Result<Submission> read_submission(const std::filesystem::path& file);

}  // namespace sweepd
