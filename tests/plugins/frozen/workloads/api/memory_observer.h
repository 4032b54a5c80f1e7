// Every allocation and release of a device as it happens, which the memory pass records. The timing
// pass has no observer; each block then costs its allocator one extra load and branch.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "runner/base/units.h"

namespace sweepd {

struct MemoryChange {
  enum class Action { kAllocate, kFree };
  Action action = Action::kAllocate;
  const void* block = nullptr;
  Bytes size;       // as the tensor requested it
  Bytes allocated;  // live after the change
  Bytes reserved;   // held from the system after the change
  // The operator that runs on this thread (`aten::mm`), "" outside of any. Valid during the call.
  std::string_view operation;
};

// Called on the thread that allocates or frees, under the allocator's lock if it has one: must not
// allocate on the device and must not throw. Several threads may call at once.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void on_change(const MemoryChange& change) noexcept = 0;
};

// Returned by Device::record_memory. The observer is called until this object is destroyed.
class MemoryRecording {
 public:
  virtual ~MemoryRecording() = default;
  // The live memory when the recording began, as in MemoryChange::allocated and ::reserved.
  virtual Bytes allocated_before() const = 0;
  virtual Bytes reserved_before() const = 0;
  // Writes a snapshot for PyTorch's memory viewer (pytorch.org/memory_viz). Returns false if the
  // device has none.
  virtual bool save_snapshot(const std::filesystem::path&) { return false; }
};

}  // namespace sweepd
