#include "runner/client/watch/progress_display.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "runner/base/say.h"

namespace sweepd {
namespace {

constexpr Duration kRedraw = milliseconds(250);
constexpr Duration kPlainLines = seconds(1);

bool is_live_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::strcmp(term, "dumb") != 0;
}

Screen screen_now() {
  Screen screen;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    screen.width = size.ws_col;
    if (size.ws_row > 0) screen.height = size.ws_row;
  }
  const char* none = std::getenv("NO_COLOR");  // no-color.org: set and not empty
  screen.colour = none != nullptr && *none != '\0' ? Colour::kNo : Colour::kYes;
  return screen;
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::string name)
    : name_(std::move(name)), live_(is_live_terminal()) {}

void ProgressDisplay::update(const rpc::Progress& progress) {
  view_ = progress_view(name_, progress);
  received_ = now_instant();
  for (const EndedAttempt& ended : progress.ended) {
    if (ended.outcome == Outcome::kDone) continue;
    // The next daemon's first news begin with problems of before.
    if (known_.insert(ended.id).second) problems_.push_back(ended);
  }
  if (progress.trouble != trouble_) {
    note(progress.trouble.empty() ? "attempts start again" : trouble_line(progress.trouble));
  }
  trouble_ = progress.trouble;
  if (progress.paused != paused_ && !progress.over) {
    note(pause_line(name_, progress.paused ? Pause::kBegins : Pause::kEnds));
  }
  paused_ = progress.paused;
  if (progress.paused_devices != paused_devices_ && !progress.over) {
    note(progress.paused_devices.empty() ? "all devices are in use again"
                                         : paused_devices_line(progress.paused_devices));
  }
  paused_devices_ = progress.paused_devices;
  if (!progress.over) {
    for (std::string& line : service_lines(out_of_service_, progress.out_of_service)) {
      note(std::move(line));
    }
    out_of_service_ = progress.out_of_service;
  }
  changed_ = true;
}

void ProgressDisplay::note(std::string line) {
  notes_.push_back(std::move(line));
  changed_ = true;
}

void ProgressDisplay::draw(Urgency urgency) {
  const Instant now = now_instant();
  const Duration pause = live_ ? kRedraw : kPlainLines;
  if (urgency == Urgency::kWhenDue && (!view_ || (drawn_ && now - *drawn_ < pause))) return;
  live_ ? draw_live(now) : draw_plain();
  std::fflush(stderr);
  drawn_ = now;
  changed_ = false;
}

void ProgressDisplay::leave() {
  if (view_) {
    view_->running.clear();
    view_->waiting.clear();
  }
  draw(Urgency::kNow);
}

Duration ProgressDisplay::pause() const {
  return changed_ || !live_ ? kRedraw : seconds(1);
}

std::string ProgressDisplay::take_news(Colour colour) {
  std::string lines;
  for (const EndedAttempt& problem : problems_) lines += problem_line(problem, colour) + "\n";
  for (const std::string& note : notes_) lines += printable(note) + "\n";
  problems_.clear();
  notes_.clear();
  return lines;
}

// One write, so that the terminal shows all of it at once. Foreign text in a line is printable
// (progress_view.h); the colours are not.
void ProgressDisplay::draw_live(Instant now) {
  const Screen screen = screen_now();
  std::string out = erase_lines(widths_, screen.width) + take_news(screen.colour);
  widths_.clear();
  if (view_) {
    for (const std::string& line : live_lines(*view_, screen, now - received_)) {
      out += line + "\n";
      widths_.push_back(visible_width(line));
    }
  }
  print_exactly(stderr, out);
}

void ProgressDisplay::draw_plain() {
  print_exactly(stderr, take_news(Colour::kNo));
  if (!view_) return;
  // The time left changes constantly, so a change of it alone is not printed.
  ProgressView counts = *view_;
  counts.left.reset();
  const std::string key = plain_line(counts);
  if (key != said_) say(stderr, "{}\n", plain_line(*view_));
  said_ = key;
}

}  // namespace sweepd
