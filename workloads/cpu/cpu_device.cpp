#include "workloads/cpu/cpu_device.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/headeronly/version.h>

#include <cstdlib>
#include <limits>
#include <new>
#include <string>
#include <string_view>

#include "runner/base/host.h"
#include "workloads/api/failure.h"
#include "workloads/api/host_device.h"
#include "workloads/cpu/bf16_products.h"
#include "workloads/cpu/counting_allocator.h"
#include "workloads/torch/flush_buffer.h"
#include "workloads/torch/operator_name.h"

namespace sweepd {
namespace {

// Which path MKL uses for matrix products. The MKL inside LibTorch uses its AVX-512 and AVX2 paths
// only on Intel's CPUs, and on others a path that is about half as fast. sweepd answers MKL's
// question itself (mkl_serv_intel_cpu_true, below), so that a figure describes the machine and not
// its vendor string. SWEEPD_MKL_VENDOR_DEFAULT=1 in the worker's environment keeps MKL's own
// answer.
enum class MklPath { kVendorDefault, kAvx2, kAvx512 };

MklPath choose_path() {
  const char* wanted = std::getenv("SWEEPD_MKL_VENDOR_DEFAULT");
  if (wanted != nullptr && std::string_view(wanted) == "1") return MklPath::kVendorDefault;
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
    return MklPath::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return MklPath::kAvx2;
  return MklPath::kVendorDefault;
}

MklPath path() {
  // Chosen once: MKL may call at any time, and its answer must not change.
  static const MklPath chosen = choose_path();
  return chosen;
}

// "mkl-avx512", "mkl-avx2": the widest path of the CPU, by our answer; "mkl-vendor-default": MKL's
// own choice, because it was requested or the CPU has neither. Stored with every attempt.
std::string cpu_math() {
  switch (path()) {
    case MklPath::kAvx512:
      return "mkl-avx512";
    case MklPath::kAvx2:
      return "mkl-avx2";
    case MklPath::kVendorDefault:
      return "mkl-vendor-default";
  }
  return {};
}

class CpuRecording final : public MemoryRecording {
 public:
  CpuRecording(CountingAllocator& allocator, MemoryObserver& observer)
      : allocator_(allocator), before_{allocator.allocated()} {
    allocator_.set_observer(&observer);
  }
  ~CpuRecording() override { allocator_.set_observer(nullptr); }
  Bytes allocated_before() const override { return before_; }
  Bytes reserved_before() const override { return before_; }

 private:
  OperatorNames operators_;
  CountingAllocator& allocator_;
  Bytes before_;
};

// A step frees its tensors and allocates equal ones in the next step. By default glibc returns them
// to the kernel in between, and each step pays for fresh pages: a seventh of a bf16 step of the
// small model, a fifth of its forward pass. Blocks that are larger than the threshold, its largest,
// are still mapped one by one, so that the heap does not fragment.
void keep_freed_memory() {
#ifdef __GLIBC__
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
#endif
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const DeviceOptions& options) : allocator_(CountingAllocator::install()) {
    keep_freed_memory();
    // Without its own limit, a trial that does not fit must still fail in the allocator and
    // not be killed.
    const bool limited = options.memory_limit.value > 0;
    allocator_.set_limit((limited ? options.memory_limit : available_memory()).value);
    // Setting the thread count also creates Caffe2's thread pool, which nothing here uses: its
    // thread busy-waits for some milliseconds during the set-up. So it is set only if it changes.
    if (options.threads > 0 && options.threads != at::get_num_threads()) {
      at::set_num_threads(options.threads);
    }
  }

  std::string_view kind() const override { return "cpu"; }
  int index() const override { return 0; }
  void synchronize() override {}
  Bytes flush_cache(Bytes at_least) override {
    return flushed_.overwrite(at::kCPU, flush_size(read_host().cache, at_least));
  }
  // Operators have finished when they return, so the host clock serves as the device's.
  std::unique_ptr<Timeline> timeline(std::size_t capacity) override {
    return make_host_timeline(capacity);
  }

  // Nothing is cached, so reserved equals allocated.
  MemoryUsage memory() override {
    const Bytes now{allocator_.allocated()}, peak{allocator_.peak()};
    return {now, peak, now, peak, resident_set()};
  }
  void reset_peak_memory() override { allocator_.reset_peak(); }
  std::unique_ptr<MemoryRecording> record_memory(MemoryObserver& observer) override {
    return std::make_unique<CpuRecording>(allocator_, observer);
  }

  DeviceInfo info() override { return host_device_info(); }

  DeviceState state() override {
    DeviceState state;
    state.load_average = load_average();
    return state;
  }

  void fill_versions(Environment& environment) override {
    environment.torch_version = TORCH_VERSION;
    environment.cpu_math = cpu_math() + (has_bf16_products_in_fp32() ? ", bf16 in fp32" : "");
    environment.threads = at::get_num_threads();
  }

  // The allocator throws OutOfMemory itself and ATen passes it on (tested). Two cases remain: the
  // bad_alloc of code that allocates elsewhere, whose size is unknown, and compiled steps, whose C
  // interface hides the cause. Any other exception keeps its meaning, even if an allocation was
  // refused before.
  void rethrow_out_of_memory() override {
    try {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw OutOfMemory({0}, {allocator_.allocated()}, {allocator_.limit()});
    } catch (const std::exception& error) {
      const auto refusal = allocator_.last_refusal();
      if (refusal && hides_its_cause(error)) throw OutOfMemory(*refusal);
    } catch (...) {
    }
  }

 private:
  CountingAllocator& allocator_;
  FlushBuffer flushed_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(const DeviceOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

std::string_view libtorch_version() {
  return TORCH_VERSION;
}

}  // namespace sweepd

// MKL calls this exported function to ask whether the CPU is Intel's. Symbol lookup finds a
// definition in the executable before libtorch_cpu.so's; the linker exports it because that library
// defines it too.
extern "C" int mkl_serv_intel_cpu_true() {
  if (sweepd::path() != sweepd::MklPath::kVendorDefault) return 1;
  using Answer = int (*)();
  static const auto original =
      reinterpret_cast<Answer>(dlsym(RTLD_NEXT, "mkl_serv_intel_cpu_true"));
  return original != nullptr ? original() : 0;
}
