// The part of NVTX's interface for tools that is used. Source: nvtx3/nvtxDetail/nvtxTypes.h and
// nvtx3/nvToolsExt.h of CUDA 13.0; the same since NVTX 2. Includes no NVTX header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sweepd::inject {

using NvtxFunction = void (*)();

// Entry `i` of a table is where the pointer to a module's function `i` is; may be null.
struct NvtxCallbacks {  // NvtxExportTableCallbacks
  std::size_t bytes;
  int (*table_of_module)(std::uint32_t module, NvtxFunction*** table, unsigned* size);
};
using NvtxExportTable = const void* (*)(std::uint32_t id);
inline constexpr std::uint32_t kNvtxCallbacks = 1;  // NVTX_ETID_CALLBACKS

inline constexpr std::uint32_t kNvtxCore = 1;  // NVTX_CB_MODULE_CORE, then NVTX_CBID_CORE_...
enum NvtxCore : unsigned {
  kRangeStartEx = 4,
  kRangeStartA = 5,
  kRangeStartW = 6,
  kRangeEnd = 7,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11,
};

inline constexpr std::uint32_t kNvtxCore2 = 5;  // NVTX_CB_MODULE_CORE2, then NVTX_CBID_CORE2_...
enum NvtxCore2 : unsigned {
  kDomainRangeStartEx = 2,
  kDomainRangeEnd = 3,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW = 11,
  kDomainCreateA = 12,
  kDomainCreateW = 13,
};

// nvtxMessageType_t
inline constexpr std::int32_t kAscii = 1, kUnicode = 2, kRegistered = 3;

struct NvtxAttributes {  // nvtxEventAttributes_t
  std::uint16_t version, bytes;
  std::uint32_t category;
  std::int32_t color_type;
  std::uint32_t color;
  std::int32_t payload_type, reserved;
  std::uint64_t payload;
  std::int32_t message_type;
  const void* message;
};
static_assert(offsetof(NvtxAttributes, message) == 40 && sizeof(NvtxAttributes) == 48);

inline constexpr int kNoTracking = -2;  // NVTX_NO_PUSH_POP_TRACKING

}  // namespace sweepd::inject
