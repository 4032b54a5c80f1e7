// The processes below this one.
#pragma once

namespace sweepd::command {

// While it lives, orphaned descendants become children of this process instead of init's.
class Reaper {
 public:
  Reaper();
  ~Reaper();
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

 private:
  int before_ = 0;
};

// SIGKILL to every descendant, until there is none left, and reaps those that become children.
// Needs a Reaper, or what a killed process leaves behind gets away.
void kill_descendants();

}  // namespace sweepd::command
