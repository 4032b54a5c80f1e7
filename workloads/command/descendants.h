// Finds and kills the processes below this one.
#pragma once

#include "runner/base/units.h"

namespace sweepd::command {

// During its lifetime, orphaned descendants become children of this process instead of init's.
class Reaper {
 public:
  Reaper();
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

 private:
  int before_ = 0;
};

// Returns the sum of the resident sets of all descendants now. Pages that several of them share
// count for each.
Bytes resident_of_descendants();

// Sends SIGKILL to every descendant until none is left, and reaps those that become children. Needs
// a Reaper; otherwise what a killed process leaves behind escapes.
void kill_descendants();

}  // namespace sweepd::command
