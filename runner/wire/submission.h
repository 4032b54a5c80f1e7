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
#include "runner/base/fields.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"

namespace sweepd {

struct Submission {
  SweepId id;
  std::string name;
  WallTime submitted;
  std::string text;
  int document = 0;
  std::vector<std::string> set;
  bool set_where_it_fits = false;
  std::string folder;
  std::vector<std::string> environment;
  int version = 0;
  std::map<std::string, std::string> devices;
  static void visit(auto& self, auto&& field) {
    field("sweep", self.id, "");
    field("name", self.name, "");
    field("submitted_ns", self.submitted, "");
    field("document", self.document, "which sweep of the file", Sparse());
    field("set", self.set, "`--set`, as it was given", Sparse());
    field("set_where_it_fits", self.set_where_it_fits, "", Sparse());
    field("folder", self.folder, "of the sweep file", Sparse());
    field("environment", self.environment, "\"NAME=value\", the stored part of the submitter's",
          Sparse());
    field("version", self.version, "of the workload", Sparse());
    field("devices", self.devices, "the value of `auto`, by pool");
    field("text", self.text, "of the whole sweep file");
  }
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
