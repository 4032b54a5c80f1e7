// Draws the progress of watched sweeps on stderr. On a terminal it redraws a few lines; elsewhere
// (and if TERM is dumb) it prints a plain line per change, at most one a second.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "runner/base/clock.h"
#include "runner/client/watch/progress_view.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {

class ProgressDisplay {
 public:
  // `name` is the watched sweep or study.
  explicit ProgressDisplay(std::string name);
  void name_if_none(const std::string& name) {
    if (name_.empty()) name_ = name;
  }

  void update(const rpc::Progress& progress);
  // Prints a line above the progress the next time it draws.
  void note(std::string line);
  // Draws if the pause is over, or at once with kNow.
  enum class Urgency { kWhenDue, kNow };
  void draw(Urgency urgency);
  // Leaves the last state on the screen, without the attempts that ran.
  void leave();
  // How long nothing needs to be drawn.
  Duration pause() const;

 private:
  void draw_live(Instant now);
  void draw_plain();
  std::string take_news(Colour colour);  // lines above the progress, once

  std::string name_;
  bool live_;
  std::optional<ProgressView> view_;
  Instant received_;
  std::unordered_set<std::string> known_;  // attempts whose problems were news once
  std::vector<EndedAttempt> problems_;     // not printed yet
  std::vector<std::string> notes_;         // not printed yet
  std::string trouble_;
  bool paused_ = false;
  std::vector<std::string> paused_devices_;
  std::vector<rpc::OutOfServiceEntry> out_of_service_;
  std::vector<std::size_t> widths_;
  std::optional<Instant> drawn_;
  std::string said_;
  bool changed_ = false;
};

}  // namespace sweepd
