// The measured workload of a request and the values of its parameters. It is one of this program's
// workloads, or a user's program that one of them runs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"
#include "workloads/api/workload.h"

namespace sweepd {

struct Measured {
  const WorkloadEntry* entry = nullptr;
  WorkloadDef def;  // of the entry, or of the program
};

// kNotFound, with the nearest name, if there is no such workload; kUnavailable if it needs the
// LibTorch that the launcher did not find.
Result<Measured> find_measured(const Registry& registry, const std::string& workload,
                               const std::optional<WorkloadDef>& program);

using NamedValues = std::vector<std::pair<std::string, Value>>;

// Converts a request's texts to the typed values of a workload's parameters. Returns every
// parameter of `def`, in its order. Parameters missing from `texts` get their default, so that a
// request written by hand can be short. An unknown name or a value that does not parse is an error
// that names the workload, the parameter, the value and the expected form.
Result<NamedValues> values_from_texts(const WorkloadDef& def, const NamedTexts& texts);

// The entry's work per step. Throws std::invalid_argument if FLOPs or bytes are no finite numbers
// from 0 on.
WorkPerStep checked_work(const WorkloadEntry& entry, const NamedValues& values,
                         const RunParams& run);

}  // namespace sweepd
