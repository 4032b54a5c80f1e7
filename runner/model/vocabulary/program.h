// Treats a user's program as a workload: a sweep file declares its name, parameters,
// metrics and phases, and the workload `base` (`command`) runs it. Pure.
//
// A declaration is a WorkloadDef with name, base, phases, metrics and declared parameters only; a
// definition has the parameters of `base` too. One database has one definition of a program: every
// declaration adds to it and may not contradict it, because its results share one table.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

// The workload that runs programs.
inline constexpr std::string_view kProgramBase = "command";

// The variables of the submitter's environment that locate programs and libraries.
inline constexpr std::array<std::string_view, 5> kSubmitterVariables{
    "PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "LD_LIBRARY_PATH", "PYTHONPATH"};

// Parameters of `base` that say how output is read, and nothing about how it came to be.
inline constexpr std::array<std::string_view, 3> kReadingParams{"patterns", "reports_file",
                                                                "reports_map"};

// Returns "" or why the name cannot be a declared parameter's: it is not spelled like one, `base`
// has it, or each table has a column of that name.
std::string refusal_of_param_name(const WorkloadDef& base, std::string_view name);
// The same for a program, whose tables and views in the database are named like it.
std::string refusal_of_program_name(const Catalog& catalog, std::string_view name);
// The same for a metric that a program declares.
std::string refusal_of_metric_name(std::string_view name);
// Returns "" or why this is no declaration that a sweep file could have: a name in it is refused.
// For one that a file or another machine's database has.
std::string refusal_of_declaration(const Catalog& catalog, const WorkloadDef& declaration);

// A contradiction between two declarations of one program.
struct ProgramConflict {
  enum class Where { kParameter, kMetric } where = Where::kParameter;
  std::string name;
  std::string message;
};

struct MergedProgram {
  WorkloadDef declaration;  // the parts of `older`, in order, then those that only `newer` has
  std::vector<ProgramConflict> conflicts;
};

// A parameter keeps its type and its first default (`newer` sets another one as `params` would),
// and a metric its unit once it has one. Other details are those of `newer`; choices and phases
// are added.
MergedProgram merge_programs(const WorkloadDef& older, const WorkloadDef& newer);

// Returns the definition: the parameters of `base`, except for the names that it only offers to
// templates, and then the declared parameters, which every template may name. They come last, so
// that a program that gains parameters keeps the places of the others.
WorkloadDef define_program(const WorkloadDef& base, const WorkloadDef& declaration);
// The reverse.
WorkloadDef declaration_of(const WorkloadDef& program);

}  // namespace sweepd
