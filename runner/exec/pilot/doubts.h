// Counts consecutive failures that the next attempt would meet too, such as a failing prologue.
// Pure.
//
// One failure may be temporary. So failures end attempts only once they are certain: after three in
// a row, of which the last came at least `moment` after the first. A problem that is repaired
// sooner costs no attempt. After that each further failure is certain, until one start succeeds.
// The dispatcher sets the pace: it pauses longer after each failure.
#pragma once

#include <map>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/units.h"

namespace sweepd {

class Doubts {
 public:
  explicit Doubts(Duration moment) : moment_(moment) {}

  // It failed once more. Returns true if it is certain to fail again.
  bool failed(const std::string& what, Instant now);
  void worked(const std::string& what) { rows_.erase(what); }

  // Call when attempts come again after there was none. If that took longer than any pause, the
  // pool was idle in between, and the earlier failures no longer count.
  void nothing_waited_until(Instant now);

 private:
  struct Row {
    int failures;
    Instant first, last;
  };

  Duration moment_;
  std::map<std::string, Row> rows_;
};

}  // namespace sweepd
