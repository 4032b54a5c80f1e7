#include <algorithm>
#include <array>
#include <string_view>

#include "runner/model/machine/peaks.h"

namespace sweepd {
namespace {

// One device as NVML and CUDA name it. TFLOP/s without structured sparsity: vendors print twice the
// figure in the tensor-core rows of their tables, which no dense product can reach. fp16 and bf16
// run at the same rate on all of these devices.
struct DatasheetRow {
  std::string_view name;
  double fp32, tf32, half;  // TFLOP/s
  double memory;            // GB/s, 1 GB = 10^9 B
  double cache;             // L2, MiB; for results that lack their device's
  int multiprocessors;
  // MHz at which tensor cores reach their figure, if the device has faster clocks: the figure by
  // the multiprocessors and 4096 FLOPs (16-bit types, Hopper) of one in a clock.
  double tensor_clock = 0;
};

constexpr std::array kDatasheets{
    // NVIDIA A100 Tensor Core GPU datasheet (80 GB: June 2021; 40 GB: May 2020); L2 from the
    // NVIDIA A100 Tensor Core GPU Architecture whitepaper, table 4.
    DatasheetRow{"NVIDIA A100-SXM4-40GB", 19.5, 156, 312, 1'555, 40, 108},
    DatasheetRow{"NVIDIA A100-PCIE-40GB", 19.5, 156, 312, 1'555, 40, 108},
    DatasheetRow{"NVIDIA A100-SXM4-80GB", 19.5, 156, 312, 2'039, 40, 108},
    DatasheetRow{"NVIDIA A100 80GB PCIe", 19.5, 156, 312, 1'935, 40, 108},
    // NVIDIA H100 Tensor Core GPU Architecture whitepaper, table 2 and appendix; the datasheet
    // rounds to 67 / 989 / 1,979 with sparsity in the last two, and gives 3.35 TB/s for SXM.
    DatasheetRow{"NVIDIA H100 80GB HBM3", 66.9, 494.7, 989.4, 3'350, 50, 132, 1'830},
    DatasheetRow{"NVIDIA H100 PCIe", 51.2, 378, 756, 2'000, 50, 114, 1'619},
    // NVIDIA H100 NVL datasheet: 1,671 with sparsity, 3.9 TB/s.
    DatasheetRow{"NVIDIA H100 NVL", 60, 417.5, 835.5, 3'900, 50, 132, 1'545},
    // NVIDIA H200 Tensor Core GPU datasheet: the compute of H100 SXM and NVL with 4.8 TB/s of
    // HBM3e.
    DatasheetRow{"NVIDIA H200", 66.9, 494.7, 989.4, 4'800, 50, 132, 1'830},
    DatasheetRow{"NVIDIA H200 NVL", 60, 417.5, 835.5, 4'800, 50, 132, 1'545},
};

double tflops(const DatasheetRow& row, std::string_view arithmetic) {
  if (arithmetic == "fp32") return row.fp32;
  if (arithmetic == "tf32") return row.tf32;
  if (arithmetic == "3xtf32") return row.tf32 / 3;  // each product is three
  if (arithmetic == "bf16" || arithmetic == "fp16") return row.half;
  return 0;
}

// No core does more per cycle: two AVX-512 units of 16 lanes, with a multiply-add each; AMX does
// 1024 multiply-adds of 16-bit types. No clock is faster, including boost (Intel Core i9-14900KS:
// 6.2 GHz). No core sustains either, so a figure above them cannot be a measurement.
constexpr double kWideFlopsPerCycle = 64, kNarrowFlopsPerCycle = 2048;
constexpr double kFastestClock = 6.2e9;

}  // namespace

Peak cpu_ceiling(std::int64_t cores, std::string_view arithmetic) {
  const bool wide = arithmetic == "fp32" || arithmetic == "fp64";
  Peak peak;
  peak.source = PeakSource::kCeiling;
  peak.flops_per_s = static_cast<double>(std::max<std::int64_t>(0, cores)) * kFastestClock *
                     (wide ? kWideFlopsPerCycle : kNarrowFlopsPerCycle);
  return peak;
}

std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic,
                                   std::optional<std::int64_t> multiprocessors) {
  constexpr std::string_view kVendor = "NVIDIA ";
  // Drivers before 470 report the name without the vendor.
  if (device_name.starts_with(kVendor)) device_name.remove_prefix(kVendor.size());
  for (const DatasheetRow& row : kDatasheets) {
    // Compares the whole name, because a MIG slice ("... MIG 1g.10gb") has a fraction of the
    // figures.
    if (row.name.substr(kVendor.size()) != device_name) continue;
    if (multiprocessors.value_or(row.multiprocessors) != row.multiprocessors) return std::nullopt;
    Peak peak;
    peak.flops_per_s = tflops(row, arithmetic) * 1e12;
    peak.bytes_per_s = row.memory * 1e9;
    peak.source = PeakSource::kDatasheet;
    peak.cache_bytes = row.cache * 0x1p20;
    if (arithmetic != "fp32") peak.clock_mhz = row.tensor_clock;
    return peak;
  }
  return std::nullopt;
}

// A GPU's cache is smaller than its host's.
RulerSize least_ruler(bool cpu, Bytes last_level_cache) {
  if (!cpu) return {4096, 256_MiB, Bytes{0}};
  return {1024, 16_MiB, Bytes{4 * last_level_cache.value}};
}

std::optional<RooflineShare> roofline_share(double flops, double bytes, double seconds,
                                            const Peak& peak) {
  if (flops > 0 && peak.flops_per_s <= 0) return std::nullopt;
  if (seconds <= 0 || bytes <= 0 || peak.bytes_per_s <= 0) return std::nullopt;
  const double compute_s = flops > 0 ? flops / peak.flops_per_s : 0;
  const double memory_s = bytes / peak.bytes_per_s;
  using enum RooflineShare::Bound;
  return RooflineShare{std::max(compute_s, memory_s) / seconds,
                       compute_s > memory_s ? kCompute : kMemory};
}

std::optional<Peak> limit_of(const DeviceInfo& device, const HostInfo& host,
                             std::string_view arithmetic) {
  if (device.kind == "cpu") return cpu_ceiling(host.cores, arithmetic);
  auto peak = datasheet_peak(device.name, arithmetic, device.multiprocessors);
  if (peak && device.cache.value > 0) peak->cache_bytes = static_cast<double>(device.cache.value);
  return peak;
}

}  // namespace sweepd
