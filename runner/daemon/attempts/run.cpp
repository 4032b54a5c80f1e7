#include "runner/daemon/attempts/run.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runner/daemon/attempts/run_note.h"
#include "runner/wire/place.h"

namespace sweepd {

Run::Run(boost::asio::io_context& io, Executor& executor, Duration peer_grace, OpenAttempt attempt_,
         std::filesystem::path folder_, WallTime started_)
    : attempt(std::move(attempt_)),
      folder(std::move(folder_)),
      started(started_),
      io_(io),
      executor_(executor),
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

void Run::adopt(const Adoption& found) {
  incomplete = found.incomplete || world_size() == 0;
  const auto is_alive = [&found](int rank) {
    return std::ranges::find(found.alive, rank) != found.alive.end();
  };
  const std::optional<RunNote> note = read_run_note(folder);
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
    if (!note && !incomplete && world_size() > 1) put_own_reasons_first(folder, ended);
    return;
  }
  // The ranks that are alive wait for others that will never come, or were not yet ended.
  if (incomplete || killed_) return kill();
  end_others();  // as the previous daemon would have done when a rank died
}

bool Run::has_ended(int rank) const {
  return std::ranges::any_of(ended, [rank](const EndedRank& each) { return each.rank == rank; });
}

void Run::add_end(int rank, ExitStatus exit) {
  if (!exit.signal && !exit.code && is_place_without_journal(folder.pid(rank))) {
    exit.code = kExitJournal;
  }
  ended.push_back({rank, exit});
}

// A disk that is full loses the note, and nothing else.
void Run::note_end() const {
  const auto noted = write_run_note(folder, {ended, stop, hang});
  if (!noted) spdlog::warn("attempt {}: {}", attempt.id, noted.error().message);
}

// Uses the rank's own last line: a rank that reported running out of memory also exits with 0, and
// the exit status of an adopted rank is unknown.
bool Run::ended_well(const EndedRank& rank) const {
  const auto said = last_word(folder, rank.rank);
  return said && outcome_of(*said) == Outcome::kDone;
}

// The others wait in a collective that will never complete. A rank that failed inside a collective
// is not the reason while another may be, which is then about to end. The order in which the loop
// learns of ends means nothing.
void Run::end_others() {
  if (world_size() == 1 || stop || killed_) return;
  const bool reason_known = put_own_reasons_first(folder, ended);
  if (all_ended()) return;
  if (reason_known) return kill();
  const bool all_well =
      std::ranges::all_of(ended, [this](const EndedRank& rank) { return ended_well(rank); });
  // While all ranks that ended are done, the others may still be working.
  if (all_well || peer_timer_) return;
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
  // Read before any signal, since a rank that is told to end leaves its collective.
  if (reason == StopReason::kTimeout && !hang) {
    hang = hang_now(folder, world_size(), executor_.suspended(attempt.id));
  }
  note_end();
  executor_.stop(attempt.id);
}

void Run::kill() {
  killed_ = true;
  // Where none has ended, they are not ended because of one.
  if (!stop && !ended.empty() && !incomplete) note_end();
  executor_.kill(attempt.id);
}

}  // namespace sweepd
