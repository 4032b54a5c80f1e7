// Failures that the next attempt would meet too, such as a prologue that fails: how often in a row.
// Pure.
//
// Nobody can tell from one of them whether it will last. So one attempt after the other may end
// because of it only once it is certain: after three failures in a row, of which the last came
// at least `moment` after the first. What somebody repairs sooner has cost no attempt. From then on
// each further failure is certain, as nothing has worked in between. How fast they follow each
// other is not decided here: whoever gives attempts to the pool pauses, longer each time.
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

  // Call when attempts come again after there was none. If that took longer than any pause, nobody
  // tried in between, and what failed then says nothing of now.
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
