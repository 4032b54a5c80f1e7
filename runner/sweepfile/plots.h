// The `plots:` section. Which figures exist, and whether they can be drawn so, the report layer
// checks, through check_plots.
#pragma once

#include "runner/sweepfile/draft.h"
#include "runner/sweepfile/reporter.h"

namespace sweepd::sweepfile {

void read_plots(Reporter& report, Draft& draft, const Node& section);

// Reports what `check` finds in plots that were read without a mistake, at the keys it names.
void check_plots(Reporter& report, const Draft& draft, const PlotCheck& check);

}  // namespace sweepd::sweepfile
