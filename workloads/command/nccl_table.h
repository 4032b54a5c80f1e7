// Reads the tables that nccl-tests print. Pure.
//
//   # nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 ..
//   #       size         count      type   redop    root     time   algbw   busbw #wrong     time
//   .. #        (B)    (elements)                               (us)  (GB/s)  (GB/s) (us) ..
//        1048576        262144     float     sum      -1    30.52   34.36   34.36      0    29.97
//        ..
//   # Out of bounds values : 0 OK
//
// The head says which columns there are, out of place and then in place: with per-iteration report
// each half has four more (i_min ..), older versions have `error` instead of `#wrong`, which is the
// largest deviation, and `-C` has `cputime`. Programs without a reduction leave out `redop`, some
// `root`. Without a head the columns are those above. mpirun, srun and others may put a label
// before each line: "[1,0]<stdout>:", "0: ", "node01: ".
//
// Where a test scans one size, its rows are steps of `step` and `in_place`. Where it scans several
// (minBytes is not maxBytes), each size is a phase ("1048576"), and figures in place are metrics of
// it (`in_place_busbw`), so that a table by phase has a row a size. A program, type, redop or root
// other than the first row's is a prefix: "prod.1048576", "all_gather".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

class NcclTable {
 public:
  // Returns the step of the line, with `time` (ms), `algbw` and `busbw` (GB/s) and `size_bytes`.
  // Throws std::runtime_error, with the line and column, if values are wrong or the row does not
  // fit the head. `number` is the line's, from 1.
  std::vector<Report> read(std::string_view line, std::int64_t number);

  // `nccl.test`: the first row's program, type, redop and root. `nccl.omitted`: the halves that
  // have no figures.
  std::vector<Report> facts() const;

 private:
  using Words = std::vector<std::string>;
  struct Half {
    std::size_t begin = 0;  // its first word
    bool in_place = false;
  };

  bool takes_comment(const Words& words, std::int64_t number);
  void takes_head(const Words& words);
  bool is_row(const Words& words) const;
  std::vector<Report> row(const Words& words, std::int64_t number);
  std::vector<Sample> samples(const Words& words, const Half& half, const std::string& phase,
                              std::int64_t number);
  std::string difference_from_first(const Words& words, std::size_t front);

  Words half_{"time", "algbw", "busbw", "#wrong"};  // columns of each half
  std::size_t words_behind_ = 0;                    // of the timestamp
  bool has_head_ = false;
  bool several_sizes_ = false;
  std::string program_;                             // "all_reduce_perf"
  Words first_;                                     // program, type, redop, root
  std::map<std::string, std::int64_t> next_steps_;  // by phase
  std::int64_t omitted_halves_ = 0;
  std::string first_omission_;
};

}  // namespace sweepd::command
