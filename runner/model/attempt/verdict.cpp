#include "runner/model/attempt/verdict.h"

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/outcome.h"

namespace sweepd {

std::string_view name_of(Verdict verdict) {
  return verdict_words()[static_cast<std::size_t>(verdict)];
}

const std::vector<std::string>& verdict_words() {
  static const std::vector<std::string> words{"valid", "suspect", "invalid"};
  return words;
}

std::vector<std::string> retry_words() {
  std::vector<std::string> words = outcome_words();
  words.insert(words.end(), verdict_words().begin(), verdict_words().end());
  return words;
}

bool disturbs_times_only(std::string_view reasons) {
  // Words of the rules of surroundings, clocks, launches and rates (judge.h).
  constexpr std::string_view kOfTimes[] = {" the measured steps", " ranks shared ",
                                           "launch: ahead, but", ", above the "};
  const std::vector<std::string> all = split(reasons, '\n');
  return !reasons.empty() && std::ranges::all_of(all, [&](const std::string& reason) {
    return std::ranges::any_of(
        kOfTimes, [&](std::string_view words) { return reason.find(words) != std::string::npos; });
  });
}

void add_reason(Judgement& judgement, Verdict verdict, std::string reason) {
  judgement.verdict = std::max(judgement.verdict, verdict);
  if (std::find(judgement.reasons.begin(), judgement.reasons.end(), reason) ==
      judgement.reasons.end()) {
    judgement.reasons.push_back(std::move(reason));
  }
}

void add_reasons(Judgement& judgement, const Judgement& more) {
  judgement.verdict = std::max(judgement.verdict, more.verdict);
  for (const std::string& reason : more.reasons) add_reason(judgement, more.verdict, reason);
}

}  // namespace sweepd
