// A study with its sweep files, their overrides, and the sweeps that measure them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/result.h"
#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"
#include "runner/model/sweep/study.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

struct StudySource {
  std::string file;  // of the study, as typed
  Study study;
  std::map<std::string, SweepFile> files;  // of sweeps, by the study's names for them

  // Returns the path of a sweep file, which the study names as seen from its own folder.
  std::string path_of(const std::string& named) const;
};

// Reads a study's file and the sweep files that it names. `scale` "" is the first. The daemon
// checks everything; errors are its diagnostics.
Result<StudySource> read_study(Client& client, const std::string& file, const std::string& scale);

struct StudyJob {
  std::string file;              // as the study names it
  std::vector<std::string> set;  // --set of `submit`
  // Name and id, in the file's order; empty until it is submitted.
  std::vector<std::pair<std::string, std::string>> sweeps;

  bool is_of(const StudyPart& part) const { return part.file == file && part.set == set; }
};

// In the order of the chapters. Parts that show the same file share a job.
std::vector<StudyJob> jobs_of(const Study& study);

// Requests the plan of each job.
Result<std::vector<rpc::Plan::Reply>> plan_jobs(Client& client, const StudySource& source,
                                                const std::vector<StudyJob>& jobs);

// Fills in the sweeps of each job. `notes` is a file in the study's folder that remembers them, so
// that the same command continues after any interruption. A job that has none there, or whose
// code or machine has changed since, is submitted; earlier results are reused as usual.
// Without `submits`, jobs without sweeps stay so.
enum class Submits { kYes, kNo };
Result<void> find_sweeps(Client& client, const StudySource& source, Submits submits,
                         const std::filesystem::path& notes, std::vector<StudyJob>& jobs);

}  // namespace sweepd
