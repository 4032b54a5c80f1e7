// A plan as figures, each with its formula and the numbers filled in. The names are the columns
// that docs/PARALLELISM.md explains. A bound that does not exist (such as the batch from which
// compute bounds a step that it never bounds) is infinite, and its formula says why.
#pragma once

#include <vector>

#include "runner/model/work.h"
#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {

std::vector<Figure> figures(const Plan& plan);

}  // namespace sweepd::parallelism
