// Combines descriptors and one moment into a single descriptor that a loop can wait for.
#pragma once

#include <vector>

#include "runner/base/clock.h"
#include "runner/base/unique_fd.h"

namespace sweepd {

class Wakeups {
 public:
  Wakeups();  // throws std::system_error if the process may open no more descriptors

  // Readable while a watched descriptor is, and from the moment of `wake_at` on.
  int descriptor() const { return epoll_.get(); }

  void watch(int descriptor);
  // Call before closing it. Closing alone is not enough: a child that has not reached its exec yet
  // has the descriptor too.
  void forget(int descriptor);
  void wake_at(Instant when);  // replaces the moment of the last call

  // Returns the watched descriptors that are readable. A moment that has come is cleared.
  std::vector<int> take();

 private:
  UniqueFd epoll_, timer_;
};

}  // namespace sweepd
