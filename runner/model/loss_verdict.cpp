#include "runner/model/loss_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sweepd {

Judgement judge_loss(std::span<const Fact> facts, std::span<const Sample> samples) {
  constexpr const char* kSo = "so nothing was trained, and such values may take another time";
  Judgement judgement;
  const auto first = std::ranges::find_if(samples, [](const Sample& sample) {
    return sample.metric == "loss" && !std::isfinite(sample.value);
  });
  if (first != samples.end()) {
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the loss is {} in step {}, {}", first->value, first->step, kSo));
    return judgement;
  }
  for (const Fact& fact : facts) {
    if (fact.name != "final_loss" || !fact.number || std::isfinite(*fact.number)) continue;
    add_reason(judgement, Verdict::kSuspect,
               fmt::format("the loss is {} after the last step, {}", *fact.number, kSo));
  }
  return judgement;
}

}  // namespace sweepd
