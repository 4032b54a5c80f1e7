// The device that a rank runs on, as the measure loop sees it: a clock on the work's stream, memory
// figures, and facts. Includes no torch header; workloads/devices.cpp implements it for torch's CPU
// allocator and libsweep_cuda.so for CUDA.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "runner/base/units.h"
#include "runner/model/machine/environment.h"
#include "workloads/api/memory_observer.h"

namespace sweepd {

struct MemoryUsage {
  Bytes allocated;       // live blocks now
  Bytes peak_allocated;  // since reset_peak
  Bytes reserved;        // held from the system now
  Bytes peak_reserved;   // since reset_peak
  Bytes device_in_use;   // CUDA: total - free of cudaMemGetInfo; CPU: resident set
};

// Marks on the device's stream. Recording is asynchronous and allocates nothing; reading needs a
// synchronise first.
class Timeline {
 public:
  virtual ~Timeline() = default;
  virtual void clear() = 0;
  virtual void mark() = 0;                                          // the n-th call is mark n - 1
  virtual double elapsed_ms(std::size_t from, std::size_t to) = 0;  // from <= to, both recorded
  // Whether the device has come to mark `at` by now. Does not wait.
  virtual bool reached(std::size_t at) = 0;
};

class KernelTracer;   // workloads/api/profiler.h
class RangeObserver;  // workloads/api/range.h

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view kind() const = 0;  // "cpu", "cuda"
  virtual int index() const = 0;              // index within the process, as torch uses it
  virtual void synchronize() = 0;
  // Keeps the device's queue busy for about `time` before the next enqueued work, and returns at
  // once. Returns false if the device has no queue, because work runs while it is called.
  virtual bool hold(Duration) { return false; }
  // Overwrites a buffer of flush_size() bytes, so that later work finds nothing of earlier work in
  // the last-level cache. Enqueues that as work. Allocates the buffer at the first call and keeps
  // it. Returns its size.
  virtual Bytes flush_cache(Bytes at_least) = 0;
  virtual std::unique_ptr<Timeline> timeline(std::size_t capacity) = 0;
  virtual MemoryUsage memory() = 0;
  virtual void reset_peak_memory() = 0;
  // Reports every block from now on to `observer`, which must outlive the recording. Returns null
  // if the device cannot (nothing counts its blocks). One recording at a time.
  virtual std::unique_ptr<MemoryRecording> record_memory(MemoryObserver&) { return nullptr; }
  virtual DeviceInfo info() = 0;
  virtual DeviceState state() = 0;               // clocks, temperature ...; leaves `moment` empty
  virtual void fill_versions(Environment&) = 0;  // torch, CUDA, cuDNN, NCCL, flags, cpu_math
  // The recorder of this device's kernels; null if there are only the host's operators. Owned by
  // the device.
  virtual KernelTracer* kernel_tracer() { return nullptr; }
  // Shows the workload's ranges to a tool that listens to this process (Nsight Systems through
  // NVTX); null if there is none. Owned by the device.
  virtual RangeObserver* tool_ranges() { return nullptr; }
  // If the exception being handled is an out-of-memory error of this device, throws OutOfMemory in
  // its place; else returns. Call inside a catch block.
  virtual void rethrow_out_of_memory() = 0;
};

// Twice the last-level cache. If that is unknown (0), as much as triton.testing.do_bench writes.
constexpr Bytes flush_size(Bytes last_level_cache, Bytes at_least) {
  const Bytes twice{2 * last_level_cache.value};
  return std::max(at_least, twice.value > 0 ? twice : 256_MiB);
}

// Kernels can only be traced from the start of the process: the tracer must exist before the
// device's context. kOff loads nothing of it.
enum class KernelTracing { kOff, kOn };

struct DeviceOptions {
  std::string kind = "cpu";
  int index = 0;
  Bytes memory_limit{0};  // 0: all that the device has
  int threads = 1;
  KernelTracing tracing = KernelTracing::kOff;  // kOn only in the profile pass
};

// Throws Unavailable with the reason if this build or machine has no such device.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

// "2.11.0"; empty in a build without LibTorch.
std::string_view libtorch_version();

}  // namespace sweepd
