#include "runner/report/explain/explain.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "runner/report/explain/rules.h"

namespace sweepd::report {
namespace {

struct Rule {
  std::string_view name;
  explaining::Finding (*find)(const StepProfile&);
};
constexpr std::array kRules{
    Rule{"host_late", explaining::host_late},
    Rule{"waiting", explaining::waiting},
    Rule{"tail", explaining::tail},
    Rule{"one_gap", explaining::one_gap},
    Rule{"exposed_communication", explaining::exposed_communication},
    Rule{"clock_fell", explaining::clock_fell},
    Rule{"copies", explaining::copies},
    Rule{"short_kernels", explaining::short_kernels},
    Rule{"elementwise", explaining::elementwise},
    Rule{"without_tensor_cores", explaining::without_tensor_cores},
    Rule{"one_kernel", explaining::one_kernel},
    Rule{"last_wave", explaining::last_wave},
    Rule{"low_occupancy", explaining::low_occupancy},
    Rule{"below_roofline", explaining::below_roofline},
    Rule{"outside_operators", explaining::outside_operators},
    Rule{"busy", explaining::busy},
};

// Without marked steps the rules are about the span that was recorded.
std::string about_span(std::string text) {
  constexpr std::string_view kStep = "of the step", kSpan = "of what was recorded";
  for (std::size_t at = text.find(kStep); at != std::string::npos; at = text.find(kStep, at)) {
    text.replace(at, kStep.size(), kSpan);
  }
  return text;
}

}  // namespace

std::vector<Explanation> explain(const StepProfile& profile) {
  const bool is_span = profile.fact("trace.steps") == 0;
  std::vector<Explanation> found;
  for (const Rule& rule : kRules) {
    auto finding = rule.find(profile);
    if (!finding) continue;
    auto& [share, text] = *finding;
    if (is_span) text = about_span(std::move(text));
    found.push_back({rule.name, share, std::move(text)});
  }
  std::ranges::stable_sort(
      found, [](const Explanation& a, const Explanation& b) { return a.share > b.share; });
  if (found.size() > kMostExplanations) found.resize(kMostExplanations);
  return found;
}

std::vector<std::string_view> explanation_rules() {
  std::vector<std::string_view> names;
  for (const Rule& rule : kRules) names.push_back(rule.name);
  return names;
}

}  // namespace sweepd::report
