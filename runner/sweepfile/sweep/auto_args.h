// `args: auto STYLE...`: how a program wants its declared parameters (schemas/sweep.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd::sweepfile {

// Whether the value of `args` is `auto`, with or without a style.
bool is_auto_args(std::string_view args);

// Returns what `args` is instead: a template of words for each parameter, of which each has the
// default of the sweep. Errors: a word that is no style, two that contradict each other, a default
// that `changed` cannot compare with.
Result<std::string> spell_out_auto_args(std::string_view args,
                                        const std::vector<ParamDef>& declared);

}  // namespace sweepd::sweepfile
