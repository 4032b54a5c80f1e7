// Shared by `submit` and `plan`: turns a sweep file's text into sweeps with their trials, or into
// its mistakes. Pure, and slow for a large sweep: run it on a reader thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/daemon/attempts/pools.h"
#include "runner/daemon/planning/submitted_from.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/wire/rpc.h"

namespace sweepd {

struct PreparedSweep {
  Sweep sweep;
  const WorkloadDef* def = nullptr;  // points into the catalog, or to `program`
  Expansion expansion;
  std::shared_ptr<const WorkloadDef> program;
  std::map<std::string, std::string> devices;  // the value of `auto`, by pool
};

struct PreparedSweeps {
  std::vector<Diagnostic> errors;
  std::optional<Error> refusal;  // a mistake without a place in the file
  std::vector<PreparedSweep> sweeps;
  std::vector<std::string> unfit;  // as in Parsed
};

// Parses `name=v1,v2` of `--set`; `where_it_fits` as in Override.
Result<std::vector<Override>> parse_overrides(const std::vector<std::string>& texts,
                                              bool where_it_fits = false);

// Returns the values of a computed parameter (formulas/code_of_trials.h).
using ComputeCode = std::function<Result<std::vector<std::string>>(
    const WorkloadDef&, const std::vector<const Trial*>&)>;

// What preparing asks the worker for.
struct AskedOfWorker {
  ComputeCode compute = nullptr;  // without it, computed parameters stay at their defaults
  PluginFinder plugins = {};
};

std::shared_ptr<PreparedSweeps> prepare_sweeps(const std::string& text, const std::string& file,
                                               const Catalog& catalog, const Pools& pools,
                                               const std::vector<Override>& overrides,
                                               const AskedOfWorker& ask = {},
                                               const SubmittedFrom& from = {});

// Why the first trial can run but measures something else.
std::vector<std::string> warnings_of(const PreparedSweep& sweep);

// A program as the store has it: the names of pools, used to check the file, belong to this
// daemon's configuration.
std::shared_ptr<const WorkloadDef> stored_form(const WorkloadDef& program, const Catalog& catalog);

RpcError diagnostics_error(const std::vector<Diagnostic>& errors);

}  // namespace sweepd
