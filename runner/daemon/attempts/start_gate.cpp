#include "runner/daemon/attempts/start_gate.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <utility>

namespace sweepd {
namespace {

// A gang with more processes than the machine allows, or a journal larger than the disk.
constexpr int kMaxFailedStarts = 5;

}  // namespace

void StartGate::close_for(Duration pause) {
  closed_ = true;
  timer_.expires_after(std::chrono::nanoseconds(pause.ns));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) try_again_();
  });
}

void StartGate::close_because(const std::string& why) {
  const Duration pause = backoff_.next();
  spdlog::error("attempts cannot start: {}; trying again in {}", why, to_human(pause));
  set_trouble("attempts cannot start: " + why);
  close_for(pause);
}

void StartGate::end_trouble() {
  if (!trouble_.empty()) spdlog::info("attempts start again");
  set_trouble("");
}

bool StartGate::gives_up_on(std::int64_t row) {
  if (++failed_starts_[row] < kMaxFailedStarts) return false;
  failed_starts_.erase(row);
  return true;
}

void StartGate::has_measured(std::int64_t row) {
  backoff_.reset();
  failed_starts_.erase(row);
}

void StartGate::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  changed_();
}

}  // namespace sweepd
