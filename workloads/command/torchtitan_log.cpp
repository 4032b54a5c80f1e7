#include "workloads/command/torchtitan_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

std::optional<std::int64_t> whole_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && stop == text.data() + text.size();
  return is_whole && value >= 0 ? std::optional(value) : std::nullopt;
}

// Reads "2025-06-16 22:30:50,322" at the text's begin, as ms of some epoch.
std::optional<std::int64_t> stamp_at(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00 00:00:00,000";
  if (text.size() < kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !is_digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto part = [&](std::size_t begin, std::size_t size) {
    return static_cast<int>(whole_in(text.substr(begin, size)).value_or(0));
  };
  const std::chrono::year_month_day day{std::chrono::year(part(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(part(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(part(8, 2)))};
  if (!day.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + part(11, 2)) * 60 + part(14, 2)) * 60 + part(17, 2)) * 1000 + part(20, 3);
}

std::optional<std::int64_t> stamp_in(std::string_view text) {
  constexpr std::size_t kYear = 4;  // before the first dash
  for (std::size_t at = text.find('-'); at != std::string_view::npos; at = text.find('-', at + 1)) {
    if (at < kYear) continue;
    if (const auto stamp = stamp_at(text.substr(at - kYear))) return stamp;
  }
  return std::nullopt;
}

// "52.28%"
std::optional<double> share_in(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  const auto percent = number_in(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

}  // namespace

void TorchtitanLog::add_value(const std::string& phase, const std::string& name,
                              std::string_view value, std::vector<Sample>& samples) {
  const std::string metric =
      name == "tps" || name == "wps" ? "tokens_per_second" : plain_name(name, "_");
  constexpr std::string_view kGib = "GiB";
  if (const std::size_t unit = value.find(kGib); unit != std::string_view::npos) {
    constexpr double kBytes = 0x1p30;
    if (const auto gib = number_in_print(value.substr(0, unit))) {
      samples.push_back(sample_of(phase, metric + "_bytes", *gib * kBytes));
    }
    std::string_view share = value.substr(unit + kGib.size());
    if (share.starts_with('(') && share.ends_with(')')) {
      share = share.substr(1, share.size() - 2);
      if (const auto found = share_in(share)) {
        samples.push_back(sample_of(phase, metric + "_share", *found));
      }
    }
  } else if (const auto share = share_in(value)) {
    samples.push_back(sample_of(phase, metric + "_share", *share));
  } else if (const auto number = number_in_print(value)) {
    samples.push_back(sample_of(phase, metric, *number));
  } else if (++omitted_values_ == 1) {
    first_omission_ = fmt::format("{}: {}", name, value.substr(0, 40));
  }
}

std::optional<double> TorchtitanLog::time_since_last(const Place& now) const {
  if (!last_ || now.step <= last_->step || now.at_ms < last_->at_ms) return std::nullopt;
  return static_cast<double>(now.at_ms - last_->at_ms) /
         static_cast<double>(now.step - last_->step);
}

std::vector<Report> TorchtitanLog::read(std::string_view line) {
  constexpr std::string_view kStep = "step:";
  const std::string plain = without_colours(line);
  const std::size_t at = plain.find(kStep);
  if (at == std::string::npos) return {};
  const std::string_view before = trim(std::string_view(plain).substr(0, at));
  const std::vector<std::string> words =
      words_in(std::string_view(plain).substr(at + kStep.size()));
  if (words.size() < 3 || words[1] != "loss:") return {};
  const auto number = whole_in(words[0]);
  if (!number) return {};
  if (!first_number_) first_number_ = std::min<std::int64_t>(*number, 1);
  const std::int64_t step = std::max<std::int64_t>(*number - *first_number_, 0);
  const bool is_validation = before.ends_with("validate");
  const std::string phase = is_validation ? "validate" : "step";
  const auto [last_step, is_first] = last_steps_.emplace(phase, -1);
  if (step <= last_step->second) {
    ++repeated_lines_;
    return {};
  }
  last_step->second = step;
  std::vector<Sample> samples;
  if (const auto stamp = stamp_in(before)) {
    const Place now{step, *stamp};
    const auto time = is_validation ? std::nullopt : time_since_last(now);
    if (time) samples.push_back(sample_of(phase, "time", *time));
    last_ = now;
  }
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    if (!words[i].ends_with(':')) break;
    add_value(phase, words[i].substr(0, words[i].size() - 1), words[i + 1], samples);
  }
  if (samples.empty()) return {};
  StepReport report = step_of(step, std::move(samples));
  report.warmup = std::nullopt;  // the trial says it
  return {std::move(report)};
}

std::vector<Report> TorchtitanLog::facts() const {
  std::vector<std::string> parts;
  if (repeated_lines_ > 0) {
    parts.push_back(
        fmt::format("{} of steps that were there already, as of other ranks",
                    repeated_lines_ == 1 ? "1 line" : fmt::format("{} lines", repeated_lines_)));
  }
  if (omitted_values_ > 0) {
    parts.push_back(fmt::format("{} no number: the first is `{}`",
                                omitted_values_ == 1
                                    ? "1 value that is"
                                    : fmt::format("{} values that are", omitted_values_),
                                first_omission_));
  }
  if (parts.empty()) return {};
  return {FactReport{"torchtitan.omitted", std::nullopt, join(parts, "; ")}};
}

}  // namespace sweepd::command
