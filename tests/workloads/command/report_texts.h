// Reports of a reader as text.
#pragma once

#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

// "0 step time 1.5"; a metric of the whole run begins with "once"; "fact skipped: BM_a".
inline std::vector<std::string> report_texts(const std::vector<Report>& reports) {
  std::vector<std::string> found;
  for (const Report& report : reports) {
    if (const auto* fact = std::get_if<FactReport>(&report)) {
      found.push_back(fmt::format("fact {}: {}", fact->name,
                                  fact->number ? fmt::format("{:g}", *fact->number) : fact->text));
      continue;
    }
    if (const auto* skip = std::get_if<SkipReport>(&report)) {
      found.push_back("skipped: " + skip->reason);
      continue;
    }
    const auto& step = std::get<StepReport>(report);
    for (const Sample& sample : step.samples) {
      found.push_back(fmt::format("{} {} {} {:g}", step.once ? "once" : std::to_string(step.step),
                                  sample.phase, sample.metric, sample.value));
    }
  }
  return found;
}

}  // namespace sweepd::command
