// The memory pass's part of the journal (event.h): held tensors, the largest blocks, the timeline.
// Blocks and points are arrays, because an attempt has some thousands of them:
//
//   {"event":"memory_held","tensors":[["weights","block0.wq",16384],..]}
//   {"event":"allocations","blocks":[[sequence,size,allocated_ns,freed_ns or null,phase,range,
//    origin],..]}
//   {"event":"memory_timeline","points":[[sequence,time_ns,action,address,size,allocated,reserved,
//    phase],..]}
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "runner/model/memory.h"
#include "runner/wire/json_reader.h"

namespace sweepd {

struct HeldMemoryEvent {
  std::vector<HeldMemory> tensors;
};
struct AllocationsEvent {
  std::vector<Allocation> blocks;
};
struct MemoryTimelineEvent {
  std::vector<MemoryPoint> points;
};

void put(nlohmann::ordered_json& json, const HeldMemoryEvent& event);
void put(nlohmann::ordered_json& json, const AllocationsEvent& event);
void put(nlohmann::ordered_json& json, const MemoryTimelineEvent& event);
void read(JsonReader<nlohmann::ordered_json>& reader, HeldMemoryEvent& event);
void read(JsonReader<nlohmann::ordered_json>& reader, AllocationsEvent& event);
void read(JsonReader<nlohmann::ordered_json>& reader, MemoryTimelineEvent& event);

}  // namespace sweepd
