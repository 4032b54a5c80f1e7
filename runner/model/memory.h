// Device memory of one rank over one phase, as the memory pass stores it.
#pragma once

#include <string>

#include "runner/base/units.h"

namespace sweepd {

struct PhaseMemory {
  int rank = 0;
  std::string phase;     // "setup" is construction; "step" the whole step
  Bytes at_start;        // allocated
  Bytes at_end;          // allocated
  Bytes peak_allocated;  // largest sum of live blocks within the phase
  Bytes peak_reserved;   // what the allocator held from the system (equal on CPU)
  Bytes device_in_use;   // CUDA: cudaMemGetInfo; CPU: resident set
};

}  // namespace sweepd
