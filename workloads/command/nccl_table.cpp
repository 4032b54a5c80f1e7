#include "workloads/command/nccl_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

constexpr std::string_view kNccl = "nccl-tests";

bool is_time_column(const std::string& name) {
  return name == "time" || name == "cputime";
}

// size, count and type, then perhaps redop, perhaps root
constexpr bool is_front(std::size_t words) {
  return words >= 3 && words <= 5;
}

bool is_whole(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_nccl_type(std::string_view word) {
  constexpr std::array<std::string_view, 16> kTypes{
      "int8", "uint8", "char",   "int",      "int32",  "uint32", "int64",    "uint64",
      "half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"};
  return std::ranges::find(kTypes, word) != kTypes.end();
}

// The name of a column's metric and what its figures are multiplied by; "" if it is not kept.
std::pair<std::string, double> metric_of_column(const std::string& name) {
  constexpr double kToMs = 1e-3, kToShare = 1e-2;
  if (name == "time") return {"time", kToMs};
  if (name == "cputime") return {"cpu_time", kToMs};
  if (name == "algbw" || name == "busbw") return {name, 1};
  if (name == "i_cv%") return {"i_cv_share", kToShare};
  if (name.starts_with("i_")) return {plain_name(name, "_") + "_time", kToMs};
  return {"", 0};
}

// Where the line may begin behind a label.
std::vector<std::size_t> begins_of(std::string_view line) {
  constexpr std::size_t kLongestLabel = 160;
  std::vector<std::size_t> begins{0};
  for (std::size_t at = 0; at < std::min(line.size(), kLongestLabel); ++at) {
    if (std::string_view(":]>|").find(line[at]) != std::string_view::npos) begins.push_back(at + 1);
  }
  return begins;
}

// The word behind `name`.
std::string word_behind(const std::vector<std::string>& words, std::string_view name) {
  const auto found = std::ranges::find(words, name);
  return found == words.end() || found + 1 == words.end() ? "" : *(found + 1);
}

// The words for no reduction and no root.
bool is_none(std::string_view word) {
  return word.empty() || word == "none" || word == "-1";
}

}  // namespace

void NcclTable::takes_head(const Words& words) {
  const auto first = std::ranges::find_if(words, is_time_column);
  if (first == words.end() || std::ranges::find(words, "size") == words.end()) return;
  const auto second = std::find_if(first + 1, words.end(), is_time_column);
  if (second == words.end()) return;
  half_.assign(first, second);
  constexpr std::size_t kDateAndTime = 2;
  words_behind_ = words.back() == "timestamp" ? kDateAndTime : 0;
  has_head_ = true;
}

bool NcclTable::takes_comment(const Words& words, std::int64_t number) {
  if (words.empty() || !words[0].starts_with('#')) return false;
  takes_head(words);
  const std::string least = word_behind(words, "minBytes"), most = word_behind(words, "maxBytes");
  if (!least.empty() && !most.empty()) several_sizes_ = least != most;
  if (const std::string program = word_behind(words, "starting:"); !program.empty()) {
    program_ = program;
  }
  if (const std::string wrong = word_behind(words, ":");
      word_behind(words, "bounds") == "values" && words.back() == "FAILED") {
    refuse_report(kNccl, fmt::format("line {}: its check found {} wrong values", number, wrong));
  }
  return true;
}

bool NcclTable::is_row(const Words& words) const {
  return words.size() > 3 && is_whole(words[0]) && is_whole(words[1]) && !number_in(words[2]) &&
         (has_head_ || is_nccl_type(words[2]));
}

std::vector<Report> NcclTable::read(std::string_view line, std::int64_t number) {
  constexpr std::size_t kLongest = 4096;  // each place where a label may end is tried
  const std::string plain = without_colours(line.substr(0, kLongest));
  for (const std::size_t begin : begins_of(plain)) {
    const Words words = words_in(std::string_view(plain).substr(begin));
    if (takes_comment(words, number)) return {};
    if (is_row(words)) return row(words, number);
  }
  return {};
}

