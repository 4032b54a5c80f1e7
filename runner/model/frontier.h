// Applies an out-of-memory result to other points: a point that needs at least as much memory does
// not fit either.
#pragma once

#include <string>

#include "runner/model/trial.h"

namespace sweepd {

// Whether the value stands for another one, as 0 of a parameter that may be 0 does. It is neither
// larger nor smaller than others.
bool is_stand_in(const ParamDef& def, const Value& value);

// Whether `other` needs at least the memory of `oom`, which ran out of it: each parameter that
// grows memory (ParamDef::grows_memory) is as large or larger, one of them is larger, and all
// others that identify the measurement and its place are equal. A 0 that stands for another value
// compares only with 0.
bool is_beyond(const WorkloadDef& def, const Trial& oom, const Trial& other);

// The out-of-memory point's values of the parameters in which `beyond` is larger: "context=128
// batch=4".
std::string limits_text(const WorkloadDef& def, const Trial& oom, const Trial& beyond);

}  // namespace sweepd
