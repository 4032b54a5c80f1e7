// The two columns of a SELECT that give the measured peak of one device: FLOP/s and bytes/s, over
// its rows of `device_peak` (alias p). Bind the arithmetic to the one `?`. FLOP/s are those of that
// arithmetic; bytes/s do not depend on it, so the largest of all rows counts. A rate that was only
// seen can raise a peak and never creates one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "db/base/connection.h"

namespace sweepd {

inline const std::string kMeasuredPeakColumns =
    "coalesce(max(iif(p.flops_per_s > 0, max(p.flops_per_s, p.seen_flops_per_s), 0)) "
    "FILTER (WHERE p.arithmetic = ?), 0), "
    "coalesce(iif(max(p.bytes_per_s) > 0, max(max(p.bytes_per_s), max(p.seen_bytes_per_s)), 0), 0)";

// Why no run of a ruler (`matmul`, `memcpy`) gave a device a peak: "all 2 runs of matmul were
// suspect, the last because ...". "" if none has ended. An empty arithmetic matches any.
std::string why_no_peak(Connection& connection, std::int64_t device, std::string_view ruler,
                        std::string_view arithmetic);

}  // namespace sweepd
