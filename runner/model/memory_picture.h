// One rank's timeline, and what its picture says besides.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/model/memory.h"

namespace sweepd {

struct MemoryPicture {
  int rank = 0;
  std::string subject;  // "lm_step model=tiny mode=train_step": what was measured
  std::vector<MemoryPoint> timeline;
  // What was live when the step began: kind ("weights") and bytes, in drawing order.
  std::vector<std::pair<std::string, Bytes>> held;
};

}  // namespace sweepd
