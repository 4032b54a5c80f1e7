// A sweep as it was submitted, or as the folders of its attempts let guess it.
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
// found: a program's content is part of its trials, and they know it.
Result<FoundSweep> sweep_of(const Submission& submission, const Catalog& catalog,
                            const std::vector<FoundAttempt>& attempts);

// Attempts of one workload whose sweep is not known, or of which only the id and the name are.
FoundSweep guess_sweep(const std::vector<const FoundAttempt*>& attempts, const Catalog& catalog);

}  // namespace sweepd
