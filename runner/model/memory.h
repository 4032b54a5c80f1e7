// Device memory of one rank as the memory pass stores it: by phase, by tensor, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/units.h"

namespace sweepd {

struct PhaseMemory {
  int rank = 0;
  std::string phase;     // "setup" is construction; "step" is the whole step
  Bytes at_start;        // allocated
  Bytes at_end;          // allocated
  Bytes peak_allocated;  // largest sum of live blocks within the phase
  Bytes peak_reserved;   // what the allocator held from the system (the same on CPU)
  Bytes device_in_use;   // CUDA: cudaMemGetInfo; CPU: resident set
};

// A tensor that outlives the step.
struct HeldMemory {
  int rank = 0;
  std::string kind;  // "weights", "gradients", "optimizer_state", "other"
  std::string name;  // "block0.wq"
  Bytes size;
};

// A block that was live in the recorded step. Times count from the step's start.
struct Allocation {
  int rank = 0;
  std::int64_t sequence = 0;      // order in which they became known
  Bytes size;                     // as the tensor asked for it
  Duration allocated;             // 0 for phase "before"
  std::optional<Duration> freed;  // empty: still live when the step ended
  std::string phase;              // "before" the step; "step" outside of its phases
  std::string range;              // innermost Range; "" outside of any and in a backward
  std::string origin;             // the tensor's name if it has one, else the operator's
};

// A point of the timeline of the recorded step.
struct MemoryPoint {
  int rank = 0;
  std::int64_t sequence = 0;  // counts all changes, of which only some are kept
  Duration time;
  std::string action;  // "allocate", "free"; "phase" where one begins or the step ends
  std::uint64_t address = 0;
  Bytes size;
  Bytes allocated;  // live after it
  Bytes reserved;
  std::string phase;
};

}  // namespace sweepd
