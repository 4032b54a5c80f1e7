// A plot that is stated by the options of a command line.
#pragma once

#include <string>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

struct PlotWords {
  std::string title, mark = "line", x, y, color, facet;  // a channel is NAME or NAME=Heading
  std::string metric, unit;
  std::vector<std::string> where, baseline;  // NAME=VALUE
  std::vector<std::string> pool;
  std::string scale;                // "log", or "x=log", "y=log"
  std::string error;                // "std", "ci95", "min-max", each with or without "=band"
  std::vector<std::string> beside;  // "name=Floor,y=floor"
  bool stack = false, warmup = false;
};

// The error names the option. Figures and columns are checked by validate (plot.h).
Result<PlotSpec> plot_from_words(const PlotWords& words);

}  // namespace sweepd
