#include "runner/daemon/attempts/journal_reader.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <filesystem>
#include <vector>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/daemon/attempts/gang.h"
#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/attempts/machine_now.h"

namespace sweepd {
namespace {

std::optional<Blame> blame_for(const Run& run) {
  if (run.stop) return std::nullopt;
  for (const EndedRank& rank : run.ended) {
    std::error_code ignored;  // a journal that cannot be read has nothing
    const bool began = std::filesystem::exists(run.folder.events(rank.rank), ignored);
    if (rank.exit.code == kExitNotLoaded && !began) return Blame::kMachine;
    if (rank.exit.code == kExitJournal) return Blame::kPerhapsTheAttempt;
  }
  return std::nullopt;
}

}  // namespace

void JournalReader::read(const std::shared_ptr<Run>& run, PoolIndex pool) {
  const auto result = std::make_shared<ReadAttempt>();
  const auto unread = std::make_shared<std::string>();
  const PoolUse& use = pools_.at(pool);
  const std::string cluster = use.is_cluster() ? use.pool.name : "";
  watch(run->attempt);
  folders_.at(pool)->read(
      [run, result, unread, cluster, now = run->now(), set = run->clock_was_set()] {
        AttemptRecord& record = result->record;
        result->blame = blame_for(*run);
        record = ingest(run->folder, run->attempt, run->ended, run->stop, now, unread.get());
        if (set) record.ended = now;  // its ranks may have begun before that or after
        if (run->world_size() > 1)
          tell_of_gang(record, run->folder, run->hang, run->attempt.timeout);
        if (!cluster.empty() && record.environment) name_machine(cluster, *record.environment);
      },
      [this, run, pool, result, unread] {
        const std::int64_t row = run->attempt.row;
        end_watch(row);
        if (!unread->empty() && read_later(run, pool, *unread)) return;
        if (unread_.erase(row) > 0) hooks_.changed();
        hooks_.read(run, result);
      });
}

// At first nothing else starts on the attempt's resources. But a journal may be very long, or wait
// behind one that is.
void JournalReader::watch(const OpenAttempt& attempt) {
  const std::int64_t row = attempt.row;
  Reading& reading = readings_.try_emplace(row, attempt.id, io_).first->second;
  reading.timer.expires_after(std::chrono::nanoseconds(timing_.long_read.ns));
  reading.timer.async_wait([this, row](const boost::system::error_code& error) {
    if (error) return;
    const auto found = readings_.find(row);
    if (found == readings_.end()) return;
    found->second.is_long = true;
    hooks_.free_lease(row);
    hooks_.changed();
  });
}

void JournalReader::end_watch(std::int64_t row) {
  const auto ended = readings_.extract(row);
  if (ended && ended.mapped().is_long) hooks_.changed();
}

// The attempt's cores and GPUs are free until then, and the next daemon finds the journal too.
bool JournalReader::read_later(const std::shared_ptr<Run>& run, PoolIndex pool,
                               const std::string& why) {
  const std::int64_t row = run->attempt.row;
  const auto [found, is_new] = unread_.try_emplace(row, io_, timing_);
  Unread& unread = found->second;
  if (now_instant() - unread.since >= timing_.read_patience) return false;
  const Duration pause = unread.pause.next();
  unread.why = why;
  if (is_new) {
    spdlog::error("attempt {}: {}; it is read again", run->attempt.id, why);
    hooks_.changed();
  }
  hooks_.free_lease(row);
  unread.timer.expires_after(std::chrono::nanoseconds(pause.ns));
  unread.timer.async_wait([this, run, pool](const boost::system::error_code& error) {
    if (!error && hooks_.keeps_folder()) read(run, pool);
  });
  return true;
}

std::string JournalReader::trouble() const {
  std::vector<std::string> all;
  for (const auto& [row, reading] : readings_) {
    if (!reading.is_long) continue;
    all.push_back(fmt::format(
        "the journal of attempt {} takes longer than {} to read; its cores and GPUs are free",
        reading.id, to_human(timing_.long_read)));
    break;
  }
  if (!unread_.empty()) {
    const std::string more =
        unread_.size() == 1 ? "" : fmt::format(" (and those of {} more)", unread_.size() - 1);
    all.push_back(fmt::format("the journal of an attempt that has ended is read again{}: {}", more,
                              unread_.begin()->second.why));
  }
  return join(all, "; ");
}

}  // namespace sweepd
