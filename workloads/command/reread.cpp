#include "workloads/command/reread.h"

#include <string>
#include <utility>
#include <variant>

#include "runner/base/text.h"
#include "workloads/command/output_reader.h"
#include "workloads/command/report_file.h"

namespace sweepd::command {
namespace {

void take_reading(const Report& report, const RunParams& run, Reading& reading) {
  if (const auto* step = std::get_if<StepReport>(&report)) {
    const bool warmup = !step->once && step->warmup.value_or(step->step < run.warmup);
    reading.steps.push_back({step->once ? 0 : step->step, warmup, step->samples});
  } else if (const auto* fact = std::get_if<FactReport>(&report)) {
    reading.facts.push_back({fact->name, fact->number, fact->text});
  }
}

}  // namespace

Reading reread(const Params& params, const RunParams& run, const StoredOutput& output) {
  Reading reading;
  OutputReader reader(params);
  for (const std::string& line : split(output.log, '\n')) {
    for (const Report& report : reader.read(line)) take_reading(report, run, reading);
  }
  if (reader.is_of_file() && !is_file_of_other_rank(params, output.rank)) {
    for (const Report& report : reader.read_file(kept_report(params, run, output))) {
      take_reading(report, run, reading);
    }
  }
  for (const Report& report : reader.facts()) take_reading(report, run, reading);
  return reading;
}

}  // namespace sweepd::command
