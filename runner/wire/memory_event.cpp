#include "runner/wire/memory_event.h"

#include <string_view>
#include <tuple>

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;
using Reader = JsonReader<Json>;

// Reads one array into the fields, in order. The error says that `form` was expected.
template <class... Fields>
void read_tuple(Reader& reader, const Json& element, const std::string& path, std::string_view form,
                Fields&... fields) {
  bool good = element.is_array() && element.size() == sizeof...(Fields);
  std::size_t index = 0;
  if (good) ((good = good && detail::read_json(element[index++], fields).empty()), ...);
  if (!good) {
    reader.fail(path, "expected " + std::string(form) + ", got " + Reader::excerpt(element));
  }
}

}  // namespace

void put(Json& json, const HeldMemoryEvent& event) {
  Json& list = json["tensors"] = Json::array();
  for (const HeldMemory& held : event.tensors) {
    list.push_back(Json::array({held.kind, held.name, held.size.value}));
  }
}

void read(Reader& reader, HeldMemoryEvent& event) {
  reader.each_value("tensors", [&](const Json& element, const std::string& path) {
    HeldMemory& held = event.tensors.emplace_back();
    read_tuple(reader, element, path, "[kind, name, bytes]", held.kind, held.name, held.size);
  });
}

void put(Json& json, const AllocationsEvent& event) {
  Json& list = json["blocks"] = Json::array();
  for (const Allocation& block : event.blocks) {
    const Json freed = block.freed ? Json(block.freed->ns) : Json();
    list.push_back(Json::array({block.sequence, block.size.value, block.allocated.ns, freed,
                                block.phase, block.range, block.origin}));
  }
}

void read(Reader& reader, AllocationsEvent& event) {
  reader.each_value("blocks", [&](const Json& element, const std::string& path) {
    Allocation& block = event.blocks.emplace_back();
    const bool live = element.is_array() && element.size() > 3 && element[3].is_null();
    Json whole = element;
    if (live) whole[3] = 0;
    Duration freed;
    read_tuple(reader, whole, path,
               "[sequence, size, allocated_ns, freed_ns or null, phase, range, origin]",
               block.sequence, block.size, block.allocated, freed, block.phase, block.range,
               block.origin);
    if (!live) block.freed = freed;
  });
}

void put(Json& json, const MemoryTimelineEvent& event) {
  Json& list = json["points"] = Json::array();
  for (const MemoryPoint& point : event.points) {
    list.push_back(
        Json::array({point.sequence, point.time.ns, point.action, point.address, point.size.value,
                     point.allocated.value, point.reserved.value, point.phase}));
  }
}

void read(Reader& reader, MemoryTimelineEvent& event) {
  reader.each_value("points", [&](const Json& element, const std::string& path) {
    MemoryPoint& point = event.points.emplace_back();
    read_tuple(reader, element, path,
               "[sequence, time_ns, action, address, size, allocated, reserved, phase]",
               point.sequence, point.time, point.action, point.address, point.size, point.allocated,
               point.reserved, point.phase);
  });
}

}  // namespace sweepd
