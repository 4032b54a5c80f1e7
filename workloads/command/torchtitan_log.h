// Reads the lines that torchtitan prints. Pure.
//
//   [rank0]:[titan] 2025-06-16 22:30:50,322 - root - INFO - step: 200  loss:  6.1384  grad_norm:
//   ..  0.6348  memory: 49.66GiB(52.28%)  tps: 5,856  tflops: 339.16  mfu: 34.29%
//   [titan] .. - validate step: 200  loss:  6.2101  memory: 51.02GiB(53.70%)  tps: 21,004
//
// torchtitan counts its steps from 1, sweepd from 0. `time` (ms) is the time between two lines by
// the steps between them. `memory: 49.66GiB(52.28%)` is `memory_bytes` and `memory_share`, `tps`
// (`wps` in older versions) is `tokens_per_second` of one device, `mfu: 34.29%` is `mfu_share`. Any
// other name is the metric's. A validation is phase `validate`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

class TorchtitanLog {
 public:
  // Returns the step of the line. All ranks may print it, perhaps without a label: the first one
  // counts.
  std::vector<Report> read(std::string_view line);

  // `torchtitan.omitted`: the lines of other ranks, and the values that are no numbers.
  std::vector<Report> facts() const;

 private:
  struct Place {
    std::int64_t step = 0;
    std::int64_t at_ms = 0;
  };
  void add_value(const std::string& phase, const std::string& name, std::string_view value,
                 std::vector<Sample>& samples);
  std::optional<double> time_since_last(const Place& now) const;

  std::optional<std::int64_t> first_number_;
  std::map<std::string, std::int64_t> last_steps_;  // of each phase
  std::optional<Place> last_;
  std::int64_t repeated_lines_ = 0, omitted_values_ = 0;
  std::string first_omission_;  // "mfu: N/A"
};

}  // namespace sweepd::command
