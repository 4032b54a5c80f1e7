// The format, file and names of a program's output:
//
//   reports: {format: csv, file: out/results.csv, map: {step: iter, time: "ms/iter"}}
//
// sets the parameters `reports`, `reports_file` and `reports_map` of a program.
#pragma once

#include <cstddef>

#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// Whether the parameter is `reports` of a program.
bool is_reports_param(const WorkloadDef& def, std::size_t param);

// Reads the map that `reports` has under `params`.
void read_reports(Reporter& report, Draft& draft, std::size_t param, const Node& section);

}  // namespace sweepd::sweepfile
