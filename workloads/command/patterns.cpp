// A false alarm of GCC 12 about std::regex with sanitizers (GCC bug 105562), in its own headers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "workloads/command/patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/model/vocabulary/metric_name.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

std::invalid_argument wrong(std::string_view line, std::string_view why) {
  return std::invalid_argument(fmt::format("patterns: `{}`: {}", line, why));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool digit_at(std::string_view text, std::size_t at) {
  return at < text.size() && is_digit(text[at]);
}

// Whether the number `value` goes on in `rest`: "193" before ",831", "12" before ".5" or "e3".
bool goes_on(std::string_view value, std::string_view rest) {
  if (rest.empty() || value.empty() || !(is_digit(value.back()) || value.back() == '.')) {
    return false;
  }
  if (is_digit(rest[0])) return true;
  const bool is_whole = value.find_first_of(".eE") == std::string_view::npos;
  switch (rest[0]) {
    case '.':
    case ',':
    case '\'':
    case '_':
      return is_whole && digit_at(rest, 1);
    case 'e':
    case 'E':
      return digit_at(rest, 1) ||
             (rest.size() > 2 && (rest[1] == '+' || rest[1] == '-') && digit_at(rest, 2));
    default:
      return false;
  }
}

// Whether the number that begins at `at` has begun before: with "12." or with a sign.
bool has_begun(std::string_view line, std::size_t at) {
  if (at == 0 || !digit_at(line, at)) return false;
  const char before = line[at - 1];
  if (is_digit(before)) return true;
  constexpr std::string_view kWithin = ".,'_";
  if (kWithin.find(before) != std::string_view::npos) return at > 1 && is_digit(line[at - 2]);
  constexpr std::string_view kBeforeSign = " \t=:(,[";
  return before == '-' && (at == 1 || kBeforeSign.find(line[at - 2]) != std::string_view::npos);
}

// The word around the value, for a message.
std::string_view word_around(std::string_view line, std::size_t begin, std::size_t end) {
  constexpr std::size_t kMost = 20;
  constexpr std::string_view kNumber = "0123456789.,'_eE+-";
  std::size_t first = begin, last = end;
  while (first > 0 && begin - first < kMost &&
         kNumber.find(line[first - 1]) != std::string_view::npos)
    --first;
  while (last < line.size() && last - end < kMost &&
         kNumber.find(line[last]) != std::string_view::npos)
    ++last;
  return line.substr(first, last - first);
}

}  // namespace

Patterns::Patterns(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) patterns_.push_back(parse(trim(line)));
  }
}

Patterns::Pattern Patterns::parse(std::string_view line) {
  if (line.size() > kLongestPattern) {
    throw wrong(line.substr(0, 60), fmt::format("it has {} bytes; at most {} are understood",
                                                line.size(), kLongestPattern));
  }
  const std::size_t equal = line.find(" = ");
  if (equal == std::string_view::npos) throw wrong(line, "expected `METRIC = REGEX`");
  const std::string_view name = trim(line.substr(0, equal));
  Pattern pattern;
  pattern.text = line;
  try {
    constexpr std::string_view kFact = "fact.";
    if (name.starts_with(kFact)) {
      pattern.metric = name.substr(kFact.size());
      if (pattern.metric.empty()) throw std::invalid_argument("the fact has no name");
    } else {
      auto figure = parse_figure_name(name);
      if (!figure) throw std::invalid_argument(figure.error().message);
      pattern.metric = std::move(figure->metric);
      pattern.phase = std::move(figure->phase);
      pattern.scale = figure->scale;
    }
    pattern.regex = std::regex(std::string(trim(line.substr(equal + 3))));
  } catch (const std::regex_error& error) {
    throw wrong(line, error.what());
  } catch (const std::invalid_argument& error) {
    throw wrong(line, error.what());
  }
  return pattern;
}

std::vector<Report> Patterns::read(std::string_view line) {
  ++lines_;
  std::vector<Report> reports;
  const std::string text(line.substr(0, kLongestLine));
  for (Pattern& pattern : patterns_) {
    std::smatch match;
    if (!std::regex_search(text, match, pattern.regex)) continue;
    const std::size_t group = match.size() > 1 ? 1 : 0;
    const std::string value = match[group].str();
    const auto begin = match[group].matched ? static_cast<std::size_t>(match.position(group)) : 0;
    reports.push_back(report(pattern, value, begin + 1));
    ++pattern.matches;
    // What the expression itself has around the group was seen by whoever wrote it.
    const std::size_t end = begin + value.size();
    const auto match_begin = static_cast<std::size_t>(match.position(0));
    const std::size_t match_end = match_begin + static_cast<std::size_t>(match.length(0));
    const bool cut = (end == match_end && goes_on(value, std::string_view(text).substr(end))) ||
                     (begin == match_begin && has_begun(text, begin));
    const bool of_version = pattern.phase.empty() && end < text.size() && text[end] == '.';
    if (!cut || of_version || !number_in_print(value)) continue;
    if (++pattern.cut == 1) {
      pattern.first_cut =
          fmt::format("`{}` of `{}` in line {}", value, word_around(text, begin, end), lines_);
    }
  }
  return reports;
}

std::vector<Report> Patterns::finish() const {
  std::vector<std::string> warnings, unmatched;
  for (const Pattern& pattern : patterns_) {
    if (pattern.matches == 0) unmatched.push_back(pattern.text.substr(0, pattern.text.find(" = ")));
    if (pattern.cut == 0) continue;
    warnings.push_back(fmt::format("pattern `{}` read a part of a number in {} of {} matches: {}",
                                   pattern.text, pattern.cut, pattern.matches, pattern.first_cut));
  }
  std::vector<Report> reports;
  if (!unmatched.empty()) {
    reports.push_back(FactReport{"patterns.unmatched", std::nullopt, join(unmatched, ", ")});
  }
  if (!warnings.empty()) reports.push_back(warning_of("patterns", join(warnings, "; ")));
  return reports;
}

Report Patterns::report(Pattern& pattern, const std::string& value, std::size_t column) {
  // An expression such as ([0-9.,]+) finds the end of a sentence too.
  const std::optional<double> number = number_in_print(
      std::string_view(value).substr(0, value.size() - (value.ends_with(',') ? 1 : 0)));
  if (pattern.phase.empty()) return FactReport{pattern.metric, number, number ? "" : value};
  const auto wrong_here = [&](const std::string& why) {
    return wrong(pattern.text, fmt::format("line {}, column {}: {}", lines_, column, why));
  };
  if (!number && has_decimal_comma(value)) {
    throw wrong_here(fmt::format(
        "it found `{}`, whose comma separates no thousands; expected a point for decimals", value));
  }
  if (!number) throw wrong_here(fmt::format("it found `{}`; expected a number", value));
  StepReport step;
  step.step = std::max(pattern.next_step, step_);
  step_ = step.step;
  pattern.next_step = step.step + 1;
  Sample& sample = step.samples.emplace_back();
  sample.phase = pattern.phase;
  sample.metric = pattern.metric;
  sample.value = *number * pattern.scale;
  if (const std::string mistake = mistake_in_sample(sample); !mistake.empty()) {
    throw wrong_here(mistake);
  }
  return step;
}

}  // namespace sweepd::command
