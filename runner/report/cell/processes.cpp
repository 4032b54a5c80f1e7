#include "runner/report/cell/processes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/cell/pooling.h"
#include "runner/stats/summary.h"

namespace sweepd::report {
namespace {

using Rows = std::span<const ResultRow* const>;

// The attempt's id. Rows without an id are distinguished by their addresses.
using Identity = std::pair<std::string_view, const ResultRow*>;
Identity process_of(const ResultRow& row) {
  return {row.attempt, row.attempt.empty() ? &row : nullptr};
}

// Returns the rows of each process, in the order in which the processes appear.
std::vector<std::vector<const ResultRow*>> by_process(Rows rows) {
  std::map<Identity, std::size_t> index;
  std::vector<std::vector<const ResultRow*>> processes;
  for (const ResultRow* row : rows) {
    const auto [entry, added] = index.try_emplace(process_of(*row), processes.size());
    if (added) processes.emplace_back();
    processes[entry->second].push_back(row);
  }
  return processes;
}

// A weighted mean. The mean of a bandwidth is its bytes by its time, so it is weighted by time.
struct Weighted {
  double weight = 0, mean = 0;
  void add(double more, double value) {
    weight += more;
    mean += (value - mean) * more / weight;
  }
};

Weighted mean_of(Rows process, std::string_view metric) {
  Weighted mean;
  const bool is_rate = is_bandwidth(metric);
  for (const ResultRow* row : process) {
    const auto n = static_cast<double>(row->stats.n);
    mean.add(is_rate ? n / row->stats.mean : n, row->stats.mean);
  }
  return mean;
}

// The steps in order, or their median if they were not read.
std::vector<double> steps_of(const ResultRow& row) {
  return row.samples.empty() ? std::vector{row.stats.median} : row.samples;
}

}  // namespace

MeanError error_of_mean(Rows rows, std::string_view metric) {
  MeanError error;
  for (const ResultRow* row : rows) error.separate &= row->attempts == 1;
  error.one_trial = one_trial(rows) != OneTrial::kNo;
  Weighted all;
  std::vector<Weighted> means;
  for (const auto& process : by_process(rows)) {
    means.push_back(mean_of(process, metric));
    all.add(means.back().weight, means.back().mean);
  }
  error.processes = means.size();
  if (means.size() < 2 || !error.separate || !error.one_trial) return error;
  const auto n = static_cast<double>(means.size());
  double squares = 0;
  for (const Weighted& each : means) {
    const double apart = n * each.weight / all.weight * (each.mean - all.mean);
    squares += apart * apart;
  }
  const double std = std::sqrt(squares / (n - 1));
  error.sem = stats::standard_error(std, static_cast<std::int64_t>(means.size()));
  error.ci95 = stats::mean_half_width(std, static_cast<std::int64_t>(means.size()));
  return error;
}

void keep_known_times(stats::Measured& measured) {
  const auto& started = measured.started;
  if (std::find(started.begin(), started.end(), 0) != started.end()) measured.started.clear();
}

stats::Measured measured_of(Rows rows) {
  stats::Measured measured;
  for (const auto& process : by_process(rows)) {
    std::vector<double> steps;
    for (const ResultRow* row : process) {
      const std::vector<double> more = steps_of(*row);
      steps.insert(steps.end(), more.begin(), more.end());
    }
    if (process.size() > 1) steps = {stats::median(std::move(steps))};
    measured.processes.push_back(std::move(steps));
    measured.started.push_back(process.front()->started.ns);
  }
  keep_known_times(measured);
  return measured;
}

}  // namespace sweepd::report
