// The energy of this machine's CPUs and their memory by RAPL, the counters of Intel and AMD that
// Linux shows as files. Since Linux 5.10 only root may read them unless an administrator allows it;
// virtual machines mostly have none.
//
//   <zones>/intel-rapl:0/name                  "package-0"
//   <zones>/intel-rapl:0/energy_uj             counts up, in microjoules
//   <zones>/intel-rapl:0/max_energy_range_uj   after this it begins again at 0
#pragma once

#include <filesystem>
#include <memory>

#include "runner/base/energy_counter.h"

namespace sweepd {

// /sys/class/powercap below `root`, or the folder that SWEEPD_POWERCAP names. Tests set it.
std::filesystem::path powercap_folder(const std::filesystem::path& root);

// Adds the packages, and memory (`dram`), which no package includes. Other zones are parts of a
// package, or the whole board with the packages. Counts from 0. A counter that began again twice
// between two readings has lost one round (more than 60 kJ): read it each half minute. After one
// that fell without a known range there are no readings. Returns null if no zone can be read.
std::unique_ptr<EnergyCounter> open_rapl(const std::filesystem::path& zones);

}  // namespace sweepd
