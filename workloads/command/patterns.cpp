// A false alarm of GCC 12 about std::regex with sanitizers (GCC bug 105562), in its own headers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "workloads/command/patterns.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <stdexcept>

#include "runner/base/text.h"

namespace sweepd::command {
namespace {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

double milliseconds_in(std::string_view unit) {
  static const std::map<std::string_view, double> units{
      {"ns", 1e-6}, {"us", 1e-3}, {"ms", 1}, {"s", 1e3}};
  const auto found = units.find(unit);
  if (found == units.end()) {
    throw std::invalid_argument(fmt::format("unit `{}`; expected ns, us, ms or s", unit));
  }
  return found->second;
}

std::invalid_argument wrong(std::string_view line, std::string_view why) {
  return std::invalid_argument(fmt::format("patterns: `{}`: {}", line, why));
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
  std::string_view name = trim(line.substr(0, equal));
  Pattern pattern;
  pattern.text = line;
  try {
    constexpr std::string_view kFact = "fact.";
    if (name.starts_with(kFact)) {
      pattern.metric = name.substr(kFact.size());
      if (pattern.metric.empty()) throw std::invalid_argument("the fact has no name");
    } else {
      const std::size_t colon = name.find(':');
      if (colon != std::string_view::npos) {
        pattern.scale = milliseconds_in(name.substr(colon + 1));
        name = name.substr(0, colon);
      }
      const std::size_t dot = name.find('.');
      pattern.metric = name.substr(0, dot);
      pattern.phase = dot == std::string_view::npos ? "step" : name.substr(dot + 1);
      for (const std::string& mistake :
           {mistake_in_metric(pattern.metric), mistake_in_phase(pattern.phase)}) {
        if (!mistake.empty()) throw std::invalid_argument(mistake);
      }
      if (colon != std::string_view::npos && unit_of_metric(pattern.metric) != "ms") {
        throw std::invalid_argument(
            fmt::format("`{}` is no time, so its unit is not converted: declare it under `metrics`",
                        pattern.metric));
      }
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
  std::vector<Report> reports;
  const std::string text(line.substr(0, kLongestLine));
  for (Pattern& pattern : patterns_) {
    std::smatch match;
    if (!std::regex_search(text, match, pattern.regex)) continue;
    reports.push_back(report(pattern, match.size() > 1 ? match[1].str() : match[0].str()));
  }
  return reports;
}

Report Patterns::report(Pattern& pattern, const std::string& value) {
  const std::optional<double> number = parse_number(value);
  if (pattern.phase.empty()) return FactReport{pattern.metric, number, number ? "" : value};
  if (!number) {
    throw wrong(pattern.text, fmt::format("it found `{}`; expected a number", value));
  }
  StepReport step;
  step.step = pattern.next_step++;
  Sample& sample = step.samples.emplace_back();
  sample.phase = pattern.phase;
  sample.metric = pattern.metric;
  sample.value = *number * pattern.scale;
  if (const std::string mistake = mistake_in_sample(sample); !mistake.empty()) {
    throw wrong(pattern.text, mistake);
  }
  return step;
}

}  // namespace sweepd::command
