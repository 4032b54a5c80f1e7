// Times the phases of one step by marks on the device's timeline. A mark is all that happens inside
// the step; the sums are made after it, once the device has been synchronised.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/sample.h"
#include "runner/worker/progress.h"
#include "workloads/api/device.h"
#include "workloads/api/workload.h"

namespace sweepd {

// The phases a workload declares. Throws std::invalid_argument, naming the phase and the declared
// ones, for any other.
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
  // More entries than this in one step is a mistake of the workload (std::length_error).
  static constexpr std::size_t kMostMarks = 1024;

  PhaseClock(const PhaseNames& names, Device& device, Progress& progress);

  void begin_step();
  void enter(std::string_view phase) override;
  void end_step();
  // After a synchronise: `time` of each phase entered (its visits added up, in declared order) and
  // of `step`, first to last mark. What ran before the first phase belongs to `step` alone.
  std::vector<Sample> samples() const;

 private:
  const PhaseNames& names_;
  Progress& progress_;
  std::unique_ptr<Timeline> timeline_;
  std::vector<std::size_t> entered_;  // phase index of mark i + 1; mark 0 begins the step
};

}  // namespace sweepd
