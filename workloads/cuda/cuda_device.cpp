#include "workloads/cuda/cuda_device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/cuda/Sleep.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include "runner/base/host.h"
#include "runner/base/nvml.h"
#include "workloads/cuda/cuda_memory.h"
#include "workloads/cuda/cuda_recording.h"
#include "workloads/cuda/cuda_timeline.h"
#include "workloads/cuda/cuda_versions.h"
#include "workloads/cuda/cupti_tracer.h"
#include "workloads/cuda/nvtx_ranges.h"
#include "workloads/torch/flush_buffer.h"

namespace sweepd {
namespace {

cudaDeviceProp properties_of(int index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return properties;
}

std::int64_t attribute_of(int index, cudaDeviceAttr attribute) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, attribute, index), "cudaDeviceGetAttribute");
  return value;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(const DeviceOptions& options)
      : index_(options.index),
        properties_(properties_of(index_)),
        uuid_(uuid_text(properties_.uuid)),
        clock_khz_(attribute_of(index_, cudaDevAttrClockRate)),
        memory_(index_, options.memory_limit),
        nvml_(Nvml::open()),
        tool_ranges_(make_nvtx_ranges()) {
    if (options.tracing == KernelTracing::kOn) tracer_ = std::make_unique<CuptiTracer>();
    if (options.threads > 0) at::set_num_threads(options.threads);
  }

  std::string_view kind() const override { return "cuda"; }
  int index() const override { return index_; }
  void synchronize() override { check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }
  // Spins for as many cycles as the highest clock has in `time`; longer if the clock is lower.
  bool hold(Duration time) override {
    at::cuda::sleep(time.ns * clock_khz_ / 1'000'000);
    return true;
  }
  Bytes flush_cache(Bytes at_least) override {
    const at::Device device(at::kCUDA, static_cast<at::DeviceIndex>(index_));
    return flushed_.overwrite(device, flush_size({properties_.l2CacheSize}, at_least));
  }
  std::unique_ptr<Timeline> timeline(std::size_t capacity) override {
    return std::make_unique<CudaTimeline>(index_, capacity);
  }
  MemoryUsage memory() override { return memory_.usage(); }
  void reset_peak_memory() override { memory_.reset_peak(); }
  std::unique_ptr<MemoryRecording> record_memory(MemoryObserver& observer) override {
    return record_cuda_memory(index_, observer);
  }

  DeviceInfo info() override {
    DeviceInfo info;
    info.kind = "cuda";
    info.index = index_;
    info.uuid = uuid_;
    info.name = properties_.name;
    info.memory = {static_cast<std::int64_t>(properties_.totalGlobalMem)};
    info.compute_capability =
        std::to_string(properties_.major) + "." + std::to_string(properties_.minor);
    info.cache = {properties_.l2CacheSize};
    info.multiprocessors = properties_.multiProcessorCount;
    if (nvml_ == nullptr) return info;
    info.driver = nvml_->driver_version();
    for (const NvmlGpu& gpu : nvml_->gpus()) {
      if (gpu.uuid != uuid_) continue;
      info.power_limit_watts = gpu.power_limit_watts;
      info.ecc = gpu.ecc;
    }
    return info;
  }

  DeviceState state() override {
    DeviceState state;
    state.load_average = load_average();
    if (nvml_ == nullptr) return state;
    const NvmlState now = nvml_->state(uuid_);
    state.sm_clock_mhz = now.sm_clock_mhz;
    state.memory_clock_mhz = now.memory_clock_mhz;
    state.temperature_celsius = now.temperature_celsius;
    state.power_watts = now.power_watts;
    state.throttle_reasons = now.throttle_reasons;
    state.other_processes = other_processes(now, getpid(), OwnContext::kOpen);
    return state;
  }

  void fill_versions(Environment& environment) override {
    environment.torch_version = TORCH_VERSION;
    environment.cuda_version = cuda_runtime_version();
    environment.cudnn_version = cudnn_version();
    environment.nccl_version = nccl_version();
    environment.threads = at::get_num_threads();
    environment.tf32_matmul = at::globalContext().allowTF32CuBLAS();
    environment.tf32_cudnn = at::globalContext().allowTF32CuDNN();
  }

  KernelTracer* kernel_tracer() override { return tracer_.get(); }
  RangeObserver* tool_ranges() override { return tool_ranges_.get(); }

  void rethrow_out_of_memory() override {
    try {
      throw;
    } catch (const OutOfMemory&) {
      throw;
    } catch (const c10::OutOfMemoryError&) {
      throw memory_.last_refusal();
    } catch (const std::exception& error) {
      if (memory_.refused() && hides_its_cause(error)) throw memory_.last_refusal();
    } catch (...) {
    }
  }

 private:
  int index_;
  cudaDeviceProp properties_;
  std::string uuid_;
  std::int64_t clock_khz_;  // the highest of the SMs
  CudaMemory memory_;
  FlushBuffer flushed_;
  std::unique_ptr<Nvml> nvml_;                  // null without NVML; states then stay empty
  std::unique_ptr<RangeObserver> tool_ranges_;  // null if no tool listens
  std::unique_ptr<CuptiTracer> tracer_;         // null except in the profile pass
};

}  // namespace
}  // namespace sweepd

extern "C" __attribute__((visibility("default"))) sweepd::Device* sweepd_make_cuda_device(
    const sweepd::DeviceOptions& options) {
  const int count = c10::cuda::device_count();
  if (options.index < 0 || options.index >= count) {
    throw sweepd::Unavailable("device cuda: index " + std::to_string(options.index) +
                              " asked for, but the driver shows " + std::to_string(count) +
                              (count == 1 ? " usable GPU" : " usable GPUs") +
                              " (see CUDA_VISIBLE_DEVICES and nvidia-smi)");
  }
  static bool prepared = false;
  if (options.tracing == sweepd::KernelTracing::kOn && !prepared) {
    sweepd::prepare_cupti();
    prepared = true;
  }
  at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
  c10::cuda::set_device(static_cast<c10::DeviceIndex>(options.index));
  return new sweepd::CudaDevice(options);
}
