// `sweep-worker --work`: computes the work of steps by formula, without running any. One process
// answers for thousands of trials, for `plan`, and for `submit` of analytic workloads.
//
//   in   {"workload":"lm_step","params":{"model":"xl","context":"512"}}      one trial per line;
//                                                         params may omit defaults
//   out  {"event":"work",...} as in wire/event.h, or {"error":"..."}         a line each, in order
//
// With "ask":"code" in a line, it computes the trial's computed parameter (ParamDef::computed)
// instead: {"code":"..."}, empty where the workload has none. "ask":"reread" is in reread.h.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "workloads/api/workload.h"

namespace sweepd {

std::string work_line(const Registry& registry, std::string_view request);  // without the newline

// Runs until the input ends. Writes each answer before it reads the next line. Returns false if the
// output cannot be written.
bool print_work(const Registry& registry, std::FILE* in, std::FILE* out);

}  // namespace sweepd
