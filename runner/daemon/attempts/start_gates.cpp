#include "runner/daemon/attempts/start_gates.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>

#include "runner/base/unique_fd.h"

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

StartGates::StartGates(boost::asio::io_context& io, const Pools& pools, PoolFolders& folders,
                       const DispatcherTiming& timing, Hooks hooks)
    : pools_(pools), folders_(folders), hooks_(std::move(hooks)) {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) {
    gates_.push_back(std::make_unique<StartBackoff>(
        io, Backoff(timing.start_retry, timing.start_retry_most),
        Backoff(timing.lasting_retry, timing.lasting_retry_most), [this, pool] { resume(pool); },
        [this] { hooks_.changed(); }));
  }
}

void StartGates::close_all_for(Duration pause) {
  for (const auto& gate : gates_) gate->close_for(pause);
}

void StartGates::resume_all() {
  for (PoolIndex pool = 0; pool < pools_.size(); ++pool) resume(pool);
}

void StartGates::end_all_trouble() {
  for (const auto& gate : gates_) gate->end_trouble();
}

void StartGates::resume(PoolIndex pool) {
  // Only then: a result that is being stored must not keep the gate closed, since nothing would
  // open it later.
  if (hooks_.store_refused()) return;
  StartBackoff& gate = at(pool);
  if (gate.trouble().empty()) return open(pool);
  if (hooks_.nothing_waits(pool)) {
    gate.end_trouble();
    return open(pool);
  }
  const PoolUse& use = pools_.at(pool);
  const auto why = std::make_shared<std::string>();
  folders_.at(pool)->run(
      [why, runs = use.runs, shared = use.is_cluster()] { *why = no_room_in(runs, shared); },
      [this, pool, why] {
        if (!why->empty()) return at(pool).close_because(*why);
        open(pool);
      });
}

void StartGates::open(PoolIndex pool) {
  at(pool).open();
  hooks_.opened();
}

}  // namespace sweepd
