// The dispatcher's half for starts that the machine could not make: the worker is being built, the
// disk is full, `runs` cannot be written. No attempt is to blame, so none is ended: it goes back to
// its place in the queue, nothing starts for a while, and whoever asks is told why.
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runner/daemon/dispatcher.h"
#include "runner/daemon/run.h"

namespace sweepd {
namespace {

// A gang of more processes than the machine allows, or a journal that is larger than the disk: such
// an attempt would keep all others waiting for ever.
constexpr int kMostFailedStarts = 5;

// Of a journal and what is beside it. With less, an attempt would begin only to lose its results.
constexpr off_t kRoomBytes = 1 << 20;

// Why `runs` cannot take another attempt; "" when it can.
std::string no_room_in(const std::filesystem::path& runs) {
  const std::string probe = runs / ".room";
  std::error_code ignored;
  std::filesystem::create_directories(runs, ignored);  // as a start would
  const UniqueFd fd(::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const int error = fd ? ::posix_fallocate(fd.get(), 0, kRoomBytes) : errno;
  ::unlink(probe.c_str());
  if (error == 0) return "";
  return fmt::format("{} has no room: {}", runs.string(), std::strerror(error));
}

}  // namespace

std::optional<Dispatcher::Blame> Dispatcher::machine_failed(const Run& run) const {
  if (run.stop) return std::nullopt;
  for (const EndedRank& rank : run.ended) {
    const bool began = std::filesystem::exists(run.folder.events(rank.rank));
    if (rank.exit.code == kExitNotLoaded && !began) return Blame::kMachine;
    if (rank.exit.code == kExitJournal) return Blame::kPerhapsTheAttempt;
  }
  return std::nullopt;
}

// As if it had never started: not in full, or not at all. If it was cancelled meanwhile, it is
// ended by `stop`, which finds it in the queue, or has ended in the database, which says so at its
// start.
void Dispatcher::queue_again(OpenAttempt attempt) {
  spdlog::info("attempt {} measured nothing; it is queued again", attempt.id);
  std::error_code ignored;
  std::filesystem::remove_all(runs_ / attempt.id, ignored);
  // The writer does this before any later start of it. Where it fails the next daemon queues the
  // attempt again, since no rank has taken its place.
  writer_.run([row = attempt.row](Store& store) { return store.mark_queued(row); },
              [id = attempt.id](const Result<void>& marked) {
                if (!marked) spdlog::error("attempt {}: {}", id, marked.error().message);
              });
  attempt.started.reset();
  attempt.lease = {};
  enqueue({std::move(attempt)});
}

void Dispatcher::start_failed(OpenAttempt attempt, const std::string& why, Blame blame) {
  if (blame == Blame::kPerhapsTheAttempt && ++failed_starts_[attempt.row] >= kMostFailedStarts) {
    failed_starts_.erase(attempt.row);
    end_without_process(attempt, {Failed{why, ""}});
    return schedule_pump();  // the lease is free again, and nobody else will say so
  }
  queue_again(std::move(attempt));
  pause_for(why);
}

void Dispatcher::pause_for(const std::string& why) {
  const Duration pause = start_backoff_.next();
  spdlog::error("attempts cannot start: {}; trying again in {}", why, to_human(pause));
  set_trouble(start_trouble_, "attempts cannot start: " + why);
  pause_starts(pause);
}

void Dispatcher::starts_work() {
  if (!start_trouble_.empty()) spdlog::info("attempts start again");
  set_trouble(start_trouble_, "");
}

void Dispatcher::resume_starts() {
  if (!unstored_.empty()) return store_next();
  if (!start_trouble_.empty()) {
    if (waiting_.empty()) {
      starts_work();  // nothing is left that could show it
    } else if (const std::string why = no_room_in(runs_); !why.empty()) {
      return pause_for(why);
    }
  }
  starts_paused_ = false;
  schedule_pump();
}

}  // namespace sweepd
