// A watched sweep as lines of text. Pure: the same state gives the same lines. progress_display.cpp
// writes them to the terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/units.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {

struct ProgressView {
  std::string name;
  std::int64_t total = 0, ended = 0;
  std::vector<std::pair<std::string_view, std::int64_t>>
      problems;  // outcomes other than done, not 0
  std::vector<RunningAttempt> running;
  std::vector<std::string> waiting;  // in clusters: waiting_lines (places_view.h)
  std::optional<Duration> left;
  bool paused = false;
};

ProgressView progress_view(const std::string& name, const rpc::Progress& progress);

enum class Colour { kNo, kYes };
struct Screen {
  std::size_t width = 80, height = 24;
  Colour colour = Colour::kNo;
};

// Lines for a terminal: a bar, then a line for each running attempt, as many as fit. No line is
// wider than the screen. `since` is the age of the state, which is added to the times of running
// attempts.
std::vector<std::string> live_lines(const ProgressView& view, const Screen& screen, Duration since);

// The line for a file: "lm: 34/70 ended, 2 oom, about 6m 20s left".
std::string plain_line(const ProgressView& view);

// The line for an attempt that ended other than done: "oom model=xl: out of memory ... (attempt
// 3f9c2a7b)".
std::string problem_line(const EndedAttempt& ended, Colour colour);

// The daemon's message if nothing can start, as a line.
std::string trouble_line(std::string_view trouble);

// The line for a sweep that was paused, or resumed.
enum class Pause { kBegins, kEnds };
std::string pause_line(std::string_view name, Pause pause);

// "! cuda:0 is paused: nothing new starts on it until sweepctl resume --device cuda:0"
std::string paused_devices_line(const std::vector<std::string>& devices);
std::string out_of_service_line(const rpc::OutOfServiceEntry& device);
// The changes: a line for each device that went out of service or is back.
std::vector<std::string> service_lines(const std::vector<rpc::OutOfServiceEntry>& before,
                                       const std::vector<rpc::OutOfServiceEntry>& now);

// Returns the number of columns on the screen; colours take none.
std::size_t visible_width(std::string_view text);
// Returns the first `width` columns of the text, not counting colours, with "…" if something was
// cut.
std::string cut_to(std::string_view text, std::size_t width);

// Erases lines of these widths, drawn above the cursor, from a screen that is now `width` wide. A
// line drawn on a wider screen has wrapped.
std::string erase_lines(const std::vector<std::size_t>& widths, std::size_t width);

}  // namespace sweepd
