// What an attempt will cost, before it runs: its time from what past attempts took, its memory from
// the workload's formulas. Pure; `plan` shows it, nothing else depends on it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/trial.h"
#include "runner/model/work.h"

namespace sweepd {

// A `done` attempt of the workload on this host.
struct PastAttempt {
  TrialKey key;
  Trial trial;
  Pass pass = Pass::kTiming;
  Duration took{0};        // from the start of its processes to its end
  double setup_ms = 0;     // construction of the workload; 0 when not measured
  double step_ms = 0;      // mean of its measured steps; 0 when not measured (memory pass)
  std::int64_t steps = 0;  // measured ones
  std::string arithmetic;
  double flops = 0, bytes = 0;  // of a whole step; 0 when no formula states them
  double resident_bytes = 0;
};

// Memory that is there during a whole step, by the figures of that name: weights, gradients,
// optimizer state, operands, buffers. Activations come on top, so this is the least. 0: unknown, or
// a workload whose step does nothing (its figures are of a model that it only sizes).
double resident_bytes(const WorkPerStep& work);

struct Estimate {
  Duration time{0};
  enum class Basis { kSameTrial, kNearest } basis = Basis::kNearest;
  std::int64_t results = 0;  // past attempts it is the mean of
  double ratio = 1;          // this trial's work over theirs
};

class Estimator {
 public:
  // `past` of this workload; of other devices and passes too.
  Estimator(const WorkloadDef& def, std::vector<PastAttempt> past);

  // The mean of this trial's own past attempts of the pass. Else of those nearest in FLOPs (in
  // bytes, where a step has no FLOPs) on the same kind of device, and of these in parameters: their
  // step time scaled by the ratio, times this trial's steps; their set-up scaled by resident bytes;
  // the start of the process as it was. Nothing when no past attempt can be compared.
  std::optional<Estimate> of(const TrialKey& key, const Trial& trial, Pass pass,
                             const std::optional<WorkPerStep>& work) const;

  std::size_t results() const { return past_.size(); }

 private:
  struct Wanted;
  std::optional<double> ratio_to(const Wanted& wanted, const PastAttempt& past) const;
  int differing(const Trial& a, const Trial& b) const;
  double scaled_ms(const Wanted& wanted, const PastAttempt& past, double ratio) const;
  double measured_ms(const Trial& trial, double step_ms) const;

  const WorkloadDef& def_;
  std::vector<PastAttempt> past_;
  std::size_t device_, warmup_, steps_, min_time_, max_time_;
};

}  // namespace sweepd
