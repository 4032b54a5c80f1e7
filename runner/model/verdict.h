// Is a `done` timing trustworthy? Pure: every input is a stored value, so a verdict can be computed
// again from the database alone.
//   invalid  the mean time of a phase means a rate above the device's datasheet peak: the clock
//            stopped before the work did. No tolerance: real kernels stay well below that line, so
//            whatever crosses it has not merely been lucky
//   suspect  only the fastest step is above that peak; the mean is above a *measured* (CPU) peak by
//            more than 10 % (unless the cache holds it); traffic the cache may have served;
//            throttling, another process on the device, other processes on the leased cores, more
//            ranks than cores
// A small number of samples is no reason: `n` says it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/model/environment.h"
#include "runner/model/sample.h"
#include "runner/model/work.h"

namespace sweepd {

enum class Verdict { kValid, kSuspect, kInvalid };
std::string_view name_of(Verdict verdict);

struct Judgement {
  Verdict verdict = Verdict::kValid;
  std::vector<std::string> reasons;  // one sentence each, with the figures
};

enum class PeakSource { kDatasheet, kMeasured };

struct Peak {
  double flops_per_s = 0;  // dense, for one arithmetic; 0 when unknown
  double bytes_per_s = 0;  // 0 when unknown
  PeakSource source = PeakSource::kDatasheet;
  double cache_bytes = 0;  // last-level cache: less than this may never reach memory; 0 if unknown
};

// Dense datasheet peak by device name and arithmetic (fp32, tf32, bf16, fp16). Unknown devices have
// none. Sources stand beside the table in peaks.cpp.
std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic);

// `peak` is of one device; all ranks' work is compared with it times the distinct devices. Looks at
// the `time` of every phase whose work is known (`host_time` where there is no `time`).
Judgement judge(std::span<const Summary> summaries, const WorkPerStep& work,
                const Environment& environment, const std::optional<Peak>& peak,
                std::int64_t world_size);

}  // namespace sweepd
