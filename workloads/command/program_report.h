// What a program may report on the descriptor SWEEPD_METRICS_FD, one JSON object per line:
//
//   {"step":0,"warmup":true,"time":{"forward":1.25,"step":4.0},"loss":2.3}
//        a step, from 0 on: metrics by name; a number is phase `step`, an object has a number a
//        phase. Times (`time`, and names that end in `_time`) are ms; what another metric's number
//        means, the sweep file may declare. `time.forward` is a time with its phase, and any other
//        name is stored without what is no letter, digit or `_` (metric_names.h). Without
//        `warmup`, the first steps are warm-up, as many as the trial's `warmup`.
//   {"metrics":{"gflops":12.5}}
//        the same for what is known once a run, and belongs to no step
//   {"memory":"forward","peak_allocated":1024,"peak_reserved":..,"at_start":..,"at_end":..,
//    "device_in_use":..}                                                              bytes
//        of a phase; the peak is required, what else is missing is unknown. Kept in the memory
//        pass.
//   {"held":[["weights","block0.wq",16384],..]}                                     bytes
//   {"blocks":[[sequence,size,allocated_ns,freed_ns or null,phase,range,origin],..]}
//   {"timeline":[[sequence,time_ns,action,address,size,allocated,reserved,phase],..]}
//        of one step, each at most once; what the journal calls memory_held, allocations and
//        memory_timeline (runner/wire/event.h). Kept in the memory pass.
//   {"work":{"forward":1.5e9,"step":4.6e9},"recomputed":{"step":0.5e9}}
//        FLOPs of a step, counted and not by formula; `recomputed` are those of them that repeat a
//        result that was there before, as with activation checkpoints
//   {"fact":"torch","text":"2.11.0"}      or "number":3
//   {"skipped":"reason"}                  this machine lacks something: the program may now end
//   {"oom":"forward","requested":..,"in_use":..}    out of memory, in that phase
//
// Numbers that are not finite are "nan", "inf" and "-inf", or NaN, Infinity and -Infinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runner/base/result.h"
#include "runner/base/units.h"
#include "runner/model/measurement/sample.h"
#include "runner/model/vocabulary/memory.h"
#include "workloads/api/self_timed.h"

namespace sweepd::command {

struct StepReport {
  std::int64_t step = 0;
  std::optional<bool> warmup;
  std::vector<Sample> samples;  // phase, metric and value
  bool once = false;            // of the whole run
};
struct FactReport {
  std::string name;
  std::optional<double> number;
  std::string text;
};
struct WorkReport {
  std::vector<PhaseWork> phases;
};
struct SkipReport {
  std::string reason;
};
struct OomReport {
  std::string phase;
  Bytes requested;
  Bytes in_use;
};
using Report = std::variant<StepReport, PhaseMemory, ObservedMemory, WorkReport, FactReport,
                            SkipReport, OomReport>;

class MetricNames;

// The error says what is wrong with the line, without repeating the line. `names` are those of the
// lines before.
Result<Report> parse_report(std::string_view line, MetricNames& names);
Result<Report> parse_report(std::string_view line);

// Returns "" or the mistake in its names (model/vocabulary/metric_name.h), or that it is a negative
// time.
std::string mistake_in_sample(const Sample& sample);

}  // namespace sweepd::command
