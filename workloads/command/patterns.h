// Figures of a program that knows nothing of sweepd, read from its output. One pattern per line:
//
//   time = step +\d+: ([0-9.]+) ms              metric, phase `step`
//   time.forward:s = forward took ([0-9.]+)     phase, and the unit that the program prints
//   fact.busbw = Avg bus bandwidth *: ([0-9.]+) a fact, number or text
//
// The text after the first ` = ` is a regular expression (ECMAScript), searched in every line of
// output. Its first group, or the whole match, is the value; `12,345` is one of thousands. The
// first line that matches a metric's pattern is step 0, the next one step 1. A metric that is
// printed less often than another one belongs to the step at which it is printed: with a time for
// every step and a loss after each tenth, the losses are of steps 9, 19 and 29. For a fact the last
// match counts.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/command/program_report.h"

namespace sweepd::command {

class Patterns {
 public:
  // Throws std::invalid_argument that names the pattern and its mistake.
  explicit Patterns(std::string_view text);

  bool empty() const { return patterns_.empty(); }
  // Returns the reports in a line of output: StepReports and FactReports. Throws
  // std::invalid_argument, with line and column, if a metric's value is not a number. Only the
  // beginning of a line longer than `kLongestLine` is searched. Give it all lines in order.
  std::vector<Report> read(std::string_view line);
  // The fact `patterns.unmatched` names those that matched no line. A warning if matches began or
  // ended inside of a number, as `([0-9.]+)` does in `193,831`.
  std::vector<Report> finish() const;

  static constexpr std::size_t kLongestLine = 4096;
  // Whoever compiles a regular expression calls itself for each bracket in it.
  static constexpr std::size_t kLongestPattern = 1000;

 private:
  struct Pattern {
    std::string metric, phase;  // phase empty: a fact named `metric`
    double scale = 1;           // to ms
    std::string text;
    std::regex regex;
    std::int64_t next_step = 0;
    std::int64_t matches = 0, cut = 0;  // cut: inside of a number
    std::string first_cut;              // "`193` of `193,831` in line 4"
  };
  static Pattern parse(std::string_view line);
  Report report(Pattern& pattern, const std::string& value, std::size_t column);

  std::vector<Pattern> patterns_;
  std::int64_t lines_ = 0;
  std::int64_t step_ = 0;  // the largest so far
};

}  // namespace sweepd::command
