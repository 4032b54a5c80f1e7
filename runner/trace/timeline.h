// What one process did while it was traced: the work of its devices, the calls and operators of its
// threads, and its ranges. Every reader of traces makes one of these for each rank, and every
// analysis begins with one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/units.h"
#include "runner/trace/operator_work.h"

namespace sweepd::trace {

// Texts are stored once. A trace of a million events has a few thousand different names.
using NameId = std::uint32_t;
class Names {
 public:
  NameId add(std::string_view name);
  std::optional<NameId> find(std::string_view name) const;
  const std::string& operator[](NameId id) const { return names_[id]; }
  std::size_t size() const { return names_.size(); }

 private:
  struct Hash {  // finds a std::string_view without a copy of it
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const {
      return std::hash<std::string_view>()(name);
    }
  };
  std::vector<std::string> names_;
  std::unordered_map<std::string, NameId, Hash, std::equal_to<>> ids_;
};

inline constexpr std::int64_t kNoCorrelation = 0;

enum class WorkKind : std::uint8_t { kKernel, kCopy, kFill };

// Work of a device. Times are ns on one clock for the whole timeline, which begins anywhere.
struct DeviceWork {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t correlation = kNoCorrelation;  // equal to its launch's
  std::int64_t stream = 0;
  std::int64_t bytes = 0;  // of a copy or fill
  std::int64_t graph = 0;  // 0: not launched by a CUDA graph
  NameId name = 0;         // demangled; "[CUDA memcpy DtoD]", "[CUDA memset]"
  std::int32_t device = 0;
  std::int32_t launch_shape = -1;  // index in Timeline::shapes; -1: unknown
  WorkKind kind = WorkKind::kKernel;
};

// How a kernel was launched. Many launches share one.
struct LaunchShape {
  Shape3 grid{}, block{};
  std::int32_t registers = 0;     // of a thread; 0: unknown
  std::int64_t shared_bytes = 0;  // static and dynamic, of a block
};

enum class CallKind : std::uint8_t { kLaunch, kGraphLaunch, kCopy, kFill, kSynchronize, kOther };

// A call of the CUDA runtime or driver.
struct HostCall {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t correlation = kNoCorrelation;
  std::int64_t thread = 0;
  NameId name = 0;
  CallKind kind = CallKind::kOther;
};

// An operator (aten::mm) or a range (NVTX, record_function) on a thread of the host.
struct HostSpan {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t thread = 0;
  std::int64_t sequence = -1;  // torch's, which links a forward operator and its backward
  NameId name = 0;
  std::int32_t work = -1;  // of an operator, an index in Timeline::operator_work; -1: unknown
};

struct TracedDevice {
  std::int32_t index = 0;
  std::string name;  // "NVIDIA H100 80GB HBM3"; "" if the trace does not have it
  std::int32_t multiprocessors = 0;
  std::int32_t capability_major = 0, capability_minor = 0;  // CUDA's; 0: unknown, or not NVIDIA's
  Bytes memory;
};

struct Timeline {
  Names names;
  std::vector<TracedDevice> devices;
  std::vector<LaunchShape> shapes;
  std::vector<OperatorWork> operator_work;  // of different calls
  std::vector<DeviceWork> work;             // by begin
  std::vector<HostCall> calls;              // by begin
  std::vector<HostSpan> operators;          // by begin, a caller before what it calls
  std::vector<HostSpan> ranges;             // by begin, an outer one before its inner ones
  int rank = 0, world_size = 1;
  std::int64_t dropped = 0;  // records that the tracer lost, as far as the trace says so
  std::string source;        // "torch.profiler", "nsys 2024.1", "CUPTI"
};

}  // namespace sweepd::trace
