// Shared by the writers of figures: the list of figures, and numbers as their formulas show them.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runner/model/measurement/work.h"
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

std::string grouped(double value, int digits = 0);  // "219,848,638,464", "3,517.6"
std::string brief(double value);            // grouped up to 15 digits if whole, else "4.6e+14"
std::string bytes_text(double bytes);       // "3,517.6 GB", "17.55 MB": 10^9 and 10^6 B
std::string rate_text(double bytes_per_s);  // "180.0 GB/s"
std::string time_text(double seconds);      // "377.9 ms", "14.94 us"

}  // namespace sweepd::parallelism
