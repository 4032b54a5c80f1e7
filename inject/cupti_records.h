// The parts of CUPTI's activity records that sweepd reads. CUPTI appends fields to a record and
// keeps what it has, so these parts are the same in every version from kOldestCupti on. Source:
// cupti_activity.h of CUDA 12.1 (CUpti_ActivityKernel9, Memcpy5, Memset4, Memory3, Device4), 12.8
// (Memcpy6, Memory4, Device5), 13.0 (Kernel10) and 13.5 (Kernel13, Memcpy7, Memset5, Device6).
// cupti_tracer.cpp and tests/inject compare them with the headers that a machine has. Includes no
// CUDA header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sweepd::inject {

inline constexpr std::uint32_t kOldestCupti = 18;  // of CUDA 11.8, 12.0 and 12.1

// CUpti_ActivityKind
enum CuptiKind : std::uint32_t {
  kCuptiMemcpy = 1,
  kCuptiMemset = 2,
  kCuptiKernel = 3,
  kCuptiDriver = 4,
  kCuptiRuntime = 5,
  kCuptiDevice = 8,
  kCuptiConcurrentKernel = 10,
  kCuptiExternalCorrelation = 39,
  kCuptiMemory2 = 49,
};

struct CuptiKernel {
  std::uint32_t kind;
  std::uint16_t cache_config;
  std::uint16_t registers;
  std::uint32_t cache_requested, cache_executed;
  std::uint64_t start, end, completed;  // all 0: CUPTI had no memory left to time the kernel
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_of_thread, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
  void* reserved0;
  std::uint64_t queued, submitted;
  std::uint8_t launch_type, carveout[3];
  std::uint32_t shared_executed;
  std::uint64_t graph_node;
  std::uint32_t shared_limit;
  std::uint32_t graph;
};
static_assert(offsetof(CuptiKernel, graph) == 156);

struct CuptiMemcpy {
  std::uint32_t kind;
  std::uint8_t direction, source, destination, flags;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation, runtime_correlation, pad;
  void* reserved0;
  std::uint64_t graph_node;
  std::uint32_t graph;
};
static_assert(offsetof(CuptiMemcpy, graph) == 72);

struct CuptiMemset {
  std::uint32_t kind, value;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
  std::uint16_t flags, memory_kind;
  std::uint32_t pad;
  void* reserved0;
  std::uint64_t graph_node;
  std::uint32_t graph;
};
static_assert(offsetof(CuptiMemset, graph) == 72);

struct CuptiCall {
  std::uint32_t kind, cbid;
  std::uint64_t start, end;
  std::uint32_t process, thread, correlation, result;
};
static_assert(sizeof(CuptiCall) == 40);

struct CuptiExternal {
  std::uint32_t kind, external_kind;
  std::uint64_t id;
  std::uint32_t correlation, reserved;
};
static_assert(sizeof(CuptiExternal) == 24);

struct CuptiMemory {
  std::uint32_t kind, operation, memory_kind, correlation;
  std::uint64_t address, bytes, timestamp, program_counter;
  std::uint32_t process, device, context, stream;
};
static_assert(offsetof(CuptiMemory, stream) == 60);

struct CuptiDevice {
  std::uint32_t kind, flags;
  std::uint64_t bandwidth, memory_bytes;
  std::uint32_t constant_bytes, l2_bytes, warp, clock, copy_engines, multiprocessors;
  std::uint32_t limits[14];
  std::uint32_t capability_major, capability_minor;
  std::uint32_t id, ecc;
  unsigned char uuid[16];
  const char* name;
};
static_assert(offsetof(CuptiDevice, name) == 136);

// CUpti_ActivityMemcpyKind, as in "[CUDA memcpy HtoD]".
inline const char* copy_direction(std::uint8_t direction) {
  switch (direction) {
    case 1:
      return "HtoD";
    case 2:
      return "DtoH";
    case 8:
      return "DtoD";
    case 10:
      return "PtoP";
    default:
      return "other";
  }
}

}  // namespace sweepd::inject
