// Finds tables and plots whose cells or points would hold results of different trials of the sweep.
#pragma once

#include <vector>

#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Every parameter that the sweep varies must be a row or a column of each table, or an axis of each
// plot, or be fixed by `where` or by the ones that are, or be listed in `pool`. Call after the
// overrides, which may add axes, and only for sweeps of a size that may be expanded. A table that
// draws on several sweeps is checked with each of them that is in the file.
void check_pooling(Reporter& report, const std::vector<Draft>& drafts,
                   const std::vector<Override>& overrides);

}  // namespace sweepd::sweepfile
