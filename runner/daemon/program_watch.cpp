#include "runner/daemon/program_watch.h"

#include <cerrno>
#include <utility>

namespace sweepd {

ProgramWatch::ProgramWatch(std::filesystem::path program)
    : program_(std::move(program)), own_(file_id(program_)) {}

bool ProgramWatch::should_stop(bool idle) {
  if (!own_) return false;
  errno = 0;
  const auto now = file_id(program_);
  const bool gone = !now && (errno == ENOENT || errno == ENOTDIR);
  gone_ = gone ? gone_ + 1 : 0;
  if (!gone && (!now || now == own_)) return false;
  return idle || gone_ >= kGoneChecks;
}

}  // namespace sweepd
