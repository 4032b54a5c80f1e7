// Whether a `done` result can be trusted, with reasons. judge.h decides it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sweepd {

enum class Verdict { kValid, kSuspect, kInvalid };
std::string_view name_of(Verdict verdict);
const std::vector<std::string>& verdict_words();  // from good to bad

struct Judgement {
  Verdict verdict = Verdict::kValid;
  // One sentence each, with the figures. Those that are information, such as "at power limit",
  // leave the verdict `valid`.
  std::vector<std::string> reasons;
};

// The values that `retry` accepts: every outcome and every verdict.
std::vector<std::string> retry_words();

// Whether every reason (one a line) disturbs times alone, as other processes and clocks do: sizes,
// counts and losses are right nevertheless. False for "".
bool disturbs_times_only(std::string_view reasons);

// Adds the reason, once; the worst verdict stays.
void add_reason(Judgement& judgement, Verdict verdict, std::string reason);
void add_reasons(Judgement& judgement, const Judgement& more);

}  // namespace sweepd
