#include "workloads/dist/shm/group.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "workloads/dist/shm/remote.h"
#include "workloads/dist/shm/staged.h"

namespace sweepd::shm {

Group::Group(std::shared_ptr<Region> region, int rank, Reach reach,
             std::chrono::milliseconds timeout)
    : link_(region, rank, reach, timeout), heap_(std::make_shared<Heap>(std::move(region), rank)) {
  for (int peer = 0; peer < world_size(); ++peer) sources_.push_back(nullptr);
}

void Group::barrier() {
  link_.announce({.op = Op::kBarrier});
}

double Group::largest(double mine) {
  double result = mine;
  for (const Call& call : link_.announce({.op = Op::kLargest, .value = mine})) {
    result = std::fmax(result, call.value);
  }
  return result;
}

Group::Way Group::announce(Call call, const void* tensor, std::size_t tensor_bytes,
                           std::size_t small_bytes) {
  // Depends on the size alone, so that all ranks decide in the same way.
  const bool small = small_fits(link_, small_bytes);
  if (small) {
    const bool has_data = call.op != Op::kBroadcast || call.root == rank();
    if (has_data) small_put(link_, static_cast<const std::byte*>(tensor), tensor_bytes);
  }
  call.address = reinterpret_cast<std::uint64_t>(tensor);
  call.offset = link_.region().heap_offset(tensor, tensor_bytes);
  calls_ = link_.announce(call);
  if (small) return Way::kSmall;
  return can_reach(link_, calls_) ? Way::kRemote : Way::kStaged;
}

void Group::all_reduce(void* data, std::size_t count, Type type) {
  if (count == 0) return;
  auto* const bytes = static_cast<std::byte*>(data);
  const std::size_t size = count * size_of(type);
  switch (announce({.op = Op::kAllReduce, .type = static_cast<std::uint32_t>(type), .count = count},
                   data, size, size)) {
    case Way::kSmall:
      for (int peer = 0; peer < world_size(); ++peer) {
        sources_[static_cast<std::size_t>(peer)] = small_of(link_, peer);
      }
      return sum(type, sources_, {&bytes, 1}, count);
    case Way::kRemote:
      remote_all_reduce(link_, calls_, count, type);
      return link_.next_turn();
    case Way::kStaged:
      return staged_all_reduce(link_, bytes, count, type);
  }
}

void Group::reduce_scatter(void* output, const void* input, std::size_t count, Type type) {
  if (count == 0) return;
  auto* const out = static_cast<std::byte*>(output);
  const std::size_t part = count * size_of(type);
  const std::size_t size = part * static_cast<std::size_t>(world_size());
  switch (
      announce({.op = Op::kReduceScatter, .type = static_cast<std::uint32_t>(type), .count = count},
               input, size, size)) {
    case Way::kSmall:
      for (int peer = 0; peer < world_size(); ++peer) {
        sources_[static_cast<std::size_t>(peer)] =
            small_of(link_, peer) + equal_part(part, rank()).begin_bytes;
      }
      return sum(type, sources_, {&out, 1}, count);
    case Way::kRemote:
      remote_reduce_scatter(link_, calls_, out, count, type);
      return link_.next_turn();
    case Way::kStaged:
      return staged_reduce_scatter(link_, out, static_cast<const std::byte*>(input), count, type);
  }
}

void Group::all_gather(void* output, const void* input, std::size_t part_bytes) {
  if (part_bytes == 0) return;
  auto* const out = static_cast<std::byte*>(output);
  switch (announce({.op = Op::kAllGather, .count = part_bytes}, input, part_bytes, part_bytes)) {
    case Way::kSmall:
      for (int peer = 0; peer < world_size(); ++peer) {
        std::memcpy(out + equal_part(part_bytes, peer).begin_bytes, small_of(link_, peer),
                    part_bytes);
      }
      return;
    case Way::kRemote:
      remote_all_gather(link_, calls_, out, part_bytes);
      return link_.next_turn();
    case Way::kStaged:
      return staged_all_gather(link_, out, static_cast<const std::byte*>(input), part_bytes);
  }
}

void Group::broadcast(void* data, std::size_t bytes, int root) {
  if (root < 0 || root >= world_size()) {
    throw std::invalid_argument(
        fmt::format("shm: broadcast from rank {} of {}", root, world_size()));
  }
  if (bytes == 0) return;
  auto* const out = static_cast<std::byte*>(data);
  switch (announce({.op = Op::kBroadcast, .root = root, .count = bytes}, data, bytes, bytes)) {
    case Way::kSmall:
      if (rank() != root) std::memcpy(out, small_of(link_, root), bytes);
      return;
    case Way::kRemote:
      remote_broadcast(link_, calls_, out, bytes, root);
      return link_.next_turn();
    case Way::kStaged:
      return staged_broadcast(link_, out, bytes, root);
  }
}

}  // namespace sweepd::shm
