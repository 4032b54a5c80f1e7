// `sbatch --test-only` asks the controller as much as a job does, and a plan may have a hundred
// kinds of trials. So each allocation is tested once, and different ones at most as often as
// Slurm's manual permits.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/exec/slurm/side_shell.h"

namespace sweepd {

class TestOnly {
 public:
  using Run = std::function<Said(const std::vector<std::string>&)>;

  // Runs the command, or returns its output of less than `kRemembered` ago. Nothing: `kMost` other
  // commands ran within that time. From any thread; others do not wait for a command that runs.
  std::optional<Said> ask(const std::vector<std::string>& command, Instant now, const Run& run);

  static constexpr Duration kRemembered = seconds(10);
  static constexpr std::size_t kMost = 8;

 private:
  struct Answer {
    Instant when;
    Said said;
  };
  void forget_old(Instant now);

  std::mutex mutex_;
  std::map<std::vector<std::string>, Answer> answers_;
  std::deque<Instant> asked_;
};

}  // namespace sweepd
