#include "workloads/parallelism/figures.h"

#include "workloads/parallelism/figure_list.h"

namespace sweepd::parallelism {

std::vector<Figure> figures(const Plan& plan) {
  FigureList list;
  add_memory(plan, list);
  add_times(plan, list);
  add_bounds(plan, list);
  return list.take();
}

}  // namespace sweepd::parallelism
