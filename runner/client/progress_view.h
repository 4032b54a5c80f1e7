// A watched sweep as lines of text. Pure: the same state gives the same lines; watching.cpp does
// the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/units.h"

namespace sweepd {

struct RunningView {
  std::string label, pass, phase;
  Duration elapsed{0};
  std::int64_t step = -1;  // -1: before the first
};

struct ProgressView {
  std::string name;
  std::int64_t total = 0, ended = 0;
  std::vector<std::pair<std::string, std::int64_t>> problems;  // outcomes other than done, not 0
  std::vector<RunningView> running;
  std::optional<Duration> left;
};

// The `params` of a `progress` notification (docs/PROTOCOL.md).
ProgressView progress_view(const std::string& name, const nlohmann::json& params);

enum class Colour { kNo, kYes };
struct Screen {
  std::size_t width = 80, height = 24;
  Colour colour = Colour::kNo;
};

// For a terminal: a bar, then a line for each running attempt, as many as fit. No line is wider
// than the screen. `since`: how long ago the state was true; running attempts are older by that.
std::vector<std::string> live_lines(const ProgressView& view, const Screen& screen, Duration since);

// For a file: "lm: 34/70 ended, 2 oom, about 6m 20s left".
std::string plain_line(const ProgressView& view);

// Of an attempt that ended other than done: "oom model=xl: out of memory ... (attempt 3f9c2a7b)".
std::string problem_line(const nlohmann::json& ended, Colour colour);

// What the daemon says when nothing can start, as a line.
std::string trouble_line(std::string_view trouble);

// Columns on the screen; colours take none.
std::size_t visible_width(std::string_view text);
// The first `width` columns of the text, colours not counted; "…" where something was cut.
std::string cut_to(std::string_view text, std::size_t width);

// Takes lines of these widths, drawn above the cursor, off a screen that is `width` wide now: a
// line that was drawn on a wider one has wrapped.
std::string erase_lines(const std::vector<std::size_t>& widths, std::size_t width);

}  // namespace sweepd
