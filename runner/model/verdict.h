// Judges whether a `done` timing or profile can be trusted. Pure: every input is a stored value, so
// a verdict can be recomputed from the database alone.
//   invalid  the mean time of a phase implies a rate above what the device can do: its datasheet
//            peak, or for a CPU more than any CPU with as many cores. The clock stopped before the
//            work did. There is no tolerance, because real kernels stay well below that limit. Or a
//            time is not a possible time (time_verdict.h)
//   suspect  only the fastest step is above that peak; the cache may have served the traffic;
//            a launch that was not hidden (launch_verdict.h); a clock below that of earlier results
//            (clock_verdict.h); throttling, another process on the device, other processes on the
//            leased cores, a CPU quota that was used up, more ranks than cores; a journal that
//            lacks something (journal_verdict.h); a warning that a program reports
//            (reported_warnings.h)
// A small number of samples is no reason: `n` shows it. A *measured* peak is never a limit: a
// faster result shows that it was not the peak.
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
  // One sentence each, with the figures. Those that are information, such as "at power limit",
  // leave the verdict `valid`.
  std::vector<std::string> reasons;
};

// The values that `retry` accepts: every outcome and every verdict.
std::vector<std::string> retry_words();

// Adds the reason, once; the worst verdict stays.
void add_reason(Judgement& judgement, Verdict verdict, std::string reason);
void add_reasons(Judgement& judgement, const Judgement& more);

enum class PeakSource {
  kDatasheet,
  kMeasured,  // a sample of this machine: used for shares, never as a limit
  kCeiling,   // more than any device of that kind can do
};

struct Peak {
  double flops_per_s = 0;  // dense, for one arithmetic; 0 when unknown
  double bytes_per_s = 0;  // 0 when unknown
  PeakSource source = PeakSource::kDatasheet;
  double cache_bytes = 0;  // last-level cache, which may absorb smaller traffic; 0 if unknown
};

// Returns the dense datasheet peak by device name and arithmetic (fp32, tf32, bf16, fp16), or
// nothing for unknown devices. A device of that name with another number of multiprocessors, if
// that is known, is unknown, too: a part of it, or another variant. Sources are beside the table in
// peaks.cpp.
std::optional<Peak> datasheet_peak(std::string_view device_name, std::string_view arithmetic,
                                   std::optional<std::int64_t> multiprocessors = std::nullopt);

// Returns a rate that no CPU with that many cores exceeds; zero if unknown. Bytes have no such
// limit.
Peak cpu_ceiling(std::int64_t cores, std::string_view arithmetic);

// Returns limits that the device cannot exceed, with the cache size that it reports. Nothing if
// unknown.
std::optional<Peak> limit_of(const DeviceInfo& device, const HostInfo& host,
                             std::string_view arithmetic);

// Judges interference on the device and the leased cores, and throttling. A profile
// depends on it as a timing does. `ranks_on_host` of the ranks share the environment's host; all of
// them if it is not given.
Judgement judge_surroundings(const Environment& environment, std::int64_t world_size,
                             std::optional<std::int64_t> ranks_on_host = {});

// Judges a timing by its rates and its surroundings.
// `peak` is that of one device and not a measured one. The work of all ranks is compared with it
// times the number of distinct devices. Uses the `time` of every phase whose work is known, or
// `host_time` if there is no `time`.
Judgement judge(std::span<const Summary> summaries, const WorkPerStep& work,
                const Environment& environment, const std::optional<Peak>& peak,
                std::int64_t world_size, std::optional<std::int64_t> ranks_on_host = {});

}  // namespace sweepd
