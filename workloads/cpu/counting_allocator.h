// Counts and limits torch's CPU memory: live bytes, their peak, and a refusal beyond a limit, so
// that running out of memory on a CPU is an ordinary outcome instead of a kill by the kernel.
//
// Counts the sizes that tensors request, without headers and rounding. Buffers that MKL and oneDNN
// allocate themselves are not counted (the resident set includes them). Thread-safe: any thread may
// free a block. The peak is exact, because the addition that reaches it also records it.
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
  // Returns the only allocator of the process. The first call makes it torch's CPU allocator.
  // Tensors made before that keep theirs and are not counted.
  static CountingAllocator& install();

  // Throws sweepd::OutOfMemory if the block would exceed the limit or the system refuses it. Blocks
  // are aligned to 64 bytes, and the data pointer is the context pointer: oneDNN relies on both.
  c10::DataPtr allocate(std::size_t bytes) override;
  c10::DeleterFnPtr raw_deleter() const override;
  // For a tensor whose memory comes from elsewhere, such as shared memory: it is counted, limited
  // and reported like a block of this allocator.
  void charge(const void* block, std::int64_t bytes);
  void refund(const void* block, std::int64_t bytes);
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  void set_limit(std::int64_t bytes);  // 0: none. Also forgets the last refusal.
  std::int64_t limit() const { return limit_; }
  std::int64_t allocated() const { return allocated_; }
  std::int64_t peak() const { return peak_; }
  void reset_peak();  // to the present allocation

  // The exception thrown last, which libraries may have turned into their own error.
  std::optional<OutOfMemory> last_refusal() const;

  // The observer gets every block until it is replaced by null; it is null outside of a memory
  // pass. Blocks that other threads allocate or free at that moment may still be reported.
  void set_observer(MemoryObserver* observer) { observer_ = observer; }
  MemoryObserver* observer() const { return observer_; }

 private:
  std::int64_t reserve(std::int64_t bytes);  // returns the new total
  [[noreturn]] void refuse(const OutOfMemory& refusal);
  static void tell(MemoryChange::Action action, const void* block, std::int64_t bytes,
                   std::int64_t total);
  static void release(void* block);

  std::atomic<std::int64_t> allocated_{0}, peak_{0}, limit_{0};
  // Any thread allocates and frees, and the memory pass sets this in between.
  std::atomic<MemoryObserver*> observer_{nullptr};
  mutable std::mutex refusal_mutex_;
  std::optional<OutOfMemory> refusal_;
};

}  // namespace sweepd
