#include "workloads/cpu/counting_allocator.h"

#include <c10/core/CPUAllocator.h>

#include <cstdlib>

#include "workloads/api/failure.h"
#include "workloads/torch/operator_name.h"

namespace sweepd {
namespace {

// Precedes every block with its size, which a free does not get. 64 bytes keep the alignment.
constexpr std::size_t kAlignment = 64;
struct alignas(kAlignment) Header {
  std::int64_t bytes;
};
static_assert(sizeof(Header) == kAlignment);

CountingAllocator& instance() {
  // Never destroyed, because tensors in statics are freed after all our destructors.
  static auto* const allocator = new CountingAllocator;
  return *allocator;
}

}  // namespace

CountingAllocator& CountingAllocator::install() {
  CountingAllocator& allocator = instance();
  if (c10::GetCPUAllocator() != &allocator) c10::SetCPUAllocator(&allocator, /*priority=*/1);
  return allocator;
}

void CountingAllocator::set_limit(std::int64_t bytes) {
  limit_ = bytes;
  const std::lock_guard lock(refusal_mutex_);
  refusal_.reset();
}

void CountingAllocator::refuse(const OutOfMemory& refusal) {
  {
    const std::lock_guard lock(refusal_mutex_);
    refusal_ = refusal;
  }
  throw refusal;
}

std::optional<OutOfMemory> CountingAllocator::last_refusal() const {
  const std::lock_guard lock(refusal_mutex_);
  return refusal_;
}

std::int64_t CountingAllocator::reserve(std::int64_t bytes) {
  std::int64_t before = allocated_;
  const std::int64_t limit = limit_;
  do {
    // The limit is checked against the same total that the exchange replaces, so that threads
    // cannot exceed it together.
    if (limit > 0 && bytes > limit - before) refuse({{bytes}, {before}, {limit}});
  } while (!allocated_.compare_exchange_weak(before, before + bytes));
  std::int64_t peak = peak_;
  while (peak < before + bytes && !peak_.compare_exchange_weak(peak, before + bytes)) {
  }
  return before + bytes;
}

c10::DataPtr CountingAllocator::allocate(std::size_t bytes) {
  const c10::Device cpu(c10::DeviceType::CPU);
  // torch asks for 0 bytes for empty tensors; they have no block.
  if (bytes == 0) return {nullptr, nullptr, &release, cpu};
  const auto counted = static_cast<std::int64_t>(bytes);
  if (counted < 0 || bytes > SIZE_MAX - 2 * kAlignment) {
    refuse({{INT64_MAX}, {allocated_}, {limit_}});
  }
  const std::int64_t total = reserve(counted);
  void* memory = nullptr;
  // Counted before it is allocated, so that the limit also holds while other threads allocate.
  if (posix_memalign(&memory, kAlignment, bytes + sizeof(Header)) != 0) {
    allocated_ -= counted;
    refuse({{counted}, {allocated_}, {limit_}});
  }
  auto* header = new (memory) Header{counted};
  void* block = header + 1;
  tell(MemoryChange::Action::kAllocate, block, counted, total);
  return {block, block, &release, cpu};
}

void CountingAllocator::charge(const void* block, std::int64_t bytes) {
  tell(MemoryChange::Action::kAllocate, block, bytes, reserve(bytes));
}

void CountingAllocator::refund(const void* block, std::int64_t bytes) {
  tell(MemoryChange::Action::kFree, block, bytes, allocated_ -= bytes);
}

// Called before the block is freed, so that no other thread can get its address and report it
// first.
void CountingAllocator::tell(MemoryChange::Action action, const void* block, std::int64_t bytes,
                             std::int64_t total) {
  MemoryObserver* const observer = instance().observer_;
  if (observer == nullptr) return;
  // Nothing is cached, so reserved equals allocated.
  observer->on_change({action, block, {bytes}, {total}, {total}, OperatorNames::current()});
}

void CountingAllocator::release(void* block) {
  if (block == nullptr) return;
  Header* header = static_cast<Header*>(block) - 1;
  const std::int64_t total = instance().allocated_ -= header->bytes;
  tell(MemoryChange::Action::kFree, block, header->bytes, total);
  std::free(header);
}

c10::DeleterFnPtr CountingAllocator::raw_deleter() const {
  return &release;
}

void CountingAllocator::copy_data(void* to, const void* from, std::size_t bytes) const {
  default_copy_data(to, from, bytes);
}

void CountingAllocator::reset_peak() {
  peak_ = allocated_.load();
}

}  // namespace sweepd
