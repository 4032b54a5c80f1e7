// The part of the dispatcher for starts that fail because of the machine: the worker is being
// built, the disk is full, `runs` cannot be written. No attempt is at fault, so none is ended. It
// goes back to its place in the queue, nothing starts for a while, and clients see the reason.
#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runner/daemon/attempts/dispatcher.h"
#include "runner/daemon/attempts/run.h"

namespace sweepd {
namespace {

// Space for a journal and the files beside it. With less, an attempt would start and lose its
// results.
constexpr off_t kRoomBytes = 1 << 20;

// Returns why the pool's `runs` cannot take another attempt, or "" if it can.
std::string no_room_in(const std::filesystem::path& runs, bool shared) {
  const std::string probe = runs / ".room";
  std::error_code ignored;
  if (!shared) std::filesystem::create_directories(runs, ignored);  // as a start would do
  const UniqueFd fd(::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  const int error = fd ? ::posix_fallocate(fd.get(), 0, kRoomBytes) : errno;
  ::unlink(probe.c_str());
  if (error == 0) return "";
  return fmt::format("{} has no room: {}", runs.string(), std::strerror(error));
}

}  // namespace

std::optional<Dispatcher::Blame> Dispatcher::machine_failed(const Run& run) {
  if (run.stop) return std::nullopt;
  for (const EndedRank& rank : run.ended) {
    std::error_code ignored;  // a journal that cannot be read has nothing
    const bool began = std::filesystem::exists(run.folder.events(rank.rank), ignored);
    if (rank.exit.code == kExitNotLoaded && !began) return Blame::kMachine;
    if (rank.exit.code == kExitJournal) return Blame::kPerhapsTheAttempt;
  }
  return std::nullopt;
}

// Queues the attempt as if it had never started, completely or in part. One that is cancelled later
// is found in the queue by `stop`, or has ended in the database, which its next start reports.
void Dispatcher::queue_again(OpenAttempt attempt) {
  if (cancelled_.erase(attempt.row) != 0) {
    return end_without_process(attempt, {Cancelled{"cancelled"}});
  }
  spdlog::info("attempt {} measured nothing; it is queued again", attempt.id);
  folder_of(pool_of_attempt(attempt)).run([folder = use_of(attempt).runs / attempt.id] {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
  // The writer does this before any later start of the attempt. If it fails, the next daemon queues
  // the attempt again, because no rank has taken its place.
  writer_.run([row = attempt.row](Store& store) { return store.mark_queued(row); },
              [id = attempt.id](const Result<void>& marked) {
                if (!marked) spdlog::error("attempt {}: {}", id, marked.error().message);
              });
  attempt.started.reset();
  attempt.given.reset();
  attempt.lease = {};
  enqueue({std::move(attempt)});
}

void Dispatcher::start_failed(OpenAttempt attempt, const std::string& why, Blame blame) {
  StartBackoff& gate = gate_of(attempt);
  if (blame == Blame::kPerhapsTheAttempt && gate.gives_up_on(attempt.row)) {
    end_without_process(attempt, {Failed{why, ""}});
    return schedule_pump();  // the lease is free again, and nothing else triggers a start
  }
  queue_again(std::move(attempt));
  gate.close_because(why);
}

void Dispatcher::close_gates_for(Duration pause) {
  for (const auto& gate : gates_) gate->close_for(pause);
}

void Dispatcher::resume_all_starts() {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) resume_starts(pool);
}

void Dispatcher::resume_starts(PoolIndex pool) {
  // Only then: a result that is being stored must not keep the gate closed, since nothing would
  // open it later.
  if (results_.is_refused()) return results_.store_next();
  StartBackoff& gate = *gates_[pool];
  if (gate.trouble().empty()) return open_gate(pool);
  const bool nothing_waits = pool == 0 ? nothing_wants_to_start() : scheduler_.queued(pool) == 0;
  if (nothing_waits) {
    gate.end_trouble();  // no attempt is left to show it
    return open_gate(pool);
  }
  const PoolUse& use = pools_.at(pool);
  const auto why = std::make_shared<std::string>();
  folder_of(pool).run(
      [why, runs = use.runs, shared = use.is_cluster()] { *why = no_room_in(runs, shared); },
      [this, pool, why] {
        if (!why->empty()) return gates_[pool]->close_because(*why);
        open_gate(pool);
      });
}

void Dispatcher::open_gate(PoolIndex pool) {
  gates_[pool]->open();
  schedule_pump();
}

}  // namespace sweepd
