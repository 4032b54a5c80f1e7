// Judges whether a `done` result can be trusted. Pure, from stored values and what was read with
// the journals, so a verdict can be recomputed.
//
// Each rule adds its reasons to a judgement:
//   invalid  the figures are of an unknown set of steps, or impossible: the clock failed
//   suspect  something may have disturbed the measurement, or was not recorded
//   valid    information only, such as "at power limit"
// A small number of samples is no reason: `n` shows it. A *measured* peak is never a limit: a
// faster result shows that it was not the peak.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runner/model/attempt/attempt_record.h"
#include "runner/model/attempt/verdict.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

// One rank's journal as it was read.
struct JournalCheck {
  int rank = 0;
  std::int64_t lines = 0;  // before the last line, including unreadable ones
  std::int64_t unreadable = 0;
  std::int64_t steps = 0;  // lines of steps, including that of the set-up
  // The counts that the rank gives in its last line. Older workers do not give them.
  std::optional<std::int64_t> said_lines, said_steps;
  bool work = false, environment = false, state_before = false, state_after = false;

  // Adds one line of a step, in the journal's order. `timed`: it has a `time` and is not a warm-up.
  void add_step(std::int64_t number, bool timed);
  std::int64_t measured = 0;          // steps that were timed
  std::int64_t next = 0;              // the number after the largest so far
  std::vector<std::int64_t> missing;  // missing numbers, the first few
};

// The input of every rule.
struct Evidence {
  const AttemptRecord& record;
  Pass pass = Pass::kTiming;
  std::int64_t world_size = 1;
  std::span<const JournalCheck> journals = {};
  // By rank: the clocks (MHz) after earlier valid timings of the same trial on the rank's device.
  std::span<const std::vector<std::int64_t>> earlier_clocks = {};
};

// Some rules need what only the reader of the journals knows, others the database.
enum class JudgedAt { kReading, kStoring };

// Applies the rules of that moment in the order of their table (judge.cpp). Empty for an attempt
// that is not done.
Judgement judge(JudgedAt moment, const Evidence& evidence);

// Whether it is a done timing whose work and devices are known.
bool is_complete_timing(const Evidence& evidence);

namespace rules {

// Whether the journals are complete.
//   invalid  a rank wrote a different number of steps than its journal contains, or the ranks
//            measured different numbers of steps (those of a program may): the figures are of an
//            unknown set of steps
//   suspect  other lines are missing or extra; a line could not be read; something that every
//            attempt reports (its work, its environment, the device's state before and after) is
//            missing
void journals(const Evidence& evidence, Judgement& judgement);

// `invalid` if a `time` or `host_time` is not finite and above 0, or another figure in milliseconds
// is not finite or below 0. Warm-up counts: a clock that failed once cannot be trusted.
void times(const Evidence& evidence, Judgement& judgement);

// `suspect` if the loss of a step, or of the last step (the fact `final_loss`), is not finite: the
// step computed with infinities and trained nothing.
void loss(const Evidence& evidence, Judgement& judgement);

// `suspect` for each warning that a program, or the reader of its output, reports (kWarningFact).
void reported_warnings(const Evidence& evidence, Judgement& judgement);

// `suspect` if a profile is incomplete:
//   - records were dropped;
//   - a stream was busy for longer than the step took;
//   - two consecutive steps did not call the same kernels equally often;
//   - a phase ran another number of products than the workload states in its figure
//     `matmuls_<phase>`; a workload without that figure is not checked. The number of operators
//     must be equal, that of GPU kernels equal or larger (a library may split a product).
void profile(const Evidence& evidence, Judgement& judgement);

// `suspect` if `launch: ahead` did not hide a launch: the device began a step before the host had
// issued all of it, so that step's time may include host time.
void launch(const Evidence& evidence, Judgement& judgement);

// `suspect` if a GPU's clock after the measured steps is more than a tenth below the median of its
// earlier ones. A large GPU lowers its clock while it multiplies matrices, so a clock can only be
// judged by comparison. Fewer than three earlier results are not enough.
void clocks(const Evidence& evidence, Judgement& judgement);

// Compares the work of all ranks with the datasheet peak of one device times the number of distinct
// devices, or for a CPU with what no CPU of as many cores can do. Uses the `time` of every phase
// whose work is known, or `host_time` if there is no `time`.
//   invalid  the mean time implies a rate above it: the clock stopped before the work did. There is
//            no tolerance, because real kernels stay well below that limit
//   suspect  only the fastest step is above it, or the cache may have served the traffic
void rates(const Evidence& evidence, Judgement& judgement);

// `suspect` if the device was throttled, another process was on it, other processes used the leased
// cores, the CPU quota was used up, or more ranks ran than the host has cores. Only the ranks on
// the environment's host count.
void surroundings(const Evidence& evidence, Judgement& judgement);

}  // namespace rules
}  // namespace sweepd
