#include "workloads/parallelism/chip.h"

#include <array>
#include <stdexcept>

#include "runner/base/text.h"
#include "runner/model/machine/peaks.h"

namespace sweepd::parallelism {
namespace {

struct Row {
  std::string_view name;
  std::string_view datasheet;  // its name in the table of peaks; "" if it is not there
  double memory_gb;            // 1 GB = 10^9 B, as in datasheets and the accounting problem
  double link_gbps;            // GB/s
};

// NVLink: half of the datasheets' total, which adds up both directions (A100 600, H100 and H200 SXM
// 900). H100 PCIe: PCIe 5.0 x16, one direction.
constexpr std::array kRows{
    Row{"h100_sxm", "NVIDIA H100 80GB HBM3", 80, 450},
    Row{"h100_pcie", "NVIDIA H100 PCIe", 80, 64},
    Row{"h200", "NVIDIA H200", 141, 450},
    Row{"a100_80", "NVIDIA A100-SXM4-80GB", 80, 300},
    Row{"a100_40", "NVIDIA A100-SXM4-40GB", 40, 300},
    // "How to Scale Your Model" (Austin et al., 2025): 4.6e14 bf16 FLOP/s, 95 GB, 9e10 B/s per link
    // and direction; a ring uses both directions.
    Row{"tpu_v5p", "", 95, 180},
};

constexpr double kTpuV5pBf16 = 4.6e14;

}  // namespace

const std::vector<std::string>& chip_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Row& row : kRows) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

Chip chip(std::string_view name, std::string_view arithmetic) {
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    Chip found{0, row.memory_gb * 1e9, row.link_gbps * 1e9};
    if (!row.datasheet.empty()) {
      if (const auto peak = datasheet_peak(row.datasheet, arithmetic)) {
        found.flops_per_s = peak->flops_per_s;
      }
    } else if (arithmetic == "bf16") {
      found.flops_per_s = kTpuV5pBf16;
    }
    return found;
  }
  throw std::invalid_argument("planned_device: `" + std::string(name) +
                              "` is unknown; expected one of " + join(chip_names(), ", "));
}

}  // namespace sweepd::parallelism
