// Selects the points of a recording that a picture needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sweepd {

struct TimelineSample {
  std::int64_t time_ns = 0;  // never decreases
  std::int64_t allocated = 0;
  bool keep = false;  // a phase boundary
};

// Returns the indices of the samples to keep, in order: all of them if there are at most `most`.
// Otherwise the time is divided into most / 4 equal intervals, and each keeps its first, lowest,
// highest and last sample: no peak is lost, and a picture with that many columns looks the same.
// Samples with `keep` are kept in addition.
std::vector<std::size_t> thin(std::span<const TimelineSample> samples, std::size_t most);

}  // namespace sweepd