std::string NcclTable::difference_from_first(const Words& words, std::size_t front) {
  Words test{program_};
  test.insert(test.end(), words.begin() + 2, words.begin() + static_cast<std::ptrdiff_t>(front));
  constexpr std::size_t kRoot = 3, kAll = 4;  // of program, type, redop and root
  test.resize(kAll);
  if (first_.empty()) first_ = test;
  Words parts;
  for (std::size_t i = 0; i < kAll; ++i) {
    if (test[i] == first_[i] || is_none(test[i])) continue;
    std::string part = test[i];
    if (i == 0 && part.ends_with("_perf")) part.resize(part.size() - 5);
    // Together no longer than a phase's name may be.
    constexpr std::array<std::size_t, kAll> kLongest{14, 8, 8, 6};
    parts.push_back((i == kRoot ? "root_" : "") + plain_name(part, "_").substr(0, kLongest[i]));
  }
  if (parts.empty() && test != first_) parts.emplace_back("none");
  return join(parts, ".");
}

std::vector<Report> NcclTable::row(const Words& words, std::int64_t number) {
  // A program may leave the columns out of place blank.
  const std::size_t figures = words.size() - std::min(words.size(), words_behind_);
  std::size_t halves = 2;
  while (halves > 0 &&
         (figures < halves * half_.size() || !is_front(figures - halves * half_.size())))
    --halves;
  if (halves == 0) {
    if (!is_nccl_type(words[2])) return {};  // a line of something else
    refuse_report(kNccl, fmt::format("line {}: a row of {} columns does not fit the head, which "
                                     "has twice `{}`",
                                     number, words.size(), join(half_, " ")));
  }
  const std::size_t front = figures - halves * half_.size();
  std::string test = difference_from_first(words, front);
  if (several_sizes_) test += (test.empty() ? "" : ".") + words[0].substr(0, 19);
  std::vector<Sample> all;
  for (std::size_t i = 0; i < halves; ++i) {
    const Half half{front + i * half_.size(), i + 1 == 2 || halves == 1};
    const std::string phase =
        !half.in_place || several_sizes_ ? test : test + (test.empty() ? "" : ".") + "in_place";
    std::vector<Sample> found = samples(words, half, phase.empty() ? "step" : phase, number);
    if (found.empty()) {
      ++omitted_halves_;
      if (first_omission_.empty()) {
        first_omission_ =
            fmt::format("line {}, {}", number, half.in_place ? "in place" : "out of place");
      }
    }
    std::ranges::move(found, std::back_inserter(all));
  }
  if (all.empty()) return {};
  const std::string phase = all[0].phase;
  all.push_back(sample_of(phase, "size_bytes", number_in(words[0]).value_or(0)));
  return {step_of(next_steps_[test]++, std::move(all))};
}

// None if a figure is missing, as in "N/A N/A N/A N/A".
std::vector<Sample> NcclTable::samples(const Words& words, const Half& half,
                                       const std::string& phase, std::int64_t number) {
  std::vector<Sample> found;
  bool missing = false;
  for (std::size_t i = 0; i < half_.size(); ++i) {
    const std::string& name = half_[i];
    const std::string& word = words[half.begin + i];
    const auto value = number_in(word);
    if ((name == "#wrong" || name == "wrong") && value && *value > 0) {
      refuse_report(kNccl, fmt::format("line {}, column {}: {} wrong values of {} bytes, {}",
                                       number, half.begin + i + 1, word, words[0],
                                       half.in_place ? "in place" : "out of place"));
    }
    const auto [metric, scale] = metric_of_column(name);
    if (metric.empty()) continue;
    missing |= !value;
    if (!value) continue;
    const bool is_prefixed = half.in_place && several_sizes_;
    found.push_back(sample_of(phase, (is_prefixed ? "in_place_" : "") + metric, *value * scale));
  }
  return missing ? std::vector<Sample>() : found;
}

std::vector<Report> NcclTable::facts() const {
  std::vector<Report> facts;
  Words test;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    if (!is_none(first_[i])) test.push_back((i == 3 ? "root " : "") + first_[i]);
  }
  if (!test.empty()) facts.emplace_back(FactReport{"nccl.test", std::nullopt, join(test, ", ")});
  if (omitted_halves_ > 0) {
    facts.emplace_back(FactReport{
        "nccl.omitted", std::nullopt,
        fmt::format("{} {} without figures: the first is {}", omitted_halves_,
                    omitted_halves_ == 1 ? "half row is" : "half rows are", first_omission_)});
  }
  return facts;
}

}  // namespace sweepd::command
