#include "workloads/dist/shm/heap.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "workloads/api/failure.h"

namespace sweepd::shm {
namespace {

Bytes to_bytes(std::size_t bytes) {
  return {static_cast<std::int64_t>(std::min<std::size_t>(bytes, INT64_MAX))};
}

}  // namespace

Heap::Heap(std::shared_ptr<Region> region, int rank)
    : region_(std::move(region)), base_(region_->heap(rank)) {
  if (region_->heap_bytes() > 0) free_.emplace(0, region_->heap_bytes());
}

std::size_t Heap::take(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto fits = std::find_if(free_.begin(), free_.end(),
                                 [&](const auto& range) { return range.second >= bytes; });
  if (fits == free_.end()) {
    throw OutOfMemory(to_bytes(bytes), to_bytes(in_use_bytes_), to_bytes(region_->heap_bytes()));
  }
  const auto [offset, size] = *fits;
  free_.erase(fits);
  if (size > bytes) free_.emplace(offset + bytes, size - bytes);
  used_.emplace(offset, bytes);
  in_use_bytes_ += bytes;
  return offset;
}

void Heap::give_back(std::size_t offset, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_.erase(offset);
  in_use_bytes_ -= bytes;
  auto here = free_.emplace(offset, bytes).first;
  const auto next = std::next(here);
  if (next != free_.end() && here->first + here->second == next->first) {
    here->second += next->second;
    free_.erase(next);
  }
  if (here == free_.begin()) return;
  const auto previous = std::prev(here);
  if (previous->first + previous->second == here->first) {
    previous->second += here->second;
    free_.erase(here);
  }
}

void* Heap::allocate(std::size_t bytes) {
  if (bytes > region_->heap_bytes()) {
    throw OutOfMemory(to_bytes(bytes), to_bytes(in_use_bytes()), to_bytes(region_->heap_bytes()));
  }
  const std::size_t size = std::max(kPage, (bytes + kPage - 1) / kPage * kPage);
  const std::size_t offset = take(size);
  std::byte* const block = base_ + offset;
  // Allocates the pages now: a page that is missing later would end the process by SIGBUS.
  if (::posix_fallocate(region_->fd(), block - region_->base(), static_cast<off_t>(size)) != 0) {
    give_back(offset, size);
    throw OutOfMemory(to_bytes(bytes), to_bytes(in_use_bytes()), to_bytes(region_->heap_bytes()));
  }
  // Large pages for shared memory, if the system has them, need fewer TLB entries.
  ::madvise(block, size, MADV_HUGEPAGE);
  return block;
}

void Heap::release(void* block) {
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(block) - base_);
  std::size_t size = 0;
  {
    const std::lock_guard lock(mutex_);
    size = used_.at(offset);
  }
  // Frees the pages before the range can be used again. If that fails they stay.
  (void)::fallocate(region_->fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<std::byte*>(block) - region_->base(), static_cast<off_t>(size));
  give_back(offset, size);
}

std::size_t Heap::in_use_bytes() {
  const std::lock_guard lock(mutex_);
  return in_use_bytes_;
}

}  // namespace sweepd::shm
