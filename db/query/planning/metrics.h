// How the metrics that are no samples are read (runner/model/vocabulary/known_metric.h).
#pragma once

#include <string>
#include <string_view>

#include "runner/model/vocabulary/known_metric.h"

namespace sweepd {

// An aggregate over the rows that a result covers. NULL means that they have no such figure.
std::string sql_of_metric(const KnownMetric& metric);

// Returns "the memory pass" and the like, for messages.
std::string_view describe(FigureSource source);

}  // namespace sweepd
