#include "workloads/cuda/cupti_tracer.h"

#include <cupti.h>
#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "inject/cupti_records.h"
#include "runner/base/clock.h"
#include "workloads/api/failure.h"
#include "workloads/cuda/cupti_refusal.h"

namespace sweepd {
namespace {

// cupti_refusal.h has the codes, because it includes no CUDA header.
static_assert(
    CUPTI_ERROR_HARDWARE_BUSY == 26 && CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED == 33 &&
    CUPTI_ERROR_INSUFFICIENT_PRIVILEGES == 35 && CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED == 36 &&
    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED == 39 &&
    CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES == 40 &&
    CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED == 41 &&
    CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED == 42 && CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED == 43 &&
    CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED == 44 && CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED == 45);

// What cupti_records.h says of records is what this toolkit's header says.
#define SWEEPD_SAME(ours, field, record, name) \
  static_assert(offsetof(inject::ours, field) == offsetof(record, name))
SWEEPD_SAME(CuptiKernel, start, CUpti_ActivityKernel10, start);
SWEEPD_SAME(CuptiKernel, stream, CUpti_ActivityKernel10, streamId);
SWEEPD_SAME(CuptiKernel, grid, CUpti_ActivityKernel10, gridX);
SWEEPD_SAME(CuptiKernel, block, CUpti_ActivityKernel10, blockX);
SWEEPD_SAME(CuptiKernel, correlation, CUpti_ActivityKernel10, correlationId);
SWEEPD_SAME(CuptiKernel, name, CUpti_ActivityKernel10, name);
SWEEPD_SAME(CuptiMemcpy, direction, CUpti_ActivityMemcpy6, copyKind);
SWEEPD_SAME(CuptiMemcpy, correlation, CUpti_ActivityMemcpy6, correlationId);
SWEEPD_SAME(CuptiMemset, correlation, CUpti_ActivityMemset4, correlationId);
SWEEPD_SAME(CuptiKernel, registers, CUpti_ActivityKernel10, registersPerThread);
SWEEPD_SAME(CuptiKernel, static_shared, CUpti_ActivityKernel10, staticSharedMemory);
SWEEPD_SAME(CuptiKernel, dynamic_shared, CUpti_ActivityKernel10, dynamicSharedMemory);
SWEEPD_SAME(CuptiKernel, graph, CUpti_ActivityKernel10, graphId);
SWEEPD_SAME(CuptiCall, start, CUpti_ActivityAPI, start);
SWEEPD_SAME(CuptiCall, correlation, CUpti_ActivityAPI, correlationId);
SWEEPD_SAME(CuptiExternal, correlation, CUpti_ActivityExternalCorrelation, correlationId);
#undef SWEEPD_SAME

void check(CUptiResult status, const char* call) {
  if (status == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  cuptiGetResultString(status, &text);
  const std::string_view advice = how_to_allow_cupti(status);
  if (!advice.empty()) {
    throw Unavailable(std::string("kernels cannot be traced here: ") + call + ": " +
                      (text != nullptr ? text : "refused") + "; " + std::string(advice));
  }
  throw std::runtime_error(std::string(call) + ": " + (text != nullptr ? text : "unknown error"));
}

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
    CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMSET,
    // API calls assign correlation ids, so these kinds must be on to get external ids.
    CUPTI_ACTIVITY_KIND_RUNTIME,
    CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
};
constexpr CUpti_ExternalCorrelationKind kOurIds = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
constexpr std::size_t kBufferBytes = 8U << 20;  // CUPTI's advice: 1 to 10 MB
constexpr std::size_t kBufferAlignment = 8;

// CUPTI returns buffers on its own thread.
struct Collected {
  struct Call {
    std::int64_t begin_ns = 0, end_ns = 0;
  };
  std::mutex mutex;
  std::vector<std::pair<std::uint32_t, KernelRecord>> kernels;  // by correlation id
  std::unordered_map<std::uint32_t, std::uint64_t> external;    // correlation id -> ours
  std::unordered_map<std::uint32_t, Call> calls;                // by correlation id
  std::uint64_t dropped = 0;
};
Collected& collected() {
  static auto* const all = new Collected;  // CUPTI may still call while the process ends
  return *all;
}

std::string demangled(const char* name) {
  if (name == nullptr) return "(unnamed kernel)";
  // The demangler takes the name of a C function for a type: `f` would be `float`.
  if (!std::string_view(name).starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? text.get() : name;
}

KernelRecord record_of(std::string name, const auto& activity) {
  KernelRecord record;
  record.name = std::move(name);
  record.begin_ns = static_cast<std::int64_t>(activity.start);
  record.end_ns = static_cast<std::int64_t>(activity.end);
  record.stream = activity.stream;
  record.device = static_cast<int>(activity.device);
  record.launch.of_graph = activity.graph != 0;
  return record;
}

void add(Collected& all, const CUpti_Activity* activity) {
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* kernel = reinterpret_cast<const inject::CuptiKernel*>(activity);
      // CUPTI had no memory left to time the kernel.
      if (kernel->start == 0 && kernel->end == 0) {
        ++all.dropped;
        return;
      }
      KernelRecord record = record_of(demangled(kernel->name), *kernel);
      record.grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]};
      record.block = {kernel->block[0], kernel->block[1], kernel->block[2]};
      record.registers = kernel->registers;
      record.shared_bytes = std::int64_t{kernel->static_shared} + kernel->dynamic_shared;
      all.kernels.emplace_back(kernel->correlation, std::move(record));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* copy = reinterpret_cast<const inject::CuptiMemcpy*>(activity);
      const std::string direction = inject::copy_direction(copy->direction);
      all.kernels.emplace_back(copy->correlation,
                               record_of("[CUDA memcpy " + direction + "]", *copy));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* fill = reinterpret_cast<const inject::CuptiMemset*>(activity);
      all.kernels.emplace_back(fill->correlation, record_of("[CUDA memset]", *fill));
      return;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto* external = reinterpret_cast<const inject::CuptiExternal*>(activity);
      if (external->external_kind == kOurIds) all.external[external->correlation] = external->id;
      return;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      // The runtime calls the driver. Both calls have the same correlation, and the outer one
      // counts.
      const auto* call = reinterpret_cast<const inject::CuptiCall*>(activity);
      const Collected::Call times{static_cast<std::int64_t>(call->start),
                                  static_cast<std::int64_t>(call->end)};
      if (activity->kind == CUPTI_ACTIVITY_KIND_RUNTIME) {
        all.calls[call->correlation] = times;
      } else {
        all.calls.try_emplace(call->correlation, times);
      }
      return;
    }
    default:
      return;
  }
}

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer != nullptr ? kBufferBytes : 0;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t, std::size_t valid_bytes) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* activity = nullptr;
  while (valid_bytes > 0 &&
         cuptiActivityGetNextRecord(buffer, valid_bytes, &activity) == CUPTI_SUCCESS) {
    add(all, activity);
  }
  std::size_t dropped = 0;
  if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) {
    all.dropped += dropped;
  }
  std::free(buffer);
}

