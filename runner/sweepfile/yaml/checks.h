// Checks of a sweep file's tables and plots that a higher layer makes.
#pragma once

#include <functional>
#include <vector>

#include "runner/model/sweep/sweep.h"

namespace sweepd {

// Checks of a sweep's tables that need knowledge from elsewhere: figures, units, sort keys, which
// pass measures a metric. Called for each table without spelling mistakes; its findings are
// reported at the keys they name.
using TableCheck =
    std::function<std::vector<TableMistake>(const TableSpec&, const Sweep&, const WorkloadDef&)>;

// The same of plots. A mistake's key is one of the plot's, and its `value` an index into its
// PlotSpec::data's values without the first, and then into those of PlotSpec::lines.
using PlotCheck =
    std::function<std::vector<TableMistake>(const PlotSpec&, const Sweep&, const WorkloadDef&)>;

}  // namespace sweepd
