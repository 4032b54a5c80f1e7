// Query specifications as JSON, between daemon and client.
//
//   {"workload"?,"sweep"?,"title"?,"rows":[],"columns":[],"cell"?,"metric"?,"unit"?,
//    "where":{"name":["value",...]},"warmup"?,"bold"?,"headings":{"name":"text"},
//    "values":[{"name"?,"cell"?,"metric"?,"unit"?,"where":{},"warmup"?,"bold"?}],
//    "baseline":{"name":"value"},"pool":[],"sort":[],"limit"?,"only_varying"?,"with":[]}
#pragma once

#include <nlohmann/json.hpp>

#include "runner/base/result.h"
#include "runner/model/attempt/result_set.h"

namespace sweepd {

nlohmann::json to_json(const QuerySpec& query);
Result<QuerySpec> query_from_json(const nlohmann::json& json);

}  // namespace sweepd
