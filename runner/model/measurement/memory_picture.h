// One rank's timeline and the texts of its picture.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/fields.h"
#include "runner/model/vocabulary/memory.h"

namespace sweepd {

// The live memory of one kind.
struct MemoryBand {
  std::string kind;          // "weights", "activations"
  std::vector<Bytes> bytes;  // at each point of the timeline
  static void visit(auto& self, auto&& field) {
    field("kind", self.kind, "");
    field("bytes", self.bytes, "");
  }
};

// 0 where a snapshot of torch has no times.
inline constexpr std::string_view kTimedFact = "snapshot.has_times";

struct MemoryPicture {
  int rank = 0;
  std::string subject;  // the trial: "lm_step model=tiny mode=train_step"
  std::vector<MemoryPoint> timeline;
  // The live memory by kind, in drawing order; at each point their sum is the live memory.
  std::vector<MemoryBand> bands;
  bool by_event = false;  // a time is the number of an event, in microseconds

  static void visit(auto& self, auto&& field) {
    field("rank", self.rank, "");
    field("subject", self.subject, "");
    field("bands", self.bands, "", AsRows());
    field("points", self.timeline, "", AsRows());
    field("by_event", self.by_event, "", Sparse());
  }
  // Of a picture from elsewhere. "": none.
  std::string mistake() const {
    for (const MemoryBand& band : bands) {
      if (band.bytes.size() == timeline.size()) continue;
      return "`" + band.kind + "` has " + std::to_string(band.bytes.size()) + " values for " +
             std::to_string(timeline.size()) + " points";
    }
    return "";
  }
};

// The parts of a recorded block that the bands need. Times count from the step's start, in ns.
struct MemoryBlock {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  std::string kind;  // of the held tensor in it: "weights", "gradients" ...; "" for none
  std::string phase;
  std::int64_t bytes = 0;
  std::int64_t allocated_ns = 0;
  std::int64_t freed_ns = kNever;
};

// Divides the live memory by kind, as PyTorch's memory viewer does: the kinds of held tensors, then
// "activations", which a forward allocated and which were still live when the backward began, then
// "other": temporary tensors, and blocks too small to be recorded one by one. Omits kinds without
// bytes.
std::vector<MemoryBand> bands_of(std::span<const MemoryPoint> timeline,
                                 std::span<const MemoryBlock> blocks);

}  // namespace sweepd
