#include "workloads/dist/shm/remote.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace sweepd::shm {
namespace {

// Fetched at once from all other ranks: stays in a core's L2 cache until it is summed.
constexpr std::size_t kFetchBytes = 256 << 10;

std::size_t fetch_chunk(int world_size) {
  return std::max<std::size_t>(kFetchBytes / static_cast<std::size_t>(world_size) / 4096 * 4096,
                               16 << 10);
}

// Returns where this process can access the rank's tensor; null if only through the kernel.
std::byte* visible(Link& link, std::span<const Call> calls, int rank) {
  const Call& call = calls[static_cast<std::size_t>(rank)];
  if (rank == link.rank()) return reinterpret_cast<std::byte*>(call.address);  // NOLINT
  return call.offset < 0 ? nullptr : link.region().base() + call.offset;
}

// Sums one part of every rank's tensor, chunk by chunk.
class PartSum {
 public:
  PartSum(Link& link, std::span<const Call> calls, Type type)
      : link_(link), calls_(calls), type_(type), chunk_(fetch_chunk(link.world_size())) {
    bool fetches = false;
    for (int rank = 0; rank < link.world_size(); ++rank) {
      visible_.push_back(visible(link, calls, rank));
      fetches = fetches || visible_.back() == nullptr;
    }
    const auto ranks = static_cast<std::size_t>(link.world_size());
    if (fetches) scratch_ = std::make_unique_for_overwrite<std::byte[]>(ranks * chunk_);
    sources_.resize(ranks);
  }

  std::size_t chunk() const { return chunk_; }
  std::byte* tensor(int rank) const { return visible_[static_cast<std::size_t>(rank)]; }

  void sum_into(std::span<std::byte* const> destinations, Part piece) {
    for (int rank = 0; rank < link_.world_size(); ++rank) {
      const auto index = static_cast<std::size_t>(rank);
      if (visible_[index] != nullptr) {
        sources_[index] = visible_[index] + piece.begin_bytes;
        continue;
      }
      std::byte* const copy = scratch_.get() + index * chunk_;
      link_.read_from(rank, calls_[index].address + piece.begin_bytes, copy, piece.size_bytes);
      sources_[index] = copy;
    }
    sum(type_, sources_, destinations, piece.size_bytes / size_of(type_));
  }

 private:
  Link& link_;
  std::span<const Call> calls_;
  Type type_;
  std::size_t chunk_;
  std::vector<std::byte*> visible_;
  std::unique_ptr<std::byte[]> scratch_;
  std::vector<const std::byte*> sources_;
};

void fetch(Link& link, std::span<const Call> calls, int rank, std::byte* to, std::size_t bytes) {
  if (const std::byte* from = visible(link, calls, rank)) {
    if (from != to) std::memcpy(to, from, bytes);
  } else {
    link.read_from(rank, calls[static_cast<std::size_t>(rank)].address, to, bytes);
  }
}

}  // namespace

bool can_reach(const Link& link, std::span<const Call> calls) {
  return link.reaches_private_memory() ||
         std::all_of(calls.begin(), calls.end(), [](const Call& call) { return call.offset >= 0; });
}

void remote_all_reduce(Link& link, std::span<const Call> calls, std::size_t count, Type type) {
  PartSum sums(link, calls, type);
  const Part mine = part_of(count, type, link.world_size(), link.rank());
  std::vector<std::byte*> destinations;
  for (std::size_t offset = 0; offset < mine.size_bytes; offset += sums.chunk()) {
    const Part piece = mine.piece(offset, sums.chunk());
    destinations.clear();
    for (int rank = 0; rank < link.world_size(); ++rank) {
      if (sums.tensor(rank)) destinations.push_back(sums.tensor(rank) + piece.begin_bytes);
    }
    sums.sum_into(destinations, piece);
    const std::byte* const result = sums.tensor(link.rank()) + piece.begin_bytes;
    for (int rank = 0; rank < link.world_size(); ++rank) {
      if (sums.tensor(rank)) continue;
      const Call& call = calls[static_cast<std::size_t>(rank)];
      link.write_to(rank, call.address + piece.begin_bytes, result, piece.size_bytes);
    }
  }
}

void remote_reduce_scatter(Link& link, std::span<const Call> calls, std::byte* output,
                           std::size_t count, Type type) {
  PartSum sums(link, calls, type);
  const Part mine = equal_part(count * size_of(type), link.rank());
  for (std::size_t offset = 0; offset < mine.size_bytes; offset += sums.chunk()) {
    std::byte* const destination = output + offset;
    sums.sum_into({&destination, 1}, mine.piece(offset, sums.chunk()));
  }
}

void remote_all_gather(Link& link, std::span<const Call> calls, std::byte* output,
                       std::size_t part_bytes) {
  // Each rank begins with itself, so that not all of them read one rank's memory at the same time.
  for (int i = 0; i < link.world_size(); ++i) {
    const int rank = (link.rank() + i) % link.world_size();
    fetch(link, calls, rank, output + equal_part(part_bytes, rank).begin_bytes, part_bytes);
  }
}

void remote_broadcast(Link& link, std::span<const Call> calls, std::byte* data, std::size_t bytes,
                      int root) {
  if (link.rank() != root) fetch(link, calls, root, data, bytes);
}

}  // namespace sweepd::shm
