// Why a step takes as long as it does, in sentences. Each is a rule with its figures and what to
// try. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/model/attempt/step_profile.h"

namespace sweepd::report {

struct Explanation {
  std::string_view rule;  // "host_late"
  double share = 0;       // of the step that it is about
  std::string text;       // one sentence, without markup
};

inline constexpr std::size_t kMostExplanations = 10;

// The rules that apply, the largest share first, at most kMostExplanations. None: nothing stands
// out.
std::vector<Explanation> explain(const StepProfile& profile);

// All rules, in the order of docs/WHY_SLOW.md.
std::vector<std::string_view> explanation_rules();

}  // namespace sweepd::report
