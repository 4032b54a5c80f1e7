// The sweep files of a study with their overrides, and the sweeps that measure them.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "runner/client/study/read_study.h"
#include "runner/wire/messages/plan.h"

namespace sweepd {

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
