// Judges whether the journal of a `done` attempt is complete. Pure, like model/verdict.h.
//   invalid  a rank wrote a different number of steps than its journal contains, or the ranks
//            measured different numbers of steps: the figures are of an unknown set of steps
//   suspect  other lines are missing or extra; a line could not be read; something that every
//            attempt reports (its work, its environment, the device's state before and after) is
//            missing
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runner/model/verdict.h"

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

enum class Steps { kOfTheWorker, kOfAProgram };  // a program's ranks need not report the same steps

Judgement judge_journals(std::span<const JournalCheck> journals, Steps steps);

}  // namespace sweepd
