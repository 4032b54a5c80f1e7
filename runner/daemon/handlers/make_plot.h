// Turns the specification of a plot into a finished one: checks names, and makes its tables.
#pragma once

#include "db/query/query.h"
#include "runner/model/sweep/plot.h"

namespace sweepd {

// `base` has the source of the results (workload, sweep) and their order.
Result<Plot> make_plot(Reader& reader, const Catalog& catalog, const PlotSpec& spec,
                       QuerySpec base);

}  // namespace sweepd
