// Which points of a recording a picture needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sweepd {

struct TimelineSample {
  std::int64_t time_ns = 0;  // never falls
  std::int64_t allocated = 0;
  bool keep = false;  // a phase boundary
};

// Indices of the samples to keep, in order: all of them where they are `most` or fewer. Else the
// time is cut into most / 4 equal stretches, and each keeps its first, lowest, highest and last
// sample: no peak is lost, and a picture of that many columns looks as if nothing were. Samples
// with `keep` come on top.
std::vector<std::size_t> thin(std::span<const TimelineSample> samples, std::size_t most);

}  // namespace sweepd
