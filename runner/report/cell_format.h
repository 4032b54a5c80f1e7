// The parts of cell templates: the names that may be in braces, and number formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

enum class NameKind {
  kMoment,    // pooled exactly from summaries: n mean std min max sum
  kOrder,     // needs the samples when attempts are pooled
  kDerived,   // a rate: work divided by the time that the table shows
  kCompared,  // with the baseline's mean
  kWord,      // text
};

struct CellName {
  std::string_view name;
  NameKind kind;
  std::string_view label;  // derived figures: their name in a table's header
};
std::span<const CellName> cell_names();
const CellName* find_cell_name(std::string_view name);  // null when unknown

// [+][,][.digits][type]
struct NumberFormat {
  bool sign = false;  // "+" in front of positive numbers
  bool thousands = false;
  int precision = -1;  // -1: not stated
  char type = 0;       // f e g % d; 0: not stated
};
Result<NumberFormat> parse_number_format(std::string_view text);

// Rounds correctly and never returns "-0"; values that are not finite give "nan" or "inf".
std::string format_number(double value, const NumberFormat& format);

}  // namespace sweepd::report
