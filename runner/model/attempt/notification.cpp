#include "runner/model/attempt/notification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {

std::int64_t EndedSweep::attempts() const {
  return std::accumulate(by_outcome.begin(), by_outcome.end(), std::int64_t{0});
}

std::string summary_of(const EndedSweep& sweep) {
  std::vector<std::string> counts;
  for (const OutcomeInfo& info : kOutcomes) {
    const std::int64_t n = sweep.by_outcome[static_cast<std::size_t>(info.outcome)];
    if (n > 0) counts.push_back(fmt::format("{} {}", n, info.word));
  }
  return fmt::format("sweep {} ({}) has ended\n{} attempts: {}\nsubmitted {}, ended {}: {}\n",
                     sweep.name, sweep.id, sweep.attempts(),
                     counts.empty() ? "none" : join(counts, ", "), to_text(sweep.submitted),
                     to_text(sweep.ended), to_human(sweep.ended - sweep.submitted));
}

std::vector<std::string> variables_of(const EndedSweep& sweep) {
  std::vector<std::string> variables{
      "SWEEPD_SWEEP=" + sweep.name, "SWEEPD_SWEEP_ID=" + sweep.id,
      fmt::format("SWEEPD_ATTEMPTS={}", sweep.attempts()),
      fmt::format("SWEEPD_SECONDS={}", (sweep.ended - sweep.submitted).ns / 1'000'000'000)};
  for (const OutcomeInfo& info : kOutcomes) {
    std::string word(info.word);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::toupper(c); });
    variables.push_back(fmt::format("SWEEPD_{}={}", word,
                                    sweep.by_outcome[static_cast<std::size_t>(info.outcome)]));
  }
  return variables;
}

}  // namespace sweepd
