#include "workloads/dist/shm/link.h"

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <stdexcept>

#include "runner/base/proc.h"
#include "runner/base/text.h"
#include "workloads/dist/shm/sum.h"

namespace sweepd::shm {
namespace {

using Clock = std::chrono::steady_clock;

// Longer than a chunk takes, and several times shorter than a sleep and its wake-up. With more
// ranks than cores the awaited rank may need this very core, so there is no spinning.
constexpr auto kSpinTime = std::chrono::microseconds(100);
// How soon sleeping ranks notice that a rank was killed.
constexpr std::chrono::milliseconds kLookAround{100};

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

void futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  // Not FUTEX_PRIVATE, because the waiters are other processes. The reason for returning does not
  // matter: waiters check again.
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout, nullptr,
            0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

bool is_alive(const Peer& peer) {
  const int pid = peer.pid;
  if (pid == ::getpid()) return true;
  const auto stat = read_proc_stat(pid);
  return stat && stat->state != 'Z' && stat->state != 'X' && stat->start_ticks == peer.start_ticks;
}

enum class Direction { kRead, kWrite };

// Transfers between this process and another's memory. Returns 0 or an errno.
int transfer(Direction direction, int pid, std::uint64_t address, std::byte* local,
             std::size_t bytes) {
  while (bytes > 0) {
    const iovec here{local, bytes};
    const iovec there{reinterpret_cast<void*>(address), bytes};  // NOLINT: the peer's address
    const ssize_t done = direction == Direction::kRead
                             ? ::process_vm_readv(pid, &here, 1, &there, 1, 0)
                             : ::process_vm_writev(pid, &here, 1, &there, 1, 0);
    if (done < 0) return errno;
    if (done == 0) return EFAULT;
    local += done;
    address += static_cast<std::uint64_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return 0;
}

}  // namespace

std::string describe(const Call& call) {
  const auto type = static_cast<Type>(call.type);
  switch (call.op) {
    case Op::kBarrier:
      return "barrier";
    case Op::kLargest:
      return "largest";
    case Op::kAllReduce:
      return fmt::format("all_reduce of {} {}", call.count, name_of(type));
    case Op::kReduceScatter:
      return fmt::format("reduce_scatter to {} {} a rank", call.count, name_of(type));
    case Op::kAllGather:
      return fmt::format("all_gather of {} bytes a rank", call.count);
    case Op::kBroadcast:
      return fmt::format("broadcast of {} bytes from rank {}", call.count, call.root);
  }
  return "unknown";
}

Link::Link(std::shared_ptr<Region> region, int rank, Reach reach, std::chrono::milliseconds timeout)
    : region_(std::move(region)),
      rank_(rank),
      join_deadline_(timeout.count() > 0 ? Clock::now() + timeout : Clock::time_point::max()),
      calls_(static_cast<std::size_t>(region_->world_size())) {
  if (rank < 0 || rank >= world_size()) {
    throw std::invalid_argument(
        fmt::format("shm: rank {} of a shared memory for {} ranks", rank, world_size()));
  }
  spin_time_ = world_size() <= ::sysconf(_SC_NPROCESSORS_ONLN) ? kSpinTime : kSpinTime * 0;
  Peer& self = control().peers[rank];
  const auto stat = read_proc_stat(::getpid());
  self.start_ticks = stat ? stat->start_ticks : 0;
  self.control = reinterpret_cast<std::uint64_t>(&control());
  self.pid = ::getpid();
  try {
    meet(reach);
  } catch (...) {
    leave();  // no destructor does it for a partly constructed object
    throw;
  }
}

void Link::meet(Reach reach) {
  next_turn();
  join_deadline_ = Clock::time_point::max();
  control().peers[rank_].reaches_all = reach == Reach::kBest && probe() ? 1 : 0;
  next_turn();
  reaches_private_memory_ = true;
  for (int peer = 0; peer < world_size(); ++peer) {
    if (control().peers[peer].reaches_all == 0) reaches_private_memory_ = false;
  }
}

Link::~Link() {
  leave();
}

void Link::leave() {
  control().peers[rank_].left = 1;
  wake_all(control().generation);
}

// A container or a hardened kernel may forbid that one process reads another's memory.
bool Link::probe() {
  for (int peer = 0; peer < world_size(); ++peer) {
    const Peer& other = control().peers[peer];
    std::uint64_t magic = 0;
    const int error = transfer(Direction::kRead, other.pid, other.control,
                               reinterpret_cast<std::byte*>(&magic), sizeof(magic));
    if (error != 0 || magic != control().magic) return false;
  }
  return true;
}

void Link::next_turn() {
  Control& shared = control();
  const std::uint32_t generation = shared.generation.load(std::memory_order_acquire);
  const auto ranks = static_cast<std::uint32_t>(world_size());
  if (shared.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks) {
    shared.arrived.store(0, std::memory_order_relaxed);
    // Sequentially consistent, like the sleepers' own pair of accesses: either they see the new
    // generation, or this rank sees them.
    shared.generation.store(generation + 1);
    if (shared.sleepers.load() > 0) wake_all(shared.generation);
  } else if (!spin(generation)) {
    sleep(generation);
  }
  ++turn_;
}

bool Link::spin(std::uint32_t generation) {
  if (spin_time_.count() == 0) return false;
  const auto end = Clock::now() + spin_time_;
  do {
    for (int i = 0; i < 32; ++i) {
      if (control().generation.load(std::memory_order_acquire) != generation) return true;
      pause_cpu();
    }
  } while (Clock::now() < end);
  return false;
}

void Link::sleep(std::uint32_t generation) {
  Control& shared = control();
  const timespec timeout{0, std::chrono::nanoseconds(kLookAround).count()};
  while (true) {
    shared.sleepers.fetch_add(1);
    if (shared.generation.load() == generation) {
      futex(shared.generation, FUTEX_WAIT, generation, &timeout);
    }
    shared.sleepers.fetch_sub(1);
    // In this order: a rank may end right after it let this one pass.
    const std::string trouble = missing_peers();
    if (shared.generation.load() != generation) return;
    if (!trouble.empty()) throw std::runtime_error(trouble);
  }
}

std::string Link::missing_peers() {
  std::vector<std::string> not_here;
  std::int32_t gone = -1;
  bool gave_up = false;
  for (int peer = 0; peer < world_size(); ++peer) {
    const Peer& other = control().peers[peer];
    if (other.pid == 0) {
      not_here.push_back(std::to_string(peer));
    } else if (peer != rank_ && (other.left != 0 || !is_alive(other))) {
      gone = peer;
      gave_up = other.left != 0;
    }
  }
  // A rank leaves early only because others did not come.
  if (!not_here.empty() && (gave_up || Clock::now() >= join_deadline_)) {
    return fmt::format("rank{} {} did not arrive in time", not_here.size() == 1 ? "" : "s",
                       join(not_here, ", "));
  }
  return gone < 0 ? "" : blame(gone);
}

std::string Link::blame(int peer) {
  std::int32_t first = -1;
  if (control().first_gone.compare_exchange_strong(first, peer)) first = peer;
  return fmt::format("rank {} (process {}) is gone", first, control().peers[first].pid.load());
}

std::span<const Call> Link::announce(const Call& mine) {
  control().calls[turn_ % 2][rank_] = mine;
  const std::uint64_t announced = turn_;
  next_turn();
  const Call* const all = control().calls[announced % 2];
  calls_.assign(all, all + world_size());
  const Call& first = calls_.front();
  for (int peer = 1; peer < world_size(); ++peer) {
    const Call& other = calls_[static_cast<std::size_t>(peer)];
    if (other.op == first.op && other.type == first.type && other.root == first.root &&
        other.count == first.count) {
      continue;
    }
    throw std::invalid_argument(
        fmt::format("rank 0 called {}, rank {} {}; all ranks must make the same calls",
                    describe(first), peer, describe(other)));
  }
  return calls_;
}

void Link::read_from(int peer, std::uint64_t address, std::byte* to, std::size_t bytes) {
  const int error = transfer(Direction::kRead, control().peers[peer].pid, address, to, bytes);
  if (error != 0) fail_to("read", peer, error);
}

void Link::write_to(int peer, std::uint64_t address, const std::byte* from, std::size_t bytes) {
  const int error = transfer(Direction::kWrite, control().peers[peer].pid, address,
                             const_cast<std::byte*>(from), bytes);
  if (error != 0) fail_to("write", peer, error);
}

// An ending process loses its memory some time before others can see its end. And a rank that found
// another one dead frees its memory while others still read it: they then name the rank that it
// found.
void Link::fail_to(const char* verb, int peer, int error) {
  const bool one_is_gone = control().first_gone.load() >= 0;
  const std::string gone = blame(peer);
  throw std::runtime_error(one_is_gone || error == ESRCH
                               ? gone
                               : fmt::format("cannot {} the memory of rank {} (process {}): {}",
                                             verb, peer, control().peers[peer].pid.load(),
                                             std::strerror(error)));
}

}  // namespace sweepd::shm
