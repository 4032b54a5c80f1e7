// The journal's lines of a profile pass; part of wire/event.h. Times are in nanoseconds.
//
//   {"event":"kernel","phase":"forward","range":"ffn","name":"aten::mm","grid":[0,0,0],
//    "block":[0,0,0],"calls":6,"total_ns":..,"mean_ns":..,"median_ns":..,"min_ns":..,"max_ns":..,
//    "std_ns":..}
//   {"event":"operator","phase":"forward","range":"ffn","name":"aten::linear","calls":6,
//    "self_cpu_ns":..,"total_cpu_ns":..,"self_device_ns":..,"total_device_ns":..}
#pragma once

#include <nlohmann/json.hpp>

#include "runner/model/kernel.h"
#include "runner/wire/json_reader.h"

namespace sweepd {

struct KernelEvent {
  KernelStats kernel;
};
struct OperatorEvent {
  OperatorStats op;
};

void put(nlohmann::ordered_json& json, const KernelEvent& event);
void read(JsonReader<nlohmann::ordered_json>& reader, KernelEvent& event);
void put(nlohmann::ordered_json& json, const OperatorEvent& event);
void read(JsonReader<nlohmann::ordered_json>& reader, OperatorEvent& event);

}  // namespace sweepd
