// Reads the table that nccl-tests print. Pure.
//
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time
//   .. #        (B)    (elements)                               (us)  (GB/s)  (GB/s) (us) ..
//        1048576        262144     float     sum      -1    30.52   34.36   34.36      0    29.97
//        ..
//
// The head says which columns there are, out of place and then in place: with per-iteration report
// each half has four more, older versions have `error` instead of `#wrong`, and `-C` has `cputime`.
// Programs without a reduction leave out `redop`, some `root`, and `-c 0` has N/A for #wrong.
// Without a head the columns are those above.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

class NcclTable {
 public:
  // Returns the step of the line, with `time` (ms), `algbw` and `busbw` (GB/s); those in place are
  // of phase `in_place`. Throws std::runtime_error, with the line and column, if values are wrong
  // or the row does not fit the head. `number` is the line's, from 1.
  std::vector<Report> read(std::string_view line, std::int64_t number);

 private:
  bool takes_head(const std::vector<std::string>& words);

  std::vector<std::string> half_{"time", "algbw", "busbw", "#wrong"};  // columns of each half
  std::size_t words_behind_ = 0;                                       // of the timestamp
  std::int64_t next_step_ = 0;
};

}  // namespace sweepd::command
