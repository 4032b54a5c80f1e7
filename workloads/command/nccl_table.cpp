#include "workloads/command/nccl_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "workloads/command/format_parts.h"

namespace sweepd::command {
namespace {

constexpr std::string_view kNccl = "nccl-tests";

std::vector<std::string> nccl_words(std::string_view line) {
  std::vector<std::string> words;
  for (const std::string& word : split(line, ' ')) {
    if (!trim(word).empty()) words.emplace_back(trim(word));
  }
  return words;
}

bool is_time_column(const std::string& name) {
  return name == "time" || name == "cputime";
}

// size, count and type, then perhaps redop, perhaps root
constexpr bool is_front(std::size_t words) {
  return words >= 3 && words <= 5;
}

}  // namespace

bool NcclTable::takes_head(const std::vector<std::string>& words) {
  if (words.empty() || !words[0].starts_with('#')) return false;
  const auto first = std::ranges::find_if(words, is_time_column);
  if (first == words.end() || std::ranges::find(words, "size") == words.end()) return true;
  const auto second = std::find_if(first + 1, words.end(), is_time_column);
  if (second == words.end()) return true;
  half_.assign(first, second);
  constexpr std::size_t kDateAndTime = 2;
  words_behind_ = words.back() == "timestamp" ? kDateAndTime : 0;
  return true;
}

std::vector<Report> NcclTable::read(std::string_view line, std::int64_t number) {
  const std::vector<std::string> words = nccl_words(line);
  if (takes_head(words) || words.size() < 3 || !number_in(words[0]) || !number_in(words[1]) ||
      number_in(words[2])) {
    return {};
  }
  // A program may leave the columns out of place blank.
  const std::size_t figures = words.size() - std::min(words.size(), words_behind_);
  std::size_t halves = 2;
  while (halves > 0 &&
         (figures < halves * half_.size() || !is_front(figures - halves * half_.size())))
    --halves;
  if (halves == 0) {
    refuse_report(kNccl, fmt::format("line {}: a row of {} columns does not fit the head, which "
                                     "has twice `{}`",
                                     number, words.size(), join(half_, " ")));
  }
  std::vector<Sample> samples;
  for (std::size_t half = 0; half < halves; ++half) {
    const bool in_place = half + 1 == 2 || halves == 1;
    const std::string phase = in_place ? "in_place" : "step";
    const std::size_t begin = figures - (halves - half) * half_.size();
    for (std::size_t i = 0; i < half_.size(); ++i) {
      const std::string& name = half_[i];
      const auto value = number_in(words[begin + i]);
      if ((name == "#wrong" || name == "wrong") && value && *value > 0) {
        refuse_report(kNccl, fmt::format("line {}, column {}: {} wrong values of {} bytes, {}",
                                         number, begin + i + 1, words[begin + i], words[0],
                                         in_place ? "in place" : "out of place"));
      }
      const bool is_time = is_time_column(name);
      if (!is_time && name != "algbw" && name != "busbw") continue;
      if (!value) return {};
      samples.push_back(sample_of(phase, name == "cputime" ? "cpu_time" : name,
                                  is_time ? *value * 1e-3 : *value));
    }
  }
  return {step_of(next_step_++, std::move(samples))};
}

}  // namespace sweepd::command
