// Memory pictures in the daemon's replies.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/memory_picture.h"

namespace sweepd {

// [{"rank":0,"subject":"..","bands":[["weights",[bytes,..]],..],"points":[..]}], points as in
// event.h
nlohmann::json to_json(const std::vector<MemoryPicture>& pictures);
Result<std::vector<MemoryPicture>> memory_pictures_from_json(const nlohmann::json& json);

}  // namespace sweepd
