#include "workloads/dist/shm/staged.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sweepd::shm {
namespace {

std::size_t chunks_of(std::size_t bytes, std::size_t chunk) {
  return (bytes + chunk - 1) / chunk;
}

// Runs step s of chunk c in turn c + s. A step reads the output of the step before it, one turn
// ago.
template <class... Steps>
void pipeline(Link& link, std::size_t chunks, Steps... steps) {
  constexpr std::size_t kSteps = sizeof...(Steps);
  for (std::size_t turn = 0; chunks > 0 && turn < chunks + kSteps - 1; ++turn) {
    std::size_t step = 0;
    const auto run = [&](const auto& work) {
      if (turn >= step && turn - step < chunks) work(turn - step);
      ++step;
    };
    (run(steps), ...);
    // Data that the last turn reads stays until the next barrier, even one of another call.
    if (turn + 1 < chunks + kSteps - 1) link.next_turn();
  }
}

// Sums one part, in two steps of the pipeline.
class StagedSum {
 public:
  StagedSum(Link& link, const std::byte* input, Type type)
      : link_(link), input_(input), type_(type), sources_(ranks()) {}

  void fill_slot(int to, Part piece) {
    if (to == link_.rank()) return;
    std::memcpy(link_.region().slot(link_.turn(), link_.rank(), to), input_ + piece.begin_bytes,
                piece.size_bytes);
  }

  void sum_into(std::span<std::byte* const> destinations, Part piece) {
    for (std::size_t rank = 0; rank < ranks(); ++rank) {
      const int from = static_cast<int>(rank);
      sources_[rank] = from == link_.rank()
                           ? input_ + piece.begin_bytes
                           : link_.region().slot(link_.turn() - 1, from, link_.rank());
    }
    sum(type_, sources_, destinations, piece.size_bytes / size_of(type_));
  }

 private:
  std::size_t ranks() const { return static_cast<std::size_t>(link_.world_size()); }

  Link& link_;
  const std::byte* input_;
  Type type_;
  std::vector<const std::byte*> sources_;
};

}  // namespace

void staged_all_reduce(Link& link, std::byte* data, std::size_t count, Type type) {
  const std::size_t chunk = link.region().chunk_bytes();
  const auto piece = [&](int rank, std::size_t index) {
    return part_of(count, type, link.world_size(), rank).piece(index * chunk, chunk);
  };
  StagedSum sums(link, data, type);
  pipeline(
      link, chunks_of(part_of(count, type, link.world_size(), 0).size_bytes, chunk),
      [&](std::size_t index) {
        for (int to = 0; to < link.world_size(); ++to) sums.fill_slot(to, piece(to, index));
      },
      [&](std::size_t index) {
        const Part mine = piece(link.rank(), index);
        std::byte* const result = link.region().result(link.turn(), link.rank());
        std::byte* const destinations[] = {data + mine.begin_bytes, result};
        sums.sum_into(destinations, mine);
      },
      [&](std::size_t index) {
        for (int from = 0; from < link.world_size(); ++from) {
          if (from == link.rank()) continue;
          const Part theirs = piece(from, index);
          std::memcpy(data + theirs.begin_bytes, link.region().result(link.turn() - 1, from),
                      theirs.size_bytes);
        }
      });
}

void staged_reduce_scatter(Link& link, std::byte* output, const std::byte* input, std::size_t count,
                           Type type) {
  const std::size_t chunk = link.region().chunk_bytes();
  const std::size_t part_bytes = count * size_of(type);
  const auto piece = [&](int rank, std::size_t index) {
    return equal_part(part_bytes, rank).piece(index * chunk, chunk);
  };
  StagedSum sums(link, input, type);
  pipeline(
      link, chunks_of(part_bytes, chunk),
      [&](std::size_t index) {
        for (int to = 0; to < link.world_size(); ++to) sums.fill_slot(to, piece(to, index));
      },
      [&](std::size_t index) {
        std::byte* const destination = output + index * chunk;
        sums.sum_into({&destination, 1}, piece(link.rank(), index));
      });
}

void staged_all_gather(Link& link, std::byte* output, const std::byte* input,
                       std::size_t part_bytes) {
  // One rank's slots are adjacent, so together they are one larger slot that all others read.
  const auto ranks = static_cast<std::size_t>(link.world_size());
  const std::size_t chunk = link.region().chunk_bytes() * ranks;
  const auto piece = [&](int rank, std::size_t index) {
    return equal_part(part_bytes, rank).piece(index * chunk, chunk);
  };
  pipeline(
      link, chunks_of(part_bytes, chunk),
      [&](std::size_t index) {
        const std::size_t size = piece(link.rank(), index).size_bytes;
        std::memcpy(link.region().slot(link.turn(), link.rank(), 0), input + index * chunk, size);
      },
      [&](std::size_t index) {
        for (int from = 0; from < link.world_size(); ++from) {
          const Part theirs = piece(from, index);
          if (from == link.rank()) {
            std::memmove(output + theirs.begin_bytes, input + index * chunk, theirs.size_bytes);
          } else {
            std::memcpy(output + theirs.begin_bytes, link.region().slot(link.turn() - 1, from, 0),
                        theirs.size_bytes);
          }
        }
      });
}

void staged_broadcast(Link& link, std::byte* data, std::size_t bytes, int root) {
  const auto ranks = static_cast<std::size_t>(link.world_size());
  const std::size_t chunk = link.region().chunk_bytes() * ranks;
  const Part all{0, bytes};
  pipeline(
      link, chunks_of(bytes, chunk),
      [&](std::size_t index) {
        if (link.rank() != root) return;
        const Part piece = all.piece(index * chunk, chunk);
        std::memcpy(link.region().slot(link.turn(), root, 0), data + piece.begin_bytes,
                    piece.size_bytes);
      },
      [&](std::size_t index) {
        if (link.rank() == root) return;
        const Part piece = all.piece(index * chunk, chunk);
        std::memcpy(data + piece.begin_bytes, link.region().slot(link.turn() - 1, root, 0),
                    piece.size_bytes);
      });
}

bool small_fits(Link& link, std::size_t bytes) {
  // Every rank sums everything. Beyond this size that repeated work costs more than two barriers.
  constexpr std::size_t kSmallBytes = 16 << 10;
  const std::size_t slots =
      link.region().chunk_bytes() * static_cast<std::size_t>(link.world_size());
  return bytes <= std::min(kSmallBytes, slots);
}

void small_put(Link& link, const std::byte* data, std::size_t bytes) {
  std::memcpy(link.region().slot(link.turn(), link.rank(), 0), data, bytes);
}

const std::byte* small_of(Link& link, int rank) {
  return link.region().slot(link.turn() - 1, rank, 0);
}

}  // namespace sweepd::shm
