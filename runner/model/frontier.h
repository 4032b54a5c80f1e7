// Out of memory as knowledge: a point that needs at least as much memory as one that did not fit
// does not fit either.
#pragma once

#include <string>

#include "runner/model/trial.h"

namespace sweepd {

// Whether the value stands for another one, as 0 of a parameter that may be 0 does. It is neither
// larger nor smaller than others.
bool is_stand_in(const ParamDef& def, const Value& value);

// Whether `other` lies beyond `oom`, which ran out of memory: each parameter that grows memory
// (ParamDef::grows_memory) is as large or larger, one of them is larger, and all others that say
// what is measured, and where, are equal. 0 where 0 stands for another value is as large as 0
// alone.
bool is_beyond(const WorkloadDef& def, const Trial& oom, const Trial& other);

// What the point that ran out of memory has where `beyond` has more: "context=128 batch=4".
std::string limits_text(const WorkloadDef& def, const Trial& oom, const Trial& beyond);

}  // namespace sweepd