std::uint64_t CUPTIAPI host_clock() {
  return static_cast<std::uint64_t>(now_instant().ns);
}

}  // namespace

void prepare_cupti() {
  check(cuptiActivityRegisterTimestampCallback(&host_clock),
        "cuptiActivityRegisterTimestampCallback");
  check(cuptiActivityRegisterCallbacks(&on_request, &on_complete),
        "cuptiActivityRegisterCallbacks");
}

void CuptiTracer::start() {
  for (const CUpti_ActivityKind kind : kKinds) {
    check(cuptiActivityEnable(kind), "cuptiActivityEnable");
  }
}

void CuptiTracer::stop() {
  // May run while an exception propagates; an error cannot be handled.
  for (const CUpti_ActivityKind kind : kKinds) cuptiActivityDisable(kind);
  cuptiActivityFlushAll(0);
}

void CuptiTracer::push(std::uint64_t id) {
  cuptiActivityPushExternalCorrelationId(kOurIds, id);
}

void CuptiTracer::pop() {
  std::uint64_t last = 0;
  cuptiActivityPopExternalCorrelationId(kOurIds, &last);
}

KernelTrace CuptiTracer::take() {
  check(cuptiActivityFlushAll(0), "cuptiActivityFlushAll");
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  KernelTrace trace;
  trace.dropped = std::exchange(all.dropped, 0);
  trace.kernels.reserve(all.kernels.size());
  for (auto& [correlation, record] : all.kernels) {
    const auto id = all.external.find(correlation);
    if (const auto call = all.calls.find(correlation); call != all.calls.end()) {
      record.launch.id = correlation;
      record.launch.begin_ns = call->second.begin_ns;
      record.launch.end_ns = call->second.end_ns;
    }
    trace.kernels.push_back({std::move(record), id != all.external.end() ? id->second : 0});
  }
  all.kernels.clear();
  all.external.clear();
  all.calls.clear();
  return trace;
}

}  // namespace sweepd
