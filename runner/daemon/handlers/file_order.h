// In which order a sweep's file lists its points, where they are no product of axes.
#pragma once

#include <string>
#include <vector>

#include "runner/model/catalog.h"
#include "runner/model/result_set.h"
#include "runner/model/sweep.h"

namespace sweepd {

// One for each zip group; one of all parameters of a sweep that is nothing but include points.
std::vector<FileOrder> file_orders(const Sweep& sweep, const WorkloadDef& def);

// The same of a sweep's stored text. None where today's workloads no longer read it.
std::vector<FileOrder> file_orders(const std::string& source, const Catalog& catalog);

}  // namespace sweepd
