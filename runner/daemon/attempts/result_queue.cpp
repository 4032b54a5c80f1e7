#include "runner/daemon/attempts/result_queue.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "runner/daemon/attempts/judge_attempt.h"
#include "runner/wire/outcome_file.h"

namespace sweepd {

namespace {

// It is needed only after the loss of the database.
void write_ending(const AttemptFolder& folder, const SavedOutcome& as) {
  std::error_code none;
  if (!std::filesystem::is_directory(folder.path(), none)) return;
  const auto kept = write_outcome(folder.outcome(), as);
  if (!kept) spdlog::warn("{}", kept.error().message);
}

// A shared folder may not answer for hours, and other work must not wait for it.
void keep_ending(const AttemptFolder& folder, const AttemptRecord& record, PoolFolder* files) {
  if (outcome_of(record.ending) == Outcome::kDone) return;
  const SavedOutcome as{record.ending, record.ended};
  if (files == nullptr) return write_ending(folder, as);
  files->post([folder, as] { write_ending(folder, as); });
}

}  // namespace

void ResultQueue::add(const OpenAttempt& attempt, std::shared_ptr<AttemptRecord> record,
                      AttemptFolder folder, PoolFolder* files) {
  unstored_.push_back(
      std::make_shared<Unstored>(Unstored{attempt, std::move(record), std::move(folder), files}));
  if (!refused_) store_next();
}

bool ResultQueue::holds(const std::unordered_set<TrialKey>& trials) const {
  return std::ranges::any_of(
      unstored_, [&](const auto& one) { return trials.contains(one->attempt.trial_key); });
}

// Many samples are stored before the rest, in slices between which other writes can run.
void ResultQueue::store_next() {
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
      record.judgement = judge_attempt(store, attempt, record, world_size);
      keep_ending(first->folder, record, first->files);
    }
    auto stored = store.finish(record, first->samples_stored);
    if (stored && *stored) record_measured_peak(store, attempt, record);
    return stored;
  };
  const auto done = [this](const Result<bool>& result) {
    storing_ = false;
    answered(result);
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

void ResultQueue::answered(const Result<bool>& result) {
  const Unstored& first = *unstored_.front();
  hooks_.tried(first.attempt);
  if (!result) {
    refused_ = true;
    return hooks_.refused(first.attempt, result.error().message);
  }
  hooks_.stored(first.attempt, first.record->ending, *result);
  side_.let_go(std::move(unstored_.front()));
  unstored_.pop_front();
  if (unstored_.empty() && std::exchange(refused_, false)) hooks_.recovered();
  store_next();
}

}  // namespace sweepd
