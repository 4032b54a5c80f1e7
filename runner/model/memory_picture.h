// One rank's timeline with what its picture says beside it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/model/memory.h"

namespace sweepd {

struct MemoryPicture {
  int rank = 0;
  std::string subject;  // "lm_step model=tiny mode=train_step": whose memory
  std::vector<MemoryPoint> timeline;
  // Of what was live when the step began: kind ("weights") and bytes, in the order to draw.
  std::vector<std::pair<std::string, Bytes>> held;
};

}  // namespace sweepd
