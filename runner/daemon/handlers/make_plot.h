// Turns the specification of a plot into a finished one: checks names, and makes its tables.
#pragma once

#include "db/query/query.h"
#include "runner/model/plot.h"

namespace sweepd {

// `base` says whose results (workload, sweep) and in which order.
Result<Plot> make_plot(Reader& reader, const Catalog& catalog, const PlotSpec& spec,
                       QuerySpec base);

}  // namespace sweepd
