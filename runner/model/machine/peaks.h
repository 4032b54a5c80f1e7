// The rates that devices can reach: by their datasheets, as measured, or as a limit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "runner/model/machine/environment.h"

namespace sweepd {

enum class PeakSource {
  kDatasheet,
  kMeasured,  // a sample of this machine: used for shares, never as a limit
  kCeiling,   // more than any device of that kind can do
};

struct Peak {
  double flops_per_s = 0;  // dense, for one arithmetic; 0 when unknown
  double bytes_per_s = 0;  // 0 when unknown
  PeakSource source = PeakSource::kDatasheet;
  double cache_bytes = 0;  // last-level cache, which may absorb smaller traffic; 0 if unknown
  double clock_mhz = 0;    // at which flops_per_s holds; 0 if the device has no faster clock
};

// Returns the dense datasheet peak by device name and arithmetic (fp32, tf32, 3xtf32, bf16, fp16),
// or nothing for unknown devices. A device of that name with another number of multiprocessors, if
// that is known, is unknown, too: a part of it, or another variant. Sources are beside the table in
// peaks.cpp.
std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic,
                                   std::optional<std::int64_t> multiprocessors = std::nullopt);

// The least work of a ruler that keeps the device busy for so long that neither a call's overhead
// nor a cache matters.
struct RulerSize {
  std::int64_t product_rows;  // and columns
  Bytes copy;
  Bytes buffers;  // that the copies cycle through; 0: any
};
RulerSize least_ruler(bool cpu, Bytes last_level_cache);

// How near work comes to the roofline: the least time that the peaks need for it, by its time.
struct RooflineShare {
  double share = 0;  // above 1: caches served a part of the traffic, or the work was not all done
  enum class Bound : std::uint8_t { kCompute, kMemory } bound = Bound::kCompute;
};
// Nothing if a peak that the work needs is unknown, or if there is no work or no time.
std::optional<RooflineShare> roofline_share(double flops, double bytes, double seconds,
                                            const Peak& peak);

// Returns a rate that no CPU with that many cores exceeds; zero if unknown. Bytes have no such
// limit.
Peak cpu_ceiling(std::int64_t cores, std::string_view arithmetic);

// Returns limits that the device cannot exceed, with the cache size that it reports. Nothing if
// unknown.
std::optional<Peak> limit_of(const DeviceInfo& device, const HostInfo& host,
                             std::string_view arithmetic);

}  // namespace sweepd
