// Records every block of one step: when it was allocated and freed, in which phase and range, and
// its operator or name. Used by the memory pass only.
//
// The recorder's own data is ordinary heap memory, which shows in the resident set but never in the
// device's figures. It takes about 100 bytes per change and is bounded; changes beyond the bound
// are counted as lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/base/clock.h"
#include "runner/model/vocabulary/memory.h"
#include "workloads/api/device.h"
#include "workloads/api/range.h"
#include "workloads/api/tensor_name.h"
#include "workloads/api/workload.h"

namespace sweepd {

// The stored part of a recording. Blocks: the `kLargest` largest, those of at least `kLargeBytes`,
// and those with a name; at most `kMaxBlocks`, the largest first. Timeline: about `kMaxPoints`
// points, including the extremes (memory_timeline.h).
struct MemoryTrace {
  static constexpr std::size_t kLargest = 1000;
  static constexpr std::int64_t kLargeBytes = 1 << 20;
  static constexpr std::size_t kMaxBlocks = 5000;
  static constexpr std::size_t kMaxPoints = 2000;

  std::vector<HeldMemory> held;         // each kind at the moment when most of it was held
  Bytes named_before;                   // size of the tensors held when the step began
  std::vector<Allocation> allocations;  // by sequence
  std::vector<MemoryPoint> timeline;    // by sequence
  std::int64_t changes = 0;             // allocations and frees seen
  std::int64_t lost = 0;                // those among them beyond kMaxChanges
};

class MemoryRecorder final : MemoryObserver, RangeObserver, TensorNameObserver {
 public:
  static constexpr std::size_t kMaxChanges = 2'000'000;

  explicit MemoryRecorder(std::function<Instant()> now = now_instant) : now_(std::move(now)) {}
  MemoryRecorder(const MemoryRecorder&) = delete;
  MemoryRecorder& operator=(const MemoryRecorder&) = delete;
  ~MemoryRecorder() override;

  // The step begins now, in phase "step". Returns false and records nothing if the device cannot.
  bool start(Device& device, const std::vector<HeldTensor>& held);
  bool recording() const { return recording_ != nullptr; }
  void enter(std::string_view phase);
  // Names the blocks of tensors that are held now. For each kind the trace has the tensors of the
  // call that held the most of it: a gradient that moves into a buffer has two names, but never at
  // once.
  void hold(const std::vector<HeldTensor>& tensors);
  // The step ends now. A device that can writes a file for PyTorch's viewer to `snapshot`.
  MemoryTrace stop(const std::filesystem::path& snapshot = {});

 private:
  enum class Mark : std::uint8_t { kAllocate, kFree, kPhase };
  using NameId = std::int32_t;
  struct Change {
    std::int64_t time_ns;
    const void* block;
    std::int64_t size, allocated, reserved;
    NameId phase;
    Mark mark;
  };
  struct Block {
    std::int64_t size;
    std::int64_t allocated_ns, freed_ns;  // freed_ns -1: live
    NameId phase, range, origin;
    bool named;
  };

  struct HeldKind {
    std::int64_t bytes = 0;
    std::map<std::string, std::int64_t> sizes;  // by name
  };

  void on_change(const MemoryChange& change) noexcept override;
  void push(std::string_view range) override;
  void pop() override;
  void name(const void* block, std::string_view name) override;

  void take(const MemoryChange& change);
  void detach();
  std::int64_t elapsed_ns() const { return (now_() - began_).ns; }
  NameId id(std::string_view name);
  std::vector<Allocation> kept_blocks() const;
  std::vector<MemoryPoint> kept_points() const;

  std::function<Instant()> now_;
  Instant began_;
  std::unique_ptr<MemoryRecording> recording_;
  std::mutex mutex_;  // guards everything below: blocks change on any thread
  std::vector<Change> changes_;
  std::vector<Block> blocks_;
  std::unordered_map<const void*, std::size_t> live_;  // index in blocks_
  std::map<HeldTensor::Kind, HeldKind> held_;
  std::vector<std::string> names_;
  std::map<std::string, NameId, std::less<>> ids_;
  std::vector<NameId> ranges_;  // open ones
  NameId phase_ = 0;
  std::int64_t allocated_ = 0, reserved_ = 0;
  std::int64_t named_before_ = 0;
  std::int64_t seen_ = 0, lost_ = 0;
};

std::string_view name_of(HeldTensor::Kind kind);  // "weights", "optimizer_state" ...

}  // namespace sweepd
