// Is the journal of a `done` attempt complete? Pure, like model/verdict.h.
//   invalid  a rank wrote another number of steps than its journal holds, or the ranks measured
//            another number each: the figures are of steps nobody can name
//   suspect  other lines are missing or too many; a line could not be read; what each attempt tells
//            (its work, its environment, the device's state before and after) is not there
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
  std::int64_t lines = 0;  // before the last word; those that could not be read included
  std::int64_t unreadable = 0;
  std::int64_t steps = 0;  // lines of steps, the set-up's included
  // What the rank says in its last word that it wrote before; older workers do not.
  std::optional<std::int64_t> said_lines, said_steps;
  bool work = false, environment = false, state_before = false, state_after = false;

  // One line of a step, in the journal's order. `timed`: it has a `time` and is no warm-up.
  void add_step(std::int64_t number, bool timed);
  std::int64_t measured = 0;          // steps that were timed
  std::int64_t next = 0;              // the number after the largest so far
  std::vector<std::int64_t> missing;  // numbers that were left out, the first few
};

enum class Steps { kOfTheWorker, kOfAProgram };  // a program's ranks need not report alike

Judgement judge_journals(std::span<const JournalCheck> journals, Steps steps);

}  // namespace sweepd
