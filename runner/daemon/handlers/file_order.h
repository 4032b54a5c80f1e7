// The order in which a sweep's file lists its points, where they are not a product of axes.
#pragma once

#include <string>
#include <vector>

#include "runner/model/attempt/result_set.h"
#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// Returns one order for each zip group, or one of all parameters if the sweep has only include
// points.
std::vector<FileOrder> file_orders(const Sweep& sweep, const WorkloadDef& def);

// The same for the stored text of a sweep of `workload`. Empty if today's workloads no longer
// accept it.
std::vector<FileOrder> file_orders(const std::string& source, const std::string& workload,
                                   const Catalog& catalog);

}  // namespace sweepd
