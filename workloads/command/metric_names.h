// The names under which the metrics of one program are stored.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// "time.load" is the metric `time` of phase `load`, and so is the rest behind any other time;
// "train.loss" is one metric, as the program calls it.
struct ShownFigure {
  std::string metric, phase = "step";
};
ShownFigure figure_of_name(std::string_view name);

// Stores `val/loss` as `val_loss` (model/vocabulary/metric_name.h). The second of two names that
// would be one gets `_2`, in the order in which they come.
class MetricNames {
 public:
  const std::string& stored(const std::string& shown);
  // The same for a program that does not know sweepd: a name that sweepd has for a figure of its
  // own gets `own_` in front.
  const std::string& stored_of_stranger(const std::string& shown);
  // The fact `metric.val_loss` for each name that is not as the program wrote it.
  std::vector<FactReport> facts() const;

 private:
  const std::string& name(const std::string& shown, std::string wanted);

  std::map<std::string, std::string> stored_;  // by the program's names
  std::set<std::string> taken_;
  std::vector<std::pair<std::string, std::string>> changed_;  // stored and shown
};

}  // namespace sweepd::command
