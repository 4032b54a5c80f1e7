// Texts about attempts: where they run, what they wait for, and why they ended. Pure.
#pragma once

#include <string>
#include <vector>

#include "runner/model/sweep/table.h"
#include "runner/wire/messages/machine.h"
#include "runner/wire/messages/rows.h"

namespace sweepd {

// "forward step 3"; before the first step "setup", or "starting".
std::string moment_text(const RunningAttempt& run);

// "waits in pool h200: Resources (job 17)"
std::string waits_text(const GivenAttempt& given);
// " on node3 of pool h200 (job 17)"; "" on this machine.
std::string where_text(const RunningAttempt& run);

// A line for each pool and reason: "3 wait in pool h200: Resources (job 17)".
std::vector<std::string> waiting_lines(const std::vector<GivenAttempt>& given);

// The nodes of a pool, and this daemon's jobs there. A pool that did not answer has a note.
Table nodes_table(const PoolStatus& pool);

// Of a device that is out of service: "uncorrectable ECC error (attempt 1b2c3d4e, 2026-11-26
// 07:00:00)".
std::string fault_text(const std::string& fault, const std::string& attempt, WallTime since);

// Why an attempt ended as it did, and why its figures are not valid; "" if there is no such reason.
inline std::string why_of(const AttemptRow& attempt) {
  const bool both = !attempt.detail.empty() && !attempt.verdict_reasons.empty();
  return attempt.detail + (both ? "; " : "") + attempt.verdict_reasons;
}

}  // namespace sweepd
