// A sweep's row and an attempt's row in the protocol's form.
#pragma once

#include <nlohmann/json.hpp>

#include "db/query/query.h"

namespace sweepd {

nlohmann::json to_json(const SweepRow& sweep);
nlohmann::json to_json(const AttemptRow& attempt);

}  // namespace sweepd
