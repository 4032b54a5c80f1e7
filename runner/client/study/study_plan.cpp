#include "runner/client/study/study_plan.h"

#include <fmt/format.h>

#include "runner/base/units.h"

namespace sweepd {
namespace {

Cell count(std::int64_t n) {
  return {with_thousands(n), static_cast<double>(n)};
}

struct PlannedSum {
  std::int64_t trials = 0, to_run = 0, reused = 0, open = 0, unknown = 0;
  Duration time{0};
};

Cell time_cell(const PlannedSum& sum) {
  if (sum.to_run == 0) return {"0", 0.0};
  if (sum.unknown == sum.to_run) return {"?", {}};
  const std::string least = sum.unknown > 0 ? "at least " : "";
  return {least + to_human(sum.time), sum.time.seconds()};
}

}  // namespace

Table study_plan(const Study& study, const std::vector<rpc::Plan::Reply>& plans) {
  Table table;
  table.title = fmt::format("{} at scale {}", study.name, study.scale);
  table.columns = {{"Sweep", "", Align::kLeft},   {"Trials", "", Align::kRight},
                   {"To run", "", Align::kRight}, {"Reused", "", Align::kRight},
                   {"Open", "", Align::kRight},   {"Time", "", Align::kRight}};
  PlannedSum all;
  const auto add_row = [&table](const std::string& name, const PlannedSum& sum) {
    table.rows.push_back({{name, {}},
                          count(sum.trials),
                          count(sum.to_run),
                          count(sum.reused),
                          count(sum.open),
                          time_cell(sum)});
  };
  for (const rpc::Plan::Reply& plan : plans) {
    for (const SweepPlan& sweep : plan.sweeps) {
      PlannedSum sum{.trials = sweep.trials,
                     .to_run = sweep.to_run,
                     .reused = sweep.reused,
                     .open = sweep.queued + sweep.running,
                     .unknown = sweep.time.total ? sweep.time.unknown : sweep.to_run};
      if (sweep.time.total) sum.time = *sweep.time.total;
      add_row(sweep.name, sum);
      all.trials += sum.trials;
      all.to_run += sum.to_run;
      all.reused += sum.reused;
      all.open += sum.open;
      all.unknown += sum.unknown;
      all.time.ns += sum.time.ns;
    }
  }
  add_row("all", all);
  if (all.unknown > 0) {
    table.notes.push_back(
        fmt::format("{} of {} attempts to run have no estimate: nothing alike was measured here",
                    with_thousands(all.unknown), with_thousands(all.to_run)));
  }
  return table;
}

}  // namespace sweepd
