// Estimates an attempt's cost: its time from past attempts, its memory from the workload's
// formulas. Pure. Only `plan` uses it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/measurement/work.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// A `done` attempt of the workload on this host.
struct PastAttempt {
  TrialKey key;
  Trial trial;
  Pass pass = Pass::kTiming;
  Duration took{0};        // from the start of its processes to its end
  double setup_ms = 0;     // construction of the workload; 0 if not measured
  double step_ms = 0;      // mean of its measured steps; 0 if not measured (memory pass)
  std::int64_t steps = 0;  // measured steps
  std::string arithmetic;
  double flops = 0, bytes = 0;  // of a whole step; 0 if no formula gives them
  double resident_bytes = 0;
};

// Memory in use during a whole step, from the figures of weights, gradients, optimizer state,
// operands and buffers. This is a lower bound, because activations are added to it. 0 if unknown,
// or if the workload's step does nothing (its figures are of a model that it only sizes).
double resident_bytes(const WorkPerStep& work);

// Returns the least time for which a timing of the trial measures: `min_time`, or `max_time` if
// that is shorter. 0: neither is set.
Duration least_measuring(const WorkloadDef& def, const Trial& trial);

struct Estimate {
  Duration time{0};
  enum class Basis { kSameTrial, kNearest } basis = Basis::kNearest;
  std::int64_t results = 0;  // past attempts that it is the mean of
  double ratio = 1;          // this trial's work divided by theirs
};

class Estimator {
 public:
  // `past` are attempts of this workload, including those of other devices and passes.
  Estimator(const WorkloadDef& def, std::vector<PastAttempt> past);

  // Returns the mean of this trial's own past attempts of the pass. If it has none, the attempts
  // nearest in FLOPs (in bytes, if a step has no FLOPs) on the same kind of device are used, and
  // among these the nearest in parameters. Their step time is scaled by the ratio of work and
  // multiplied by this trial's steps; their set-up is scaled by resident bytes; the start of the
  // process is not scaled. Returns nothing if no past attempt is comparable.
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
