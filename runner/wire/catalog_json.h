// The catalog as JSON: `sweep-worker --describe` prints it, the daemon reads it, `workloads` sends
// it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

struct JsonPath;  // runner/wire/message.h

nlohmann::json to_json(const WorkloadDef& def);
Result<void> read_message(const nlohmann::json& value, WorkloadDef& out, const JsonPath& path);
nlohmann::json to_json(const Catalog& catalog);
Result<Catalog> catalog_from_json(const nlohmann::json& json);

// Converts a value to JSON of its own type (integers and reals as numbers, sizes and durations as
// canonical text), and back with the definition's checks. For every type, text in the sweep file's
// syntax ("64K", "2%") is accepted too.
nlohmann::json to_json(const ParamDef& def, const Value& value);
Result<Value> value_from_json(const ParamDef& def, const nlohmann::json& json);

}  // namespace sweepd
