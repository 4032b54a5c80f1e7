// A sweep as it was submitted, or as guessed from its attempts' folders.
#pragma once

#include <memory>
#include <vector>

#include "db/store/store.h"
#include "runner/daemon/recovery/found_attempt.h"
#include "runner/wire/submission.h"

namespace sweepd {

struct FoundSweep {
  NewSweep request;
  std::shared_ptr<const WorkloadDef> def;
  SweepId sentinel_of;
  bool submitted = true;  // false: guessed
};

// Parses and expands the sweep again, with the devices of that time. `attempts` are all that were
// found: they have the program's content, which is part of its trials.
Result<FoundSweep> sweep_of(const Submission& submission, const Catalog& catalog,
                            const std::vector<FoundAttempt>& attempts);

// Attempts of one workload whose sweep is unknown, except perhaps for its id and name.
FoundSweep guess_sweep(const std::vector<const FoundAttempt*>& attempts, const Catalog& catalog);

}  // namespace sweepd
