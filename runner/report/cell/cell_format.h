// Numbers as text: the number formats of cell templates, counts, p values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runner/base/result.h"

namespace sweepd::report {

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

// "1 cell", "3 cells"
std::string counted(std::size_t n, const std::string& thing);

// "a, b and c"
std::string in_words(const std::vector<std::string>& items, std::string_view last = " and ");

// A p value: "0.031", "<0.001".
std::string p_text(double p);

}  // namespace sweepd::report
