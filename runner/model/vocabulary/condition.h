// The condition of a claim: comparisons of figures that are known within a range.
//
//   {cold} > 1.1 * {warm}
//   {measured} ~ {formula} within 5 % and {measured} < {limit} / 2
//   {naive} is OOM and {flash} is done
//
//   condition   comparison ("and" comparison)*
//   comparison  sum ("<" | "<=" | ">" | ">=") sum
//               sum "~" sum "within" NUMBER "%"
//               {NAME} "is" WORD
//   sum         product (("+" | "-") product)*
//   product     factor (("*" | "/") factor)*
//   factor      NUMBER (or -NUMBER), {NAME}, "(" sum ")"
//
// `~ within` compares the difference with that share of the right side.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd {

// The range of a figure, both ends included.
struct FigureRange {
  double low = 0, high = 0;
  std::string text = "";  // as a word, for `is`
};

enum class Told {
  kHolds,
  kFails,
  kUnclear,  // it holds for some figures within their ranges and fails for others
};

// The value of a `sum` by itself, `{batch} * 512`, whose figures are exact. The error names the
// place or the figure.
Result<double> value_of_sum(std::string_view text, const std::map<std::string, double>& figures);

class Condition {
 public:
  static Result<Condition> parse(std::string_view text);

  const std::vector<std::string>& names() const { return names_; }  // each once, in order
  // Whether a figure counts as a number anywhere, or only as a word.
  bool computes_with(const std::string& name) const;
  // Every name must be in `figures`. A figure that is not a number makes it unclear.
  Told judge(const std::map<std::string, FigureRange>& figures) const;

 private:
  friend class ConditionParser;
  // A number, a name (index into `names_`), or two terms before it with an operator between them.
  struct Term {
    char kind = '#';  // '#', '$', or one of + - * /
    double number = 0;
    std::size_t left = 0, right = 0;
  };
  struct Comparison {
    std::string sign;
    std::size_t left = 0, right = 0;
    double within = 0;      // a share, of `~`
    std::string word = "";  // of `is`, whose left is an index into `names_`
  };
  FigureRange range_of(std::size_t term, const std::map<std::string, FigureRange>& figures) const;
  Told judge(const Comparison& each, const std::map<std::string, FigureRange>& figures) const;

  std::vector<std::string> names_;
  std::vector<std::string> numbers_;  // those of the names that are computed with
  std::vector<Term> terms_;
  std::vector<Comparison> comparisons_;
};

}  // namespace sweepd
