// The attempt's current position. Kept for its ending, and on the status page in case it is killed
// without time to report. Only stores, no system call, because `enter` runs inside timed steps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runner/wire/status.h"

namespace sweepd {

class AttemptProgress {
 public:
  AttemptProgress() { phase_.reserve(64); }
  explicit AttemptProgress(StatusWriter status) : AttemptProgress() {
    status_.emplace(std::move(status));
  }

  // "setup", "check", a phase of the workload, "step" between phases, "facts"
  void enter(std::string_view phase) {
    phase_ = phase;
    if (status_) status_->set_phase(phase);
  }
  void step(std::int64_t step) {
    if (status_) status_->set_step(step);
  }
  void note(std::string_view note) {
    if (status_) status_->set_note(note);
  }
  const std::string& phase() const { return phase_; }

 private:
  std::optional<StatusWriter> status_;
  std::string phase_ = "setup";
};

}  // namespace sweepd
