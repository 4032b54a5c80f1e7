#include "workloads/command/format_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "runner/model/attempt/attempt_record.h"

namespace sweepd::command {

std::optional<double> number_in(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
  if (plus) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end && !text.empty() ? std::optional(value) : std::nullopt;
}

namespace {

std::size_t digits_at(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  return end - std::min(at, end);
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

constexpr char kEscapeByte = '\x1b';

// How long the command is that begins with the escape at the text's begin.
std::size_t command_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {  // until a letter or one of @[\]^_`{|}~
    const auto end =
        std::find_if(text.begin() + 2, text.end(), [](char c) { return c >= '@' && c <= '~'; });
    return static_cast<std::size_t>(end - text.begin()) + (end == text.end() ? 0 : 1);
  }
  if (text[1] == ']') {  // a title or a link, until a bell or another escape with a backslash
    const std::size_t end = text.find_first_of("\a\x1b", 2);
    if (end == std::string_view::npos) return text.size();
    return text[end] == '\a' ? end + 1 : std::min(end + 2, text.size());
  }
  return 2;
}

}  // namespace

std::optional<double> number_in_print(std::string_view text) {
  if (const auto number = number_in(text)) return number;
  const std::string_view digits = without_sign(text);
  const std::size_t first = digits_at(digits, 0);
  if (first < 1 || first > 3 || digits[0] == '0') return std::nullopt;
  std::size_t at = first;
  while (at < digits.size() && digits[at] == ',') {
    if (digits_at(digits, at + 1) != 3) return std::nullopt;
    at += 4;
  }
  if (digits.find(',', at) != std::string_view::npos) return std::nullopt;
  std::string plain(text);
  std::erase(plain, ',');
  return number_in(plain);
}

bool has_decimal_comma(std::string_view text) {
  const std::string_view digits = without_sign(text);
  const std::size_t comma = digits.find(',');
  if (comma == std::string_view::npos || comma == 0 || number_in_print(text)) return false;
  const std::size_t behind = digits_at(digits, comma + 1);
  return digits.find_first_not_of("0123456789.") == comma && behind > 0 &&
         comma + 1 + behind == digits.size();
}

std::optional<std::int64_t> step_number(double value) {
  constexpr double kMost = 0x1p53;
  const bool is_one = value >= 0 && value <= kMost && value == std::floor(value);
  return is_one ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

void refuse_report(std::string_view format, std::string_view why) {
  throw std::runtime_error(fmt::format("reports: {}: {}", format, why));
}

std::string plain_name(std::string_view text, std::string_view also) {
  std::string name;
  for (const char c : text) {
    const char small = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool fits = (small >= 'a' && small <= 'z') || (small >= '0' && small <= '9') ||
                      also.find(small) != std::string_view::npos;
    name += fits ? small : '_';
  }
  return name.substr(0, 64);
}

Sample sample_of(std::string phase, std::string metric, double value) {
  Sample made;
  made.phase = std::move(phase);
  made.metric = std::move(metric);
  made.value = value;
  return made;
}

StepReport step_of(std::int64_t number, std::vector<Sample> samples) {
  StepReport report;
  report.step = number;
  report.warmup = false;
  report.samples = std::move(samples);
  return report;
}

StepReport once_of(std::vector<Sample> samples) {
  StepReport report = step_of(0, std::move(samples));
  report.once = true;
  return report;
}

FactReport warning_of(std::string_view name, std::string text) {
  return {fmt::format("{}{}", kWarningFact, name), std::nullopt, std::move(text)};
}

std::vector<Report> checked_reports(std::string_view format, std::vector<Report> reports) {
  for (const Report& report : reports) {
    const auto* step = std::get_if<StepReport>(&report);
    if (step == nullptr) continue;
    for (const Sample& sample : step->samples) {
      const std::string mistake = mistake_in_sample(sample);
      if (!mistake.empty()) refuse_report(format, mistake);
    }
  }
  return reports;
}

std::string without_colours(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == kEscapeByte) {
      at += command_length(line.substr(at));
    } else {
      plain += line[at++];
    }
  }
  return plain;
}

std::vector<std::string> words_in(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.emplace_back(line.substr(begin, at - begin));
  }
  return words;
}

}  // namespace sweepd::command
