// Times the phases of one step with marks on the device's timeline. Only the marks are set inside
// the step; the sums are computed after it, once the device has been synchronised.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/measurement/sample.h"
#include "runner/worker/journal/progress.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

// The phases that a workload declares. For any other phase it throws std::invalid_argument, which
// names the phase and the declared ones.
class PhaseNames {
 public:
  explicit PhaseNames(std::vector<std::string> declared) : names_(std::move(declared)) {}
  std::size_t index_of(std::string_view phase) const;
  const std::vector<std::string>& all() const { return names_; }

 private:
  std::vector<std::string> names_;
};

class PhaseClock final : public Phases {
 public:
  // More entries than this in one step are a mistake of the workload (std::length_error).
  static constexpr std::size_t kMaxMarks = 1024;

  PhaseClock(const PhaseNames& names, Device& device, AttemptProgress& progress);

  void begin_step();
  void enter(std::string_view phase) override;
  void end_step();
  // Whether the device has begun the step. Does not wait.
  bool device_began() const { return timeline_->reached(0); }
  // Call after a synchronise. Returns `time` for each phase entered (the sum of its visits, in
  // declared order) and for `step`, from first to last mark. Time before the first phase counts for
  // `step` only.
  std::vector<Sample> samples() const;

 private:
  const PhaseNames& names_;
  AttemptProgress& progress_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::size_t> entered_;  // phase index of mark i + 1; mark 0 begins the step
};

}  // namespace sweepd
