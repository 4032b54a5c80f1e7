// Is a `done` timing trustworthy? Pure: every input is a stored value, so a verdict can be computed
// again from the database alone.
//   invalid  the mean time of a phase means a rate above what the device can do: its datasheet's
//            peak, or of a CPU what no core of that number could. The clock stopped before the work
//            did. No tolerance: real kernels stay well below that line, so whatever crosses it has
//            not merely been lucky. A time that is no time (time_verdict.h)
//   suspect  only the fastest step is above that peak; traffic the cache may have served;
//            throttling, another process on the device, other processes on the leased cores, more
//            ranks than cores. A journal that lacks something (journal_verdict.h)
// A small number of samples is no reason: `n` says it. A *measured* peak convicts nobody: what is
// faster has shown that it was none.
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
const std::vector<std::string>& verdict_words();  // from good to bad

struct Judgement {
  Verdict verdict = Verdict::kValid;
  std::vector<std::string> reasons;  // one sentence each, with the figures
};

// What `retry` can be told to run again: every outcome and every verdict.
std::vector<std::string> retry_words();

// Adds the reason, once; the worst verdict stays.
void add_reason(Judgement& judgement, Verdict verdict, std::string reason);
void add_reasons(Judgement& judgement, const Judgement& more);

enum class PeakSource {
  kDatasheet,
  kMeasured,  // a sample of the machine: a ruler for shares, no limit
  kCeiling,   // more than any device of that kind can do
};

struct Peak {
  double flops_per_s = 0;  // dense, for one arithmetic; 0 when unknown
  double bytes_per_s = 0;  // 0 when unknown
  PeakSource source = PeakSource::kDatasheet;
  double cache_bytes = 0;  // last-level cache: less than this may never reach memory; 0 if unknown
};

// Dense datasheet peak by device name and arithmetic (fp32, tf32, bf16, fp16). Unknown devices have
// none. Sources stand beside the table in peaks.cpp.
std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic);

// What no CPU with that many cores exceeds; zero when unknown. Bytes have no such limit.
Peak cpu_ceiling(std::int64_t cores, std::string_view arithmetic);

// `peak` is of one device and not a measured one; all ranks' work is compared with it times the
// distinct devices. Looks at the `time` of every phase whose work is known (`host_time` where there
// is no `time`).
Judgement judge(std::span<const Summary> summaries, const WorkPerStep& work,
                const Environment& environment, const std::optional<Peak>& peak,
                std::int64_t world_size);

}  // namespace sweepd
