// Environment records as JSON, for the `environment` and `state` events. Unknown values are
// omitted, so that an absent field and an empty value are the same.
#pragma once

#include <nlohmann/json.hpp>

#include "runner/model/environment.h"
#include "runner/wire/json_reader.h"

namespace sweepd {

// Both add the record's fields to `json`, which must be an object.
void put(nlohmann::ordered_json& json, const Environment& environment);  // without `states`
void put(nlohmann::ordered_json& json, const DeviceState& state);        // without `rank`

void read(JsonReader<nlohmann::ordered_json>& reader, Environment& environment);
void read(JsonReader<nlohmann::ordered_json>& reader, DeviceState& state);

}  // namespace sweepd
