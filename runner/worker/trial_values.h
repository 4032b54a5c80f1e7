// Converts a request's texts to the typed values of a workload's parameters.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/result.h"
#include "runner/model/catalog.h"

namespace sweepd {

using NamedValues = std::vector<std::pair<std::string, Value>>;

// Returns every parameter of `def`, in its order. Parameters missing from `texts` get their
// default, so that a request written by hand can be short. An unknown name or a value that does not
// parse is an error that names the workload, the parameter, the value and the expected form.
Result<NamedValues> values_from_texts(const WorkloadDef& def, const NamedTexts& texts);

}  // namespace sweepd
