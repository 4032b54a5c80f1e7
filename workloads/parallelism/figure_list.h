// Shared by the writers of figures.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/work.h"
#include "workloads/parallelism/format.h"
#include "workloads/parallelism/plan.h"

namespace sweepd::parallelism {

constexpr double kNever = std::numeric_limits<double>::infinity();  // the value of a figure

class FigureList {
 public:
  template <class... Values>
  void add(const char* name, double value, fmt::format_string<Values...> formula,
           Values&&... values) {
    figures_.push_back({name, value, fmt::format(formula, std::forward<Values>(values)...)});
  }
  std::vector<Figure> take() { return std::move(figures_); }

 private:
  std::vector<Figure> figures_;
};

void add_memory(const Plan& plan, FigureList& list);  // figures_memory.cpp
void add_times(const Plan& plan, FigureList& list);   // figures_time.cpp
void add_bounds(const Plan& plan, FigureList& list);  // figures_bounds.cpp

}  // namespace sweepd::parallelism
