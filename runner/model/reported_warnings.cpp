#include "runner/model/reported_warnings.h"

namespace sweepd {

Judgement judge_reported_warnings(std::span<const Fact> facts) {
  Judgement judgement;
  for (const Fact& fact : facts) {
    if (!fact.name.starts_with(kWarningFact) || fact.text.empty()) continue;
    add_reason(judgement, Verdict::kSuspect, fact.text);
  }
  return judgement;
}

}  // namespace sweepd
