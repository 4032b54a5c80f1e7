// torch's CPU memory, counted and limited: live bytes, their peak, and a refusal beyond a limit, so
// that out-of-memory on a CPU is an ordinary outcome and not the kernel's killer.
//
// Counts what tensors asked for, without headers and rounding; buffers that MKL and oneDNN take for
// themselves are outside (the resident set shows them). Thread-safe: blocks may be freed on any
// thread. The peak is exact: it is raised by the very addition that made it.
#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

#include "workloads/api/failure.h"
#include "workloads/api/memory_observer.h"

namespace sweepd {

class CountingAllocator final : public c10::Allocator {
 public:
  // The process's only one; the first call makes it torch's CPU allocator. Tensors made before keep
  // theirs and are not counted.
  static CountingAllocator& install();

  // Throws sweepd::OutOfMemory when the block would pass the limit or the system refuses it. Blocks
  // are aligned to 64 bytes, and the data pointer is the context pointer: oneDNN relies on both.
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  // For a tensor whose memory comes from elsewhere, shared memory say: counted, limited and told
  // like a block of its own.
  void charge(const void* block, std::int64_t bytes);
  void refund(const void* block, std::int64_t bytes);
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  void set_limit(std::int64_t bytes);  // 0: none. Forgets the last refusal.
  std::int64_t limit() const { return limit_; }
  std::int64_t allocated() const { return allocated_; }
  std::int64_t peak() const { return peak_; }
  void reset_peak();  // to what is allocated now

  // What was thrown last: libraries may have turned it into an error of their own.
  std::optional<OutOfMemory> last_refusal() const;

  // Told of every block until it is replaced by null; null is the state outside of a memory pass.
  // Blocks that other threads allocate or free at that moment may still be told.
  void set_observer(MemoryObserver* observer) { observer_ = observer; }
  MemoryObserver* observer() const { return observer_; }

 private:
  std::int64_t reserve(std::int64_t bytes);  // the total it made
  [[noreturn]] void refuse(const OutOfMemory& refusal);
  static void tell(MemoryChange::Action action, const void* block, std::int64_t bytes,
                   std::int64_t total);
  static void release(void* block);

  std::atomic<std::int64_t> allocated_{0}, peak_{0}, limit_{0};
  std::atomic<MemoryObserver*> observer_{nullptr};
  mutable std::mutex refusal_mutex_;
  std::optional<OutOfMemory> refusal_;
};

}  // namespace sweepd
