// Formats numbers for the formulas of a plan.
#pragma once

#include <string>

namespace sweepd::parallelism {

std::string grouped(double value, int digits = 0);  // "219,848,638,464", "3,517.6"
std::string brief(double value);            // grouped up to 15 digits if whole, else "4.6e+14"
std::string bytes_text(double bytes);       // "3,517.6 GB", "17.55 MB": 10^9 and 10^6 B
std::string rate_text(double bytes_per_s);  // "180.0 GB/s"
std::string time_text(double seconds);      // "377.9 ms", "14.94 us"

}  // namespace sweepd::parallelism
