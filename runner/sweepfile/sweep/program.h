// The keys by which a sweep file declares a program of its own: `program`, `parameters`, `metrics`
// and `phases` (model/vocabulary/program.h, schemas/sweep.md).
#pragma once

#include <map>
#include <memory>
#include <string>

#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/reporter.h"

namespace sweepd::sweepfile {

// The programs that earlier documents of the file define.
using FilePrograms = std::map<std::string, std::shared_ptr<const WorkloadDef>>;

// Whether the document names a program or declares what only a program has.
bool has_program(const Node& root);

// Reads these keys, wherever they are in the document, since they decide which names are valid.
// Sets the draft's definition, workload and `declared`, unless there is a mistake.
void read_program(Reporter& report, const Catalog& catalog, FilePrograms& programs, Draft& draft,
                  const Node& root);

// Gives the parameters the defaults of this file where they are not those of the definition, as
// `params` would. Call when everything was read.
void set_own_defaults(Draft& draft);

// Replaces `args: auto` by words for each declared parameter (auto_args.h). Call after the
// overrides.
void spell_out_args(Reporter& report, Draft& draft);

}  // namespace sweepd::sweepfile
