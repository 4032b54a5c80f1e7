// The names that programs gave their metrics, where they are stored under others: the fact
// `metric.val_loss` is `val/loss` (runner/model/vocabulary/metric_name.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "db/query/planning/plan.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Of these metrics, those that all programs of the plan's attempts call by the same other name.
std::vector<std::pair<std::string, std::string>> shown_metrics(
    ReaderState& state, const QueryPlan& plan, const std::vector<std::string>& metrics);

// The name under which a metric is stored that a program calls so; the text itself if none does.
std::string metric_as_stored(ReaderState& state, const std::string& metric);

// Adds the names to the column `metric` of a table of the attempts `a` for which `where` holds.
void add_shown_names(Connection& connection, Table& table, const std::string& where,
                     std::int64_t id);

}  // namespace sweepd
