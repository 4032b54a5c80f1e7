// `sweep-worker --work`, and `--answer`, which does the same over a socket that is its stdin: what
// steps must do, by formula, without running any. For thousands of trials in one process, so that
// `plan` knows their sizes.
//
//   in   {"workload":"lm_step","params":{"model":"xl","context":"512"}}      a trial a line; what
//                                                         params leaves out has its default
//   out  {"event":"work",...} as in wire/event.h, or {"error":"..."}         a line each, in order
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "workloads/api/workload.h"

namespace sweepd {

std::string work_line(const Registry& registry, std::string_view request);  // without the newline

// Until the input's end; each answer is written before the next line is read. False when the output
// cannot be written.
bool print_work(const Registry& registry, std::FILE* in, std::FILE* out);

}  // namespace sweepd
