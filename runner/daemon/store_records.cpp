// The dispatcher's half that stores what attempts left: at once, or as soon as the disk lets it.
#include <spdlog/spdlog.h>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/judge_attempt.h"
#include "runner/daemon/run.h"

namespace sweepd {

void Dispatcher::end_without_process(const OpenAttempt& attempt, Ending ending) {
  AttemptRecord record;
  record.row = attempt.row;
  record.ending = std::move(ending);
  record.ended = now_wall();
  store_record(attempt, std::move(record));
}

void Dispatcher::store_record(const OpenAttempt& attempt, AttemptRecord record) {
  // A rank sees the cores it is bound to; the host's own count is ours to tell.
  if (record.environment) record.environment->host = host_;
  record.judgement =
      judge_attempt(store_, attempt, record, static_cast<std::int64_t>(attempt.lease.ranks.size()));
  if (unstored_.empty() && try_store(attempt, record)) return;
  unstored_.emplace_back(attempt, std::move(record));
  pause_starts();
}

void Dispatcher::pause_starts() {
  starts_paused_ = true;
  retry_timer_.expires_after(std::chrono::nanoseconds(timing_.store_retry.ns));
  retry_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) resume_starts();
  });
}

void Dispatcher::resume_starts() {
  while (!unstored_.empty()) {
    const auto& [attempt, record] = unstored_.front();
    if (!try_store(attempt, record)) return pause_starts();
    unstored_.pop_front();
  }
  starts_paused_ = false;
  schedule_pump();
}

// Whoever watches must learn why nothing goes on.
void Dispatcher::set_trouble(std::string why) {
  if (why == trouble_) return;
  trouble_ = std::move(why);
  hooks_.changed();
}

bool Dispatcher::try_store(const OpenAttempt& attempt, const AttemptRecord& record) {
  const auto stored = store_.finish(record);
  if (!stored) {
    spdlog::error("cannot store attempt {}: {}; its files stay, trying again in {}", attempt.id,
                  stored.error().message, to_human(timing_.store_retry));
    set_trouble(stored.error().message);
    return false;
  }
  set_trouble("");
  if (!*stored) {
    spdlog::info("attempt {} was stored before", attempt.id);
    return true;
  }
  record_measured_peak(store_, attempt, record);
  const std::string why = describe(record.ending);
  spdlog::info("attempt {} ended: {}{}{}", attempt.id, name_of(outcome_of(record.ending)),
               why.empty() ? "" : ": ", why);
  hooks_.ended(
      {attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass, record.ending});
  return true;
}

}  // namespace sweepd
