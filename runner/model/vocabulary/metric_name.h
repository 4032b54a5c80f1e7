// The spelling of metrics and phases, and the stored names for other spellings.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd {

inline constexpr std::size_t kLongestMetricName = 64;

// Return "" or the mistake in the spelling, or that other figures of sweepd have the metric's name.
std::string mistake_in_metric(std::string_view metric);
std::string mistake_in_phase(std::string_view phase);

// Whether figures of sweepd, in tables that steps may not write to, are called so.
bool is_own_metric(std::string_view metric);

// The stored name of a program's metric: `val_loss` of `val/loss`. Characters other than letters,
// digits and `_` become `_`, once in a row and not at an end. At most 64 letters; `metric` if
// nothing is left. A name without such characters stays.
std::string stored_metric_name(std::string_view shown);
// The same of a phase: `For ward` is `for_ward`. "" if nothing is left.
std::string stored_phase_name(std::string_view shown);

// The fact with this and the stored name has the name that the program uses.
inline constexpr std::string_view kMetricFact = "metric.";

// Milliseconds in `ns`, `us`, `ms` or `s`.
std::optional<double> milliseconds_in(std::string_view unit);

// METRIC[.PHASE][:UNIT], as patterns and maps name what they find.
struct FigureName {
  std::string metric, phase = "step";
  double scale = 1;       // to ms
  bool has_unit = false;  // :UNIT is there
};
// The error names the mistake, without the text.
Result<FigureName> parse_figure_name(std::string_view text);

}  // namespace sweepd
