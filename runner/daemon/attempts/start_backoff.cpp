#include "runner/daemon/attempts/start_backoff.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace sweepd {
namespace {

// A gang with more processes than the machine allows, or a journal larger than the disk.
constexpr int kMaxFailedStarts = 5;

}  // namespace

void StartBackoff::close_for(Duration pause) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(pause.ns);
  if (pauses_until(until)) return;
  closed_ = true;
  ended_in_this_pause_ = false;
  timer_.expires_after(std::chrono::nanoseconds(pause.ns));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) try_again_();
  });
}

bool StartBackoff::pauses_until(std::chrono::steady_clock::time_point when) const {
  return closed_ && timer_.expiry() > when;
}

void StartBackoff::pause_because(const std::string& why, Duration pause) {
  spdlog::error("attempts cannot start: {}; trying again in {}", why, to_human(pause));
  set_trouble("attempts cannot start: " + why);
  close_for(pause);
}

void StartBackoff::close_because(const std::string& why) {
  if (pauses_until(std::chrono::steady_clock::now())) {
    return set_trouble("attempts cannot start: " + why);
  }
  pause_because(why, backoff_.next());
}

void StartBackoff::close_after_end(const std::string& why) {
  if (ended_in_this_pause_ && pauses_until(std::chrono::steady_clock::now())) return;
  pause_because(why, lasting_.next());
  ended_in_this_pause_ = true;
}

void StartBackoff::end_trouble() {
  if (!trouble_.empty()) spdlog::info("attempts start again");
  set_trouble("");
}

bool StartBackoff::gives_up_on(std::int64_t row) {
  if (++failed_starts_[row] < kMaxFailedStarts) return false;
  failed_starts_.erase(row);
  return true;
}

void StartBackoff::has_measured(std::int64_t row) {
  backoff_.reset();
  lasting_.reset();
  failed_starts_.erase(row);
}

void StartBackoff::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  changed_();
}

}  // namespace sweepd
