#include "runner/report/cell/divided_metric.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

constexpr std::string_view kPer = " per ";
constexpr std::int64_t kMaxPower = 4;

}  // namespace

std::string DividedMetric::divisor() const {
  return power == 1 ? parameter : fmt::format("{}^{}", parameter, power);
}

Result<DividedMetric> parse_metric(std::string_view text) {
  DividedMetric divided;
  const std::size_t per = text.find(kPer);
  divided.metric = trim(text.substr(0, per));
  if (per == std::string_view::npos) return divided;
  const std::string_view divisor = trim(text.substr(per + kPer.size()));
  const std::size_t caret = divisor.find('^');
  divided.parameter = trim(divisor.substr(0, caret));
  const bool one_name =
      !divided.parameter.empty() && divided.parameter.find(' ') == std::string::npos;
  if (caret != std::string_view::npos) {
    const auto power = parse_integer(trim(divisor.substr(caret + 1)));
    divided.power = power && *power >= 1 && *power <= kMaxPower ? static_cast<int>(*power) : 0;
  }
  if (!divided.metric.empty() && one_name && divided.power > 0) return divided;
  return Error{
      ErrorCode::kInvalidArgument,
      fmt::format("metric: `{}` is not METRIC per PARAMETER or METRIC per PARAMETER^POWER, the "
                  "power from 1 to {}, as in `peak_allocated_bytes per sequence^2`",
                  text, kMaxPower)};
}

std::string metric_alone(std::string_view text) {
  return std::string(trim(text.substr(0, text.find(kPer))));
}

}  // namespace sweepd
