// The sweep that queued an attempt, as the attempt's folder names it.
#pragma once

#include <string>

#include "runner/base/ids.h"

namespace sweepd {

struct SweepOfAttempt {
  SweepId id;  // "": unknown
  std::string name;
  SweepId sentinel_of;  // of a sentinel: the sweep that it watches
};

}  // namespace sweepd
