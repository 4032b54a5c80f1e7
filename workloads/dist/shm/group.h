// Collective operations of the ranks of one host over shared memory, on plain pointers and without
// LibTorch. Every rank makes the same calls in the same order, each on one thread at a time. A call
// returns when its result is there and its tensors may change again.
//
// Results are the same on all ranks, bit for bit: each element is summed once, in the order of the
// ranks (sum.h).
//
// How a message is sent depends on its size and on its memory:
//   at most 16 KiB            through the slots, one barrier; every rank sums for itself
//   in the heaps (allocate)   not sent: ranks read and write each other's tensors in place
//   in private memory         one copy by the kernel each way (remote.h), if it lets one process
//                             read another's memory; else through the slots, two copies (staged.h)
//
// Throws std::invalid_argument on all ranks if they make different calls, std::runtime_error if a
// rank is gone; the group cannot be used after either. It waits for a rank that hangs, until the
// attempt's deadline.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>

#include "workloads/dist/shm/heap.h"
#include "workloads/dist/shm/link.h"
#include "workloads/dist/shm/sum.h"

namespace sweepd::shm {

class Group {
 public:
  // Returns when all ranks of `region` have made their group; see Link.
  Group(std::shared_ptr<Region> region, int rank, Reach reach = Reach::kBest,
        std::chrono::milliseconds timeout = {});

  int rank() const { return link_.rank(); }
  int world_size() const { return link_.world_size(); }

  void barrier();
  double largest(double mine);
  // In place.
  void all_reduce(void* data, std::size_t count, Type type);
  // output: `count` elements, part `rank` of the sum of `input`, world_size * count elements.
  void reduce_scatter(void* output, const void* input, std::size_t count, Type type);
  // output: world_size parts, by rank; `input` may be output's own part.
  void all_gather(void* output, const void* input, std::size_t part_bytes);
  void broadcast(void* data, std::size_t bytes, int root);

  // For tensors that all ranks can access. May outlive the group.
  const std::shared_ptr<Heap>& heap() const { return heap_; }

 private:
  enum class Way { kSmall, kRemote, kStaged };
  // Announces the call: with its data if it is small (`bytes` of `data`), else with the address of
  // `tensor`.
  Way announce(Call call, const void* tensor, std::size_t tensor_bytes, std::size_t small_bytes);

  Link link_;
  std::shared_ptr<Heap> heap_;
  std::vector<const std::byte*> sources_;
  std::span<const Call> calls_;
};

}  // namespace sweepd::shm
