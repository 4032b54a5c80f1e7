// What cell templates are made of: the names that may stand in braces, and number formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

enum class NameKind {
  kMoment,    // pooled exactly from summaries: n mean std min max sum
  kOrder,     // needs the samples when attempts are pooled
  kDerived,   // a rate: work by the time that the table shows
  kCompared,  // with the baseline's mean
  kWord,      // text
};

struct CellName {
  std::string_view name;
  NameKind kind;
  std::string_view label;  // derived figures: what a table's header calls it
};
std::span<const CellName> cell_names();
const CellName* find_cell_name(std::string_view name);  // null when unknown

// [+][,][.digits][type]
struct NumberFormat {
  bool sign = false;  // "+" in front of what is above zero
  bool thousands = false;
  int precision = -1;  // -1: not stated
  char type = 0;       // f e g % d; 0: not stated
};
Result<NumberFormat> parse_number_format(std::string_view text);

// Correctly rounded; never "-0"; "nan", "inf" for what is not finite.
std::string format_number(double value, const NumberFormat& format);

}  // namespace sweepd::report
