// The line with the common properties of a table's figures: parameters that are neither rows
// nor columns, the device, the date and the program's version.
#pragma once

#include <string>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/model/measurement/measured_with.h"
#include "runner/model/sweep/table.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// The subject of one of the table's reads. A table has several if its values have their own
// filters, or if it is of several sweeps.
struct CaptionSource {
  const WorkloadDef* def = nullptr;
  MeasuredWith with;
};

// Sets `caption` and `constants`. A parameter that differs between the figures and is no row or
// column is named with its values. Nothing is set without results.
void set_caption(Table& table, const std::vector<CaptionSource>& sources, const QuerySpec& query);

}  // namespace sweepd
