// The rates of a planned device: its arithmetic from the table of peaks
// (runner/model/machine/peaks.cpp), its memory and links from the vendors' datasheets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd::parallelism {

struct Chip {
  double flops_per_s = 0;       // C: dense
  double memory_bytes = 0;      // 1 GB = 10^9 B
  double link_bytes_per_s = 0;  // W: rate at which a device gathers along one mesh axis
};

// "h100_sxm", "h100_pcie", "h200", "a100_80", "a100_40", "tpu_v5p".
const std::vector<std::string>& chip_names();
// `arithmetic`: fp32, tf32, bf16 or fp16. Throws std::invalid_argument for names in no table.
Chip chip(std::string_view name, std::string_view arithmetic);

}  // namespace sweepd::parallelism
