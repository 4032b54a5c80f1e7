// The file that libsweepd_inject.so writes for each process, and runner/trace/inject.h reads:
// a header, then records until the end. The library appends records and changes only the header, so
// a prefix of the file is a file. Numbers are little-endian.
#pragma once

#include <cstdint>

namespace sweepd::inject {

inline constexpr char kMagic[8] = {'S', 'W', 'E', 'E', 'P', 'I', 'N', 'J'};
inline constexpr std::uint32_t kFormat = 2;

struct FileHeader {
  char magic[8];
  std::uint32_t format;
  std::int32_t pid;
  std::uint32_t cupti_version;  // of cuptiGetVersion; 0: CUPTI was not opened
  std::int32_t write_error;     // errno; after it nothing was written
  std::uint64_t over_limit;     // records dropped above the limit of records
  std::uint64_t lost_by_cupti;  // records that CUPTI had no memory for
  std::uint32_t ended;          // 1: the process ended by exit()
  std::uint32_t reserved;
};
static_assert(sizeof(FileHeader) == 48);

enum class RecordKind : std::uint8_t {
  kName = 1,  // defines id `name`; its text follows the head
  kKernel,
  kCopy,
  kFill,
  kCall,
  kExternal,
  kAllocation,
  kPush,  // of an NVTX range; kPop and kPush pair by thread and domain, kEnd and kStart by id
  kPop,
  kStart,
  kEnd,
  kClock,
  kRefusal,  // its text follows the record
  kDevice,
};

// Records that have no name have id 0. Id 0 has no record of its own: its text is empty.
struct RecordHead {
  std::uint16_t bytes;  // of the whole record
  RecordKind kind;
  std::uint8_t flag;
  std::uint32_t name;
};

// Times are ns of CUPTI's clock.
struct KernelRecord {
  RecordHead head;
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation, device, stream, graph;
  std::uint32_t grid[3], block[3];
  std::uint32_t registers, shared_bytes;
};

struct MoveRecord {  // kCopy: `flag` is CUpti_ActivityMemcpyKind; kFill
  RecordHead head;
  std::int64_t begin_ns, end_ns;
  std::uint64_t bytes;
  std::uint32_t correlation, device, stream, graph;
};

struct CallRecord {  // `flag`: 1 the driver's, 2 the runtime's, as in CUpti_CallbackDomain
  RecordHead head;
  std::int64_t begin_ns, end_ns;
  std::uint32_t correlation, thread, result, cbid;
};

struct ExternalRecord {  // `flag` is CUpti_ExternalCorrelationKind
  RecordHead head;
  std::uint64_t id;
  std::uint32_t correlation, reserved;
};

struct AllocationRecord {  // `flag`: 1 an allocation, 2 a release
  RecordHead head;
  std::int64_t time_ns;
  std::uint64_t address, bytes;
  std::uint32_t correlation, device, stream, memory_kind;  // CUpti_ActivityMemoryKind
};

// `flag` is 1 if the time is of CUPTI's clock, 0 if of the host's, because CUPTI was not open yet.
struct RangeRecord {
  RecordHead head;
  std::int64_t time_ns;
  std::uint64_t id;
  std::uint32_t thread;
  std::uint32_t domain;  // id of its name; 0: the default domain
};

struct ClockRecord {  // the same moment on both clocks
  RecordHead head;
  std::int64_t host_ns, cupti_ns;
};

struct RefusalRecord {  // why nothing is traced, or not all
  RecordHead head;
  std::int32_t code;  // CUptiResult; 0: none
  std::uint32_t reserved;
};

struct DeviceRecord {
  RecordHead head;
  std::uint64_t memory_bytes;
  std::uint32_t device, multiprocessors;
  std::uint32_t capability_major, capability_minor;
};

}  // namespace sweepd::inject
