// Pairs the begins and ends of NVTX ranges in a file of libsweepd_inject.so.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inject/file_format.h"
#include "runner/trace/timeline.h"

namespace sweepd::trace {

class InjectedRanges {
 public:
  // In the file's order. `name` counts for a begin.
  void add(const inject::RangeRecord& record, NameId name);

  // CUPTI's clock shows `shift_ns` more than the host's, which times ranges until CUPTI runs.
  void set_clock_shift(std::int64_t shift_ns) { shift_ns_ = shift_ns; }

  // On CUPTI's clock, in no order. Ranges without an end are left out: the process died in them.
  std::vector<HostSpan> take() const;

 private:
  struct Moment {
    std::int64_t ns = 0;
    bool of_host = false;
  };
  struct Range {
    Moment begin, end;
    std::int64_t thread = 0;
    NameId name = 0;
  };
  std::int64_t on_cupti_clock(const Moment& moment) const;
  void close(Range range, const Moment& end);

  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Range>> pushed_;  // thread, domain
  std::unordered_map<std::uint64_t, Range> started_;                              // by id
  std::vector<Range> closed_;
  std::int64_t shift_ns_ = 0;
};

}  // namespace sweepd::trace
