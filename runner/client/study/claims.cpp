#include "runner/client/study/claims.h"

#include <cmath>

#include "runner/client/study/trimming.h"

namespace sweepd {
namespace {

// Why a figure that was found is unusable, or "".
std::string why_useless(const ClaimFigure& figure, bool as_number) {
  if (!as_number) return "";
  if (!figure.found->number) return "a figure is no number";
  if (figure.found->suspect) return "a figure is suspect";
  if (!figure.spread) return "a time was measured only once";
  return "";
}

}  // namespace

ToldClaim judge(const StudyClaim& claim, const std::map<std::string, ClaimFigure>& figures) {
  const auto condition = Condition::parse(claim.condition);
  if (!condition) return {Told::kUnclear, condition.error().message};
  // A missing figure says more than a suspect one.
  for (const auto& [name, figure] : figures) {
    if (!figure.found) return {Told::kUnclear, without_remedy(figure.found.error().message)};
  }
  std::map<std::string, FigureRange> ranges;
  for (const auto& [name, figure] : figures) {
    const bool as_number = condition->computes_with(name);
    std::string why = why_useless(figure, as_number);
    if (!why.empty()) return {Told::kUnclear, std::move(why)};
    const double number = as_number ? *figure.found->number : 0;
    const double off = as_number ? std::abs(number) * *figure.spread : 0;
    ranges[name] = {number - off, number + off, figure.found->text};
  }
  const Told told = condition->judge(ranges);
  return {told, told == Told::kUnclear ? "the difference is within the noise" : ""};
}

}  // namespace sweepd
