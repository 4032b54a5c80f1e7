// An attempt's ending as JSON: `outcome` and the details of that outcome (model/outcome.h).
#pragma once

#include <nlohmann/json.hpp>

#include "runner/model/outcome.h"
#include "runner/wire/json_reader.h"

namespace sweepd {

// Adds the fields to `json`, which must be an object. `rank` is not written; the file implies it.
void put(nlohmann::ordered_json& json, const Ending& ending);
void read(JsonReader<nlohmann::ordered_json>& reader, Ending& ending);

}  // namespace sweepd
