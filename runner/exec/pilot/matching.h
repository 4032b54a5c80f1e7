// Decides which job runs which attempt.
//
// The first waiting attempt is meant for the first coming job of its size, the second for the
// second. A job gets its attempt when it runs; until then the status, and the attempt that an early
// end of the job affects, follow this order.
#pragma once

#include "runner/exec/pilot/pilot_state.h"

namespace sweepd {

class Matching {
 public:
  explicit Matching(PilotState& state) : state_(state) {}

  // It has no attempt, and takes one of this size once it runs.
  bool is_coming(const PilotJob& job, std::int64_t nodes) const;
  std::int64_t coming(std::int64_t nodes) const;  // jobs
  // The attempt that is affected by the end of a job that never took one; null: none.
  const PilotAttempt* meant_for(const PilotJob& job) const;
  // Where an attempt runs, or is expected to.
  AttemptPlace place_of(const PilotAttempt& attempt) const;

  // Gives an attempt to each free job. One whose allocation no waiting attempt fits is ordered to
  // end.
  void give_work();

 private:
  const PilotJob* coming_for(const PilotAttempt& attempt) const;
  bool fits(const PilotAttempt& attempt, const PilotJob& job) const;
  void give_work_to(PilotJob& job);
  void give(PilotJob& job, PilotAttempt& attempt);
  Result<void> write_order(const PilotJob& job, const PilotAttempt& attempt,
                           std::int64_t number) const;

  PilotState& state_;
};

}  // namespace sweepd
