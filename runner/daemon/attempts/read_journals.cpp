// The part of the dispatcher that reads the journals of an ended attempt.
#include <spdlog/spdlog.h>

#include <boost/asio/post.hpp>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/run.h"

namespace sweepd {

namespace asio = boost::asio;

// Posted, since the code that takes the events may be about to stop the attempt. Earlier requests
// for its files come first.
void Dispatcher::finish_run_after_files(Run& run) {
  folder_of(pool_of_attempt(run.attempt))
      .run([] {},
           [this, row = run.attempt.row] { asio::post(io_, [this, row] { finish_run(row); }); });
}

void Dispatcher::finish_run(std::int64_t row) {
  if (!hooks_.keeps_folder()) return;  // the next daemon on it finds the journal
  std::shared_ptr<Run> run = std::move(running_.extract(row).mapped());
  if (run->incomplete && !run->stop) {
    scheduler_.finished(row);
    return lose_start(std::move(run->attempt));
  }
  read_journals(run);
}

// Reads on another thread: the journal of a million steps takes ten seconds.
void Dispatcher::read_journals(const std::shared_ptr<Run>& run) {
  const auto record = std::make_shared<AttemptRecord>();
  const auto unread = std::make_shared<std::string>();
  const PoolUse& use = use_of(run->attempt);
  const std::string cluster = use.is_cluster() ? use.pool.name : "";
  const auto blame = std::make_shared<std::optional<Blame>>();
  watch_reading(run->attempt);
  folder_of(pool_of_attempt(run->attempt))
      .read(
          [run, record, unread, blame, cluster, now = run->now(), set = run->clock_was_set()] {
            *blame = machine_failed(*run);
            *record = ingest(run->folder, run->attempt, run->ended, run->stop, now, unread.get());
            if (set) record->ended = now;  // its ranks may have begun before that or after
            if (run->world_size() > 1) {
              tell_of_gang(*record, run->folder, run->hang, run->attempt.timeout);
            }
            if (!cluster.empty() && record->environment)
              name_machine(cluster, *record->environment);
          },
          [this, run, record, unread, blame] {
            const std::int64_t row = run->attempt.row;
            end_reading(row);
            if (!unread->empty() && read_later(run, *unread)) return;
            if (unread_.erase(row) > 0) hooks_.changed();
            if (run->lost && outcome_of(record->ending) != Outcome::kDone) {
              if (run->lost->again && !run->stop && run->attempt.losses < kMostLosses) {
                scheduler_.finished(row);
                return lose(std::move(run->attempt), *run->lost, /*cancelled=*/false);
              }
              if (!run->stop) record->ending = ending_of(*run->lost, run->attempt.losses);
            } else if (*blame) {
              scheduler_.finished(row);
              return start_failed(std::move(run->attempt), describe(record->ending), **blame);
            } else if (const std::string fault = take_out_of_service(*run, *record);
                       !fault.empty() && !run->stop && run->attempt.losses < kMostLosses &&
                       has_other_gpus(run->attempt)) {
              scheduler_.finished(row);
              schedule_pump();
              return begin_again(std::move(run->attempt), fault);
            }
            if (!run->lost || !run->lost->next_too) gate_of(run->attempt).has_measured(row);
            store_record(run->attempt, record);
          });
}

// Reading disturbs measurements beside it, so at first nothing else starts on the attempt's
// resources. But a journal may be very long, or wait behind one that is.
void Dispatcher::watch_reading(const OpenAttempt& attempt) {
  const std::int64_t row = attempt.row;
  Reading& reading = readings_.try_emplace(row, attempt.id, io_).first->second;
  reading.timer.expires_after(std::chrono::nanoseconds(timing_.long_read.ns));
  reading.timer.async_wait([this, row](const boost::system::error_code& error) {
    if (error) return;
    const auto found = readings_.find(row);
    if (found == readings_.end()) return;
    found->second.is_long = true;
    scheduler_.finished(row);
    schedule_pump();
    hooks_.changed();
  });
}

void Dispatcher::end_reading(std::int64_t row) {
  const auto ended = readings_.extract(row);
  if (ended && ended.mapped().is_long) hooks_.changed();
}

// A disk or a network file system may answer again, or a limit on open files no longer be reached.
// The attempt's cores and GPUs are free until then, and the next daemon finds the journal too.
bool Dispatcher::read_later(const std::shared_ptr<Run>& run, const std::string& why) {
  const auto [found, is_new] = unread_.try_emplace(run->attempt.row, io_, timing_);
  Unread& unread = found->second;
  if (now_instant() - unread.since >= timing_.read_patience) return false;
  const Duration pause = unread.pause.next();
  unread.why = why;
  if (is_new) {
    spdlog::error("attempt {}: {}; it is read again", run->attempt.id, why);
    hooks_.changed();
  }
  scheduler_.finished(run->attempt.row);
  schedule_pump();
  unread.timer.expires_after(std::chrono::nanoseconds(pause.ns));
  unread.timer.async_wait([this, run](const boost::system::error_code& error) {
    if (!error && hooks_.keeps_folder()) read_journals(run);
  });
  return true;
}

}  // namespace sweepd
