#include "workloads/cuda/cuda_recording.h"

#include <c10/cuda/CUDACachingAllocator.h>
#include <torch/csrc/cuda/memory_snapshot.h>

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <string>

#include "workloads/torch/operator_name.h"

namespace sweepd {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;
using Entry = c10::CachingDeviceAllocator::TraceEntry;
constexpr std::size_t kAggregate = 0;  // small and large pools together

// The allocator calls trackers under its lock, so plain numbers suffice for one device.
struct Tracked {
  int device = 0;
  MemoryObserver* observer = nullptr;
  std::int64_t allocated = 0, reserved = 0;
};
// A tracker cannot be removed, so one stays attached and looks here.
std::atomic<Tracked*> tracked{nullptr};

void on_entry(const Entry& entry) {
  Tracked* const now = tracked;
  if (now == nullptr || entry.device_ != now->device) return;
  const auto size = static_cast<std::int64_t>(entry.size_);
  MemoryChange change;
  change.block = reinterpret_cast<const void*>(entry.addr_);
  change.size = {size};
  switch (entry.action_) {
    case Entry::SEGMENT_ALLOC:
    case Entry::SEGMENT_MAP:
      now->reserved += size;
      return;
    case Entry::SEGMENT_FREE:
    case Entry::SEGMENT_UNMAP:
      now->reserved -= size;
      return;
    case Entry::ALLOC:
      change.action = MemoryChange::Action::kAllocate;
      now->allocated += size;
      break;
    case Entry::FREE_COMPLETED:  // not FREE_REQUESTED: another stream may still use the block
      change.action = MemoryChange::Action::kFree;
      now->allocated -= size;
      break;
    default:
      return;
  }
  change.allocated = {now->allocated};
  change.reserved = {now->reserved};
  change.operation = OperatorNames::current();
  now->observer->on_change(change);
}

class CudaRecording final : public MemoryRecording {
 public:
  CudaRecording(int device, MemoryObserver& observer) {
    static const bool attached = (allocator::attachAllocatorTraceTracker(&on_entry), true);
    static_cast<void>(attached);
    const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(device));
    tracked_.device = device;
    tracked_.observer = &observer;
    tracked_.allocated = stats.requested_bytes[kAggregate].current;
    tracked_.reserved = stats.reserved_bytes[kAggregate].current;
    before_ = {tracked_.allocated};
    reserved_before_ = {tracked_.reserved};
    torch::cuda::_record_memory_history(std::optional<std::string>("all"),
                                        std::optional<std::string>("all"), "python");
    tracked = &tracked_;
  }
  ~CudaRecording() override {
    tracked = nullptr;
    torch::cuda::_record_memory_history(std::optional<std::string>());
  }
  Bytes allocated_before() const override { return before_; }
  Bytes reserved_before() const override { return reserved_before_; }

  bool save_snapshot(const std::filesystem::path& path) override {
    const std::string pickled = torch::cuda::_memory_snapshot_pickled();
    std::ofstream file(path, std::ios::binary);
    file.write(pickled.data(), static_cast<std::streamsize>(pickled.size()));
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path.string());
    return true;
  }

 private:
  OperatorNames operators_;
  Tracked tracked_;
  Bytes before_, reserved_before_;
};

}  // namespace

std::unique_ptr<MemoryRecording> record_cuda_memory(int device, MemoryObserver& observer) {
  return std::make_unique<CudaRecording>(device, observer);
}

}  // namespace sweepd
