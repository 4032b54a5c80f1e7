// How a trial is observed. Each pass is a process of its own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

enum class Pass { kTiming, kMemory, kProfile };
std::string_view name_of(Pass pass);
Result<Pass> pass_from(std::string_view name);
const std::vector<std::string>& pass_words();

}  // namespace sweepd
