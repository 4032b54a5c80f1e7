// Is a `done` timing trustworthy? Pure: every input is a stored value, so a verdict can be computed
// again from the database alone.
//   invalid  a rate above the device's physical peak (the clock stopped before the work did)
//   suspect  throttling, another process on the device, host load above the lease, more ranks than
//            cores, a rate above a *measured* (CPU) peak by more than 10 %
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
};

// Dense datasheet peak by device name and arithmetic (fp32, tf32, bf16, fp16). Unknown devices have
// none. Sources stand beside the table in peaks.cpp.
std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic);

// `peak` is of one device; rates are compared with world_size times it.
Judgement judge(std::span<const Summary> summaries, const WorkPerStep& work,
                const Environment& environment, const std::optional<Peak>& peak,
                std::int64_t world_size);

}  // namespace sweepd
