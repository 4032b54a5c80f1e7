// Device memory of one rank as the memory pass stores it: by phase, by tensor, block by block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runner/base/clock.h"
#include "runner/base/fields.h"
#include "runner/base/units.h"

namespace sweepd {

// Empty sizes are unknown: a program may report them; without a report only the resident set is
// known.
struct PhaseMemory {
  static constexpr std::string_view kTable = "memory";
  int rank = 0;
  std::string phase;                    // "setup" is construction; "step" is the whole step
  std::optional<Bytes> at_start;        // allocated
  std::optional<Bytes> at_end;          // allocated
  std::optional<Bytes> peak_allocated;  // largest sum of live blocks within the phase
  std::optional<Bytes> peak_reserved;   // the allocator's memory from the system (the same on CPU)
  std::optional<Bytes> device_in_use;   // CUDA: cudaMemGetInfo; CPU: resident set

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("phase", self.phase, "`setup` is construction, `step` the whole step", Interned());
    field("at_start", self.at_start, "allocated when the phase began",
          Heading{"allocated at start"});
    field("peak_allocated", self.peak_allocated, "largest sum of live blocks");
    field("at_end", self.at_end, "allocated when it ended", Heading{"allocated at end"});
    field("peak_reserved", self.peak_reserved, "held by the allocator; equal on a CPU");
    field("device_in_use", self.device_in_use, "by cudaMemGetInfo; on a CPU the resident set");
  }
};

// A tensor that outlives the step.
struct HeldMemory {
  static constexpr std::string_view kTable = "memory_held";
  int rank = 0;
  std::string kind;  // "weights", "gradients", "optimizer_state", "other"
  std::string name;  // "block0.wq"
  Bytes size;

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("kind", self.kind, "`weights`, `gradients`, `optimizer_state`, `other`");
    field("name", self.name, "as in `block0.wq`", Interned());
    field("size", self.size, "");
  }
};

// A block that was live in the recorded step. Times count from the step's start.
struct Allocation {
  static constexpr std::string_view kTable = "allocation";
  int rank = 0;
  std::int64_t sequence = 0;      // order in which they became known
  Bytes size;                     // as the tensor requested it
  Duration allocated;             // 0 for phase "before"
  std::optional<Duration> freed;  // empty: still live when the step ended
  std::string phase;              // "before" the step; "step" outside of its phases
  std::string range;              // innermost Range, "" outside of any and in a backward
  std::string origin;             // the tensor's name where it has one, else the operator's

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("sequence", self.sequence, "in the order in which they became known");
    field("size", self.size, "as the tensor asked for it");
    field("allocated", self.allocated, "since the step began; 0 for phase `before`");
    field("freed", self.freed, "NULL: still live when the step ended");
    field("phase", self.phase, "`before` the step; `step` outside of its phases", Interned());
    field("range", self.range, "innermost; empty outside of any and in a backward", Interned());
    field("origin", self.origin, "the tensor's name where it has one, else the operator's",
          Interned());
  }
};

// A point of the timeline of the recorded step.
struct MemoryPoint {
  static constexpr std::string_view kTable = "memory_event";
  int rank = 0;
  std::int64_t sequence = 0;  // counts all changes, of which only some are kept
  Duration time;
  std::string action;  // "allocate", "free"; "phase" where one begins or the step ends
  std::uint64_t address = 0;
  Bytes size;
  Bytes allocated;  // live after it
  Bytes reserved;
  std::string phase;

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "", Implied());
    field("sequence", self.sequence, "among all changes, of which only some are kept");
    field("time", self.time, "since the step began");
    field("action", self.action, "`allocate`, `free`; `phase` where one begins or the step ends");
    field("address", self.address, "");
    field("size", self.size, "");
    field("allocated", self.allocated, "live after it");
    field("reserved", self.reserved, "");
    field("phase", self.phase, "", Interned());
  }
};

}  // namespace sweepd
