#include "runner/daemon/attempts/run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runner/wire/rank_pidfile.h"

namespace sweepd {

Run::Run(boost::asio::io_context& io, Executor& executor, PoolFolder& files, Duration peer_grace,
         OpenAttempt attempt_, std::filesystem::path folder_, WallTime started_)
    : attempt(std::move(attempt_)),
      folder(std::move(folder_)),
      started(started_),
      io_(io),
      executor_(executor),
      files_(files),
      peer_grace_(peer_grace) {}

Duration Run::elapsed() const {
  const Duration age = since ? now_instant() - *since : now_wall() - started;
  return std::max(Duration{0}, age);
}

WallTime Run::now() const {
  return since ? WallTime{started.ns + (now_instant() - *since).ns} : now_wall();
}

bool Run::clock_was_set() const {
  const std::int64_t ahead = (now_wall() - now()).ns;
  return std::max(ahead, -ahead) > seconds(1).ns;
}

void Run::at_files(std::function<void()> job, std::function<void(Run&)> done) {
  files_.run(std::move(job), [self = weak_from_this(), done = std::move(done)] {
    if (const auto run = self.lock()) done(*run);
  });
}

void Run::adopt(const Adoption& found, const std::optional<RunNote>& note) {
  incomplete = found.incomplete || world_size() == 0;
  const auto is_alive = [&found](int rank) {
    return std::ranges::find(found.alive, rank) != found.alive.end();
  };
  if (note) {
    stop = note->stop;
    hang = note->hang;
    killed_ = !stop;
    for (const EndedRank& rank : note->ended) {
      const bool known = rank.rank >= 0 && rank.rank < world_size() && !has_ended(rank.rank);
      if (known && !is_alive(rank.rank)) ended.push_back(rank);
    }
  }
  for (int rank = 0; rank < world_size(); ++rank) {
    if (!is_alive(rank) && !has_ended(rank)) add_end(rank, {});
  }
  if (all_ended()) {
    if (note || incomplete || world_size() == 1) return;
    return with_exit_report(
        [](Run& run, const ExitReport& words) { run.put_in_order(words.order); });
  }
  // The living ranks wait for others that will never come, or were not yet ended.
  if (incomplete || killed_) return kill();
  end_others();  // as the previous daemon would have done when a rank died
}

bool Run::has_ended(int rank) const {
  return std::ranges::any_of(ended, [rank](const EndedRank& each) { return each.rank == rank; });
}

void Run::add_end(int rank, ExitStatus exit) {
  ended.push_back({rank, exit});
  if (exit.signal || exit.code) return;
  const auto without = std::make_shared<bool>(false);
  at_files([path = folder.pid(rank), without] { *without = is_pidfile_without_journal(path); },
           [rank, without](Run& run) {
             if (!*without) return;
             for (EndedRank& each : run.ended) {
               if (each.rank == rank) each.exit.code = kExitJournal;
             }
           });
}

const Status& Run::place() {
  if (std::exchange(reads_place_, true)) return place_;
  const auto read = std::make_shared<Status>();
  at_files([page = folder.status(0), read] { *read = read_status(page); },
           [read](Run& run) {
             run.reads_place_ = false;
             run.place_ = std::move(*read);
           });
  return place_;
}

// A full disk loses only the note.
void Run::note_end(const AttemptFolder& folder, const AttemptId& id, const RunNote& note) {
  const auto noted = write_run_note(folder, note);
  if (!noted) spdlog::warn("attempt {}: {}", id, noted.error().message);
}

// Uses a rank's own last line: a rank that reported running out of memory also exits with 0, and
// the exit status of an adopted rank is unknown.
Run::ExitReport Run::read_exit_report(const AttemptFolder& folder, std::vector<EndedRank> ended) {
  ExitReport words{std::move(ended)};
  words.reason_known = put_own_reasons_first(folder, words.order);
  words.all_well = std::ranges::all_of(words.order, [&folder](const EndedRank& rank) {
    const auto said = last_word(folder, rank.rank);
    return said && outcome_of(*said) == Outcome::kDone;
  });
  return words;
}

void Run::with_exit_report(const std::function<void(Run&, const ExitReport&)>& then) {
  const auto words = std::make_shared<ExitReport>();
  at_files([folder = folder, ended = ended, words] { *words = read_exit_report(folder, ended); },
           [words, then](Run& run) { then(run, *words); });
}

// Ranks that ended since the request stay behind the others.
void Run::put_in_order(const std::vector<EndedRank>& order) {
  std::ranges::stable_sort(ended, {}, [&order](const EndedRank& rank) {
    return std::ranges::find(order, rank.rank, &EndedRank::rank) - order.begin();
  });
}

// The others wait in a collective that will never complete. A rank that failed inside a collective
// is not the cause while another may be, which will then end soon. The order in which ends reach
// the loop does not matter.
void Run::end_others() {
  if (world_size() == 1 || stop || killed_) return;
  with_exit_report([](Run& run, const ExitReport& words) { run.end_others_after(words); });
}

void Run::end_others_after(const ExitReport& words) {
  if (stop || killed_) return;
  put_in_order(words.order);
  if (all_ended()) return;
  if (words.reason_known) return kill();
  // While all ranks that ended are done, the others may still be working.
  if (words.all_well || peer_timer_) return;
  peer_timer_ =
      std::make_unique<boost::asio::steady_timer>(io_, std::chrono::nanoseconds(peer_grace_.ns));
  peer_timer_->async_wait([self = weak_from_this()](const boost::system::error_code& error) {
    const auto run = self.lock();
    if (!error && run) run->kill();
  });
}

void Run::end(StopReason reason) {
  stop = reason;
  spdlog::info("attempt {} is being stopped: {}", attempt.id,
               reason == StopReason::kTimeout ? "timeout" : "cancelled");
  // Read before any signal, since a rank leaves its collective on the signal.
  const bool looks = reason == StopReason::kTimeout && !hang;
  const auto note = std::make_shared<RunNote>(RunNote{ended, stop, hang});
  at_files(
      [note, looks, folder = folder, id = attempt.id, ranks = world_size(),
       suspended = looks ? executor_.suspended(attempt.id) : std::set<int>()] {
        if (looks) note->hang = hang_now(folder, ranks, suspended);
        note_end(folder, id, *note);
      },
      [note](Run& run) {
        run.hang = note->hang;
        run.executor_.stop(run.attempt.id);
      });
}

void Run::kill() {
  killed_ = true;
  // If no rank has ended, none is the cause.
  const bool notes = !stop && !ended.empty() && !incomplete;
  at_files(
      [notes, folder = folder, id = attempt.id, note = RunNote{ended, stop, hang}] {
        if (notes) note_end(folder, id, note);
      },
      [](Run& run) { run.executor_.kill(run.attempt.id); });
}

}  // namespace sweepd
