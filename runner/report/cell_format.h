// The parts of cell templates: the names that may be in braces, and number formats.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

enum class NameKind {
  kMoment,    // pooled exactly from summaries: n mean std min max sum; floor
  kError,     // of the mean, from the means of the attempts: sem ci95
  kOrder,     // needs the samples when attempts are pooled
  kDerived,   // a rate: work divided by the time that the table shows
  kCompared,  // with the baseline
  kWord,      // text
};

struct CellName {
  std::string_view name;
  NameKind kind;
  std::string_view label;  // its name in a table's header, if that is another one
  // Whether the samples must be read where a cell holds several attempts.
  bool needs_samples() const;
  // `ratio_median` compares medians, `ratio` means.
  bool compares_medians() const { return kind == NameKind::kCompared && name.ends_with(kMedian); }
  // "ratio" for `ratio_median`
  std::string_view compared_figure() const {
    return compares_medians() ? name.substr(0, name.size() - kMedian.size()) : name;
  }
  // Whether it is in the metric's unit. A ratio is in none, and a rate has its own.
  bool in_unit_of_metric() const;

 private:
  static constexpr std::string_view kMedian = "_median";
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

// A p value: "0.031", "<0.001".
std::string p_text(double p);

}  // namespace sweepd::report
