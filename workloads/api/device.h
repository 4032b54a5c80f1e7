// The device a rank runs on, as the measure loop sees it: a clock on the work's stream, memory
// figures, and facts. No torch header here; workloads/devices.cpp implements it for torch's CPU
// allocator and libsweep_cuda.so for CUDA.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "runner/base/units.h"
#include "runner/model/environment.h"
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
};

class KernelTracer;   // workloads/api/profiler.h
class RangeObserver;  // workloads/api/range.h

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view kind() const = 0;  // "cpu", "cuda"
  virtual int index() const = 0;              // within the process: what torch calls it
  virtual void synchronize() = 0;
  virtual std::unique_ptr<Timeline> timeline(std::size_t capacity) = 0;
  virtual MemoryUsage memory() = 0;
  virtual void reset_peak_memory() = 0;
  // Tells `observer`, which must outlive the recording, of every block from now on. Null where the
  // device cannot (nothing counts its blocks). One recording at a time.
  virtual std::unique_ptr<MemoryRecording> record_memory(MemoryObserver&) { return nullptr; }
  virtual DeviceInfo info() = 0;
  virtual DeviceState state() = 0;               // clocks, temperature ...; `moment` left empty
  virtual void fill_versions(Environment&) = 0;  // torch, CUDA, cuDNN, NCCL, flags, cpu_math
  // What sees this device's kernels; null where the host's operators are all there is. The
  // device's.
  virtual KernelTracer* kernel_tracer() { return nullptr; }
  // Shows the workload's ranges to a tool that listens to this process (Nsight Systems through
  // NVTX); null where none does. The device's.
  virtual RangeObserver* tool_ranges() { return nullptr; }
  // Turns the exception now being handled into OutOfMemory and throws that, when it is one of this
  // device's out-of-memory errors; else returns. Call inside a catch block.
  virtual void rethrow_out_of_memory() = 0;
};

// Kernels can only be traced from the start of the process: the tracer must be there before the
// device's context is. kOff loads none of it.
enum class KernelTracing { kOff, kOn };

struct DeviceOptions {
  std::string kind = "cpu";
  int index = 0;
  Bytes memory_limit{0};  // 0: what the device has
  int threads = 1;
  KernelTracing tracing = KernelTracing::kOff;  // of the profile pass alone
};

// Throws Unavailable when this build or machine has no such device, with the reason.
std::unique_ptr<Device> make_device(const DeviceOptions& options);

}  // namespace sweepd
