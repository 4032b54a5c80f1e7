// The part of the dispatcher that stores results, at once or as soon as the disk permits.
#include <spdlog/spdlog.h>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/judge_attempt.h"
#include "runner/daemon/run.h"

namespace sweepd {

void Dispatcher::end_without_process(const OpenAttempt& attempt, Ending ending) {
  const auto record = std::make_shared<AttemptRecord>();
  record->row = attempt.row;
  record->ending = std::move(ending);
  record->ended = now_wall();
  store_record(attempt, record);
}

void Dispatcher::store_record(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record) {
  // A rank sees only the cores that it is bound to, so the daemon's own count of the host is
  // stored.
  if (record->environment) record->environment->host = host_;
  unstored_.push_back(std::make_shared<Unstored>(Unstored{attempt, std::move(record)}));
  if (!store_failed_) store_next();  // else the timer tries again
}

// Many samples are stored before the rest, in slices between which other writes can run.
void Dispatcher::store_next() {
  if (storing_ || unstored_.empty()) return;
  storing_ = true;
  const std::shared_ptr<Unstored> first = unstored_.front();
  const auto store_samples = [first](Store& store) -> Result<bool> {
    const auto stored = store.store_samples(*first->record, first->samples_stored);
    if (!stored) return stored.error();
    return std::exchange(first->samples_stored, *stored) < *stored;
  };
  const auto store_rest = [first](Store& store) {
    const OpenAttempt& attempt = first->attempt;
    AttemptRecord& record = *first->record;
    const auto world_size = static_cast<std::int64_t>(attempt.lease.ranks.size());
    if (!std::exchange(first->judged, true)) {
      record.judgement = judge_attempt(attempt, record, world_size);
    }
    auto stored = store.finish(record, first->samples_stored);
    if (stored && *stored) record_measured_peak(store, attempt, record);
    return stored;
  };
  const auto done = [this](const Result<bool>& result) {
    storing_ = false;
    stored(result);
  };
  if (first->record->samples.size() - first->samples_stored <= Store::kSampleSlice) {
    return writer_.run(store_rest, done);
  }
  writer_.run(store_samples, [this, store_rest, done](const Result<bool>& more) {
    if (!more) return done(more);
    if (!*more) return writer_.run(store_rest, done);
    storing_ = false;
    store_next();
  });
}

void Dispatcher::stored(const Result<bool>& result) {
  const Unstored& first = *unstored_.front();
  const OpenAttempt& attempt = first.attempt;
  scheduler_.finished(attempt.row);
  schedule_pump();
  if (!result) {
    spdlog::error("cannot store attempt {}: {}; its files are kept, trying again in {}", attempt.id,
                  result.error().message, to_human(timing_.store_retry));
    set_trouble(trouble_, "results cannot be stored: " + result.error().message);
    store_failed_ = true;
    return pause_starts(timing_.store_retry);
  }
  set_trouble(trouble_, "");
  if (*result) {
    const Ending& ending = first.record->ending;
    const std::string why = describe(ending);
    spdlog::info("attempt {} ended: {}{}{}", attempt.id, name_of(outcome_of(ending)),
                 why.empty() ? "" : ": ", why);
    hooks_.ended({attempt.id, attempt.trial_key, label_of_attempt(attempt), attempt.pass, ending});
  } else {
    spdlog::info("attempt {} was stored before", attempt.id);
  }
  journals_.let_go(std::move(unstored_.front()));
  unstored_.pop_front();
  if (unstored_.empty() && std::exchange(store_failed_, false)) resume_starts();
  store_next();
}

void Dispatcher::pause_starts(Duration pause) {
  starts_paused_ = true;
  retry_timer_.expires_after(std::chrono::nanoseconds(pause.ns));
  retry_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) resume_starts();
  });
}

// Watchers must learn why nothing continues.
void Dispatcher::set_trouble(std::string& trouble, std::string why) {
  if (why == trouble) return;
  trouble = std::move(why);
  hooks_.changed();
}

}  // namespace sweepd
