// What of `device_peak` is the measured peak of one device: both columns of a SELECT over its rows
// (alias p) with the arithmetic bound to the one `?`. FLOP/s are an arithmetic's own; bytes have
// none, so the largest of any row counts. What was only seen raises a peak and never makes one.
#pragma once

#include <string>

namespace sweepd {

inline const std::string kMeasuredPeakColumns =
    "coalesce(max(iif(p.flops_per_s > 0, max(p.flops_per_s, p.seen_flops_per_s), 0)) "
    "FILTER (WHERE p.arithmetic = ?), 0), "
    "coalesce(iif(max(p.bytes_per_s) > 0, max(max(p.bytes_per_s), max(p.seen_bytes_per_s)), 0), 0)";

}  // namespace sweepd
