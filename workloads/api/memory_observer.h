// Every allocation and release of a device, as it happens: what the memory pass records. Nobody
// observes in the timing pass; there a block costs its allocator one load and one branch more.
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
  Bytes size;       // as the tensor asked for it
  Bytes allocated;  // live after the change
  Bytes reserved;   // held from the system after the change
  // The operator that runs on this thread (`aten::mm`), "" outside of any. Valid during the call.
  std::string_view operation;
};

// Called on the thread that allocates or frees, under the allocator's lock where it has one: must
// not allocate on the device and must not throw. Calls may come from several threads at once.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  virtual void on_change(const MemoryChange& change) noexcept = 0;
};

// What Device::record_memory gives: the observer is called until this is destroyed.
class MemoryRecording {
 public:
  virtual ~MemoryRecording() = default;
  // Live when the recording began, in the terms of MemoryChange::allocated and ::reserved.
  virtual Bytes allocated_before() const = 0;
  virtual Bytes reserved_before() const = 0;
  // Writes a snapshot that PyTorch's memory viewer opens (pytorch.org/memory_viz); false where the
  // device has none.
  virtual bool save_snapshot(const std::filesystem::path&) { return false; }
};

}  // namespace sweepd
