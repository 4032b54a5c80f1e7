#include "workloads/dist/shm/join.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "runner/base/proc.h"

namespace sweepd::shm {
namespace {

using Clock = std::chrono::steady_clock;

std::filesystem::path address_file(const Place& place) {
  return place.folder / "shm.address";
}

// Rank 0's file, which exists as long as this object.
class Address {
 public:
  Address(const Place& place, int fd) : path_(address_file(place)) {
    const auto stat = read_proc_stat(::getpid());
    const std::filesystem::path unfinished = path_.string() + ".unfinished";
    std::ofstream file(unfinished);
    file << ::getpid() << ' ' << (stat ? stat->start_ticks : 0) << ' ' << fd << '\n';
    file.close();
    if (!file) throw std::runtime_error("shm: cannot write " + unfinished.string());
    std::filesystem::rename(unfinished, path_);  // readers see the whole file or none
  }
  ~Address() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Address(const Address&) = delete;
  Address& operator=(const Address&) = delete;

 private:
  std::filesystem::path path_;
};

// Returns null while rank 0 has not written it, or if it is left over from a process that is gone.
std::shared_ptr<Region> try_open(const Place& place) {
  std::ifstream file(address_file(place));
  int pid = 0, fd = 0;
  std::uint64_t start_ticks = 0;
  if (!(file >> pid >> start_ticks >> fd)) return nullptr;
  const auto stat = read_proc_stat(pid);
  if (!stat || stat->start_ticks != start_ticks || stat->state == 'Z') return nullptr;
  return Region::open(fmt::format("/proc/{}/fd/{}", pid, fd));
}

std::shared_ptr<Region> wait_for_region(const Place& place) {
  const auto start = Clock::now();
  while (true) {
    if (auto region = try_open(place)) return region;
    if (place.timeout.count() > 0 && Clock::now() - start > place.timeout) {
      throw std::runtime_error(fmt::format("shm: rank 0 did not arrive within {} s (no {})",
                                           std::chrono::duration<double>(place.timeout).count(),
                                           address_file(place).string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

std::unique_ptr<Group> join_group(const Place& place) {
  std::unique_ptr<Group> group;
  if (place.rank == 0) {
    auto region = Region::create(place.world_size);
    const Address address(place, region->fd());
    group = std::make_unique<Group>(region, 0, place.reach, place.timeout);
  } else {
    auto region = wait_for_region(place);
    if (region->world_size() != place.world_size) {
      throw std::runtime_error(fmt::format("shm: rank {} has world_size {}, rank 0 has {}",
                                           place.rank, place.world_size, region->world_size()));
    }
    group = std::make_unique<Group>(region, place.rank, place.reach, place.timeout);
  }
  // Rank 0 removes its file before any rank continues, so that a second group cannot find this one.
  group->barrier();
  return group;
}

}  // namespace sweepd::shm
