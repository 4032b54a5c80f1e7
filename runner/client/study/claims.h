// Evaluates a claim of a study from its figures. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "runner/client/study/figures.h"
#include "runner/model/vocabulary/condition.h"

namespace sweepd {

struct ClaimFigure {
  Result<FoundFigure> found;
  std::optional<double> spread;  // as spread_of
};

struct ToldClaim {
  Told told = Told::kUnclear;
  std::string why;  // why it is undecided: "the attempt is oom"; "" if it is decided
};

// `figures` has those of the claim, by name.
ToldClaim judge(const StudyClaim& claim, const std::map<std::string, ClaimFigure>& figures);

}  // namespace sweepd
