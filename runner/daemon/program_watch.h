// Ends a daemon whose program a package manager replaced or removed. pip runs no code of the
// package then, so the daemon looks itself.
#pragma once

#include <filesystem>
#include <optional>

#include "runner/base/files.h"

namespace sweepd {

class ProgramWatch {
 public:
  // A missing program must stay away for so many calls: an upgrade removes the old file first.
  static constexpr int kGoneChecks = 5;

  // An empty path is never replaced.
  explicit ProgramWatch(std::filesystem::path program);

  const std::filesystem::path& program() const { return program_; }
  // Call every few seconds. Whether the daemon should stop now: it is idle and the file is another
  // one or missing, or no attempt can start because the file stays away.
  bool should_stop(bool idle);

 private:
  std::filesystem::path program_;
  std::optional<FileId> own_;
  int gone_ = 0;
};

}  // namespace sweepd
