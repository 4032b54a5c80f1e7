// Reads a study's file and the sweep files that it names.
#pragma once

#include <map>
#include <string>

#include "runner/base/result.h"
#include "runner/client/client.h"
#include "runner/client/sweep_file.h"
#include "runner/model/study.h"

namespace sweepd {

struct StudySource {
  std::string file;  // of the study, as typed
  Study study;
  std::map<std::string, SweepFile> files;  // of sweeps, by the study's names for them

  // Returns the path of a sweep file, which the study names as seen from its own folder.
  std::string path_of(const std::string& named) const;
};

// `scale` "" is the first. The daemon checks everything; errors are its diagnostics.
Result<StudySource> read_study(Client& client, const std::string& file, const std::string& scale);

}  // namespace sweepd
