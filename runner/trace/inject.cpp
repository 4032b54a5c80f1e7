#include "runner/trace/inject.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "inject/cupti_records.h"
#include "inject/file_format.h"
#include "runner/base/files.h"
#include "runner/trace/call_kind.h"
#include "runner/trace/injected_ranges.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::uint8_t kDriverCall = 1, kRelease = 2;
constexpr std::uint32_t kDeviceMemory = 3, kManagedMemory = 5;  // CUpti_ActivityMemoryKind

// The demangler takes the name of a C function for a type: `f` would be `float`.
std::string readable_kernel(std::string_view name) {
  std::string mangled(name);
  if (!mangled.empty() && !mangled.starts_with("_Z")) return mangled;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status == 0 && text) return text.get();
  return mangled.empty() ? "(unnamed kernel)" : mangled;
}

template <class Record>
std::optional<Record> record_in(std::string_view bytes) {
  if (bytes.size() < sizeof(Record)) return std::nullopt;
  Record record;
  std::memcpy(&record, bytes.data(), sizeof record);
  return record;
}

std::int64_t sane_time(std::int64_t ns) {
  return std::clamp<std::int64_t>(ns, 0, kLatest);
}

std::int64_t sane_bytes(std::uint64_t bytes) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, kLatest));
}

class InjectedReader {
 public:
  explicit InjectedReader(const inject::FileHeader& header) {
    all_.pid = header.pid;
    all_.write_error = header.write_error;
    all_.ended = header.ended != 0;
    constexpr std::uint64_t kMost = kLatest;
    all_.timeline.dropped =
        sane_bytes(std::min(header.over_limit, kMost) + std::min(header.lost_by_cupti, kMost));
    const std::uint32_t version = header.cupti_version;  // 26 of CUDA 12.8, 130001 of 13.0
    all_.timeline.source = version >= 100000
                               ? fmt::format("CUPTI {}.{}", version / 10000, version / 100 % 100)
                               : "CUPTI 12";
    if (version == 0) all_.timeline.source = "NVTX";
  }

  // The records up to the first that is cut off or has no length.
  void read(std::string_view bytes) {
    while (const auto head = record_in<inject::RecordHead>(bytes)) {
      if (head->bytes < sizeof *head || head->bytes > bytes.size()) return;
      read_record(*head, bytes.substr(0, head->bytes));
      bytes.remove_prefix(head->bytes);
    }
  }

  Injected finish() {
    drop_inner_calls();
    all_.timeline.ranges = ranges_.take();
    const auto begin = [](const auto& each) { return each.begin_ns; };
    std::ranges::stable_sort(all_.timeline.work, {}, begin);
    std::ranges::stable_sort(all_.timeline.calls, {}, begin);
    std::ranges::stable_sort(all_.timeline.ranges, {}, [](const HostSpan& range) {
      return std::pair(range.begin_ns, -range.end_ns);
    });
    std::ranges::stable_sort(all_.allocations, {}, &DeviceAllocation::at_ns);
    all_.steps = program_steps(all_.timeline);
    return std::move(all_);
  }

 private:
  void read_record(const inject::RecordHead& head, std::string_view bytes) {
    switch (head.kind) {
      case inject::RecordKind::kName:
        texts_.insert_or_assign(head.name, std::string(bytes.substr(sizeof head)));
        return;
      case inject::RecordKind::kKernel:
        return with<inject::KernelRecord>(bytes, &InjectedReader::add_kernel);
      case inject::RecordKind::kCopy:
      case inject::RecordKind::kFill:
        return with<inject::MoveRecord>(bytes, &InjectedReader::add_move);
      case inject::RecordKind::kCall:
        return with<inject::CallRecord>(bytes, &InjectedReader::add_call);
      case inject::RecordKind::kExternal:
        return with<inject::ExternalRecord>(bytes, &InjectedReader::add_external);
      case inject::RecordKind::kAllocation:
        return with<inject::AllocationRecord>(bytes, &InjectedReader::add_allocation);
      case inject::RecordKind::kPush:
      case inject::RecordKind::kPop:
      case inject::RecordKind::kStart:
      case inject::RecordKind::kEnd:
        return with<inject::RangeRecord>(bytes, &InjectedReader::add_range);
      case inject::RecordKind::kClock:
        return with<inject::ClockRecord>(bytes, &InjectedReader::set_clock);
      case inject::RecordKind::kRefusal:
        return add_refusal(bytes);
      case inject::RecordKind::kDevice:
        return with<inject::DeviceRecord>(bytes, &InjectedReader::add_device);
    }
  }

  template <class Record>
  void with(std::string_view bytes, void (InjectedReader::*add)(const Record&)) {
    if (const auto record = record_in<Record>(bytes)) (this->*add)(*record);
  }

  std::string_view text(std::uint32_t id) const {
    const auto found = texts_.find(id);
    return found != texts_.end() ? std::string_view(found->second) : std::string_view();
  }

  template <class Record>
  DeviceWork work_of(WorkKind kind, const Record& from) {
    DeviceWork work;
    work.kind = kind;
    work.begin_ns = sane_time(from.begin_ns);
    work.end_ns = std::max(work.begin_ns, sane_time(from.end_ns));
    work.correlation = from.correlation;
    work.device = static_cast<std::int32_t>(from.device & 0x7FFFFFFFU);
    work.stream = from.stream;
    work.graph = from.graph;
    return work;
  }

  void add_kernel(const inject::KernelRecord& from) {
    DeviceWork work = work_of(WorkKind::kKernel, from);
    const auto [known, is_new] = kernels_.try_emplace(from.head.name, NameId{});
    if (is_new) known->second = names().add(readable_kernel(text(from.head.name)));
    work.name = known->second;
    work.launch_shape = shape_of(from);
    all_.timeline.work.push_back(work);
  }

  std::int32_t shape_of(const inject::KernelRecord& from) {
    LaunchShape shape;
    for (std::size_t i = 0; i < 3; ++i) {
      shape.grid[i] = from.grid[i];
      shape.block[i] = from.block[i];
    }
    shape.registers = static_cast<std::int32_t>(from.registers & 0x7FFFFFFFU);
    shape.shared_bytes = from.shared_bytes;
    const auto key = std::tuple(shape.grid, shape.block, shape.registers, shape.shared_bytes);
    const auto next = static_cast<std::int32_t>(all_.timeline.shapes.size());
    const auto [known, is_new] = shapes_.try_emplace(key, next);
    if (is_new) all_.timeline.shapes.push_back(shape);
    return known->second;
  }

  void add_move(const inject::MoveRecord& from) {
    const bool is_copy = from.head.kind == inject::RecordKind::kCopy;
    DeviceWork work = work_of(is_copy ? WorkKind::kCopy : WorkKind::kFill, from);
    work.bytes = sane_bytes(from.bytes);
    work.name = names().add(
        is_copy ? fmt::format("[CUDA memcpy {}]", inject::copy_direction(from.head.flag))
                : "[CUDA memset]");
    all_.timeline.work.push_back(work);
  }

  void add_call(const inject::CallRecord& from) {
    HostCall call;
    call.begin_ns = sane_time(from.begin_ns);
    call.end_ns = std::max(call.begin_ns, sane_time(from.end_ns));
    call.correlation = from.correlation;
    call.thread = from.thread;
    const std::string_view name = call_without_version(text(from.head.name));
    call.kind = kind_of_call(name);
    call.name = names().add(name.empty() ? fmt::format("call {}", from.cbid) : std::string(name));
    const bool of_driver = from.head.flag == kDriverCall;
    if (!of_driver) runtime_calls_.insert(from.correlation);
    (of_driver ? driver_calls_ : all_.timeline.calls).push_back(call);
  }

  // The runtime calls the driver. Both calls have the same correlation.
  void drop_inner_calls() {
    for (const HostCall& call : driver_calls_) {
      if (!runtime_calls_.contains(static_cast<std::uint32_t>(call.correlation))) {
        all_.timeline.calls.push_back(call);
      }
    }
  }

  void add_external(const inject::ExternalRecord& from) {
    all_.external.push_back({from.correlation, from.id, from.head.flag});
  }

  void add_allocation(const inject::AllocationRecord& from) {
    if (from.memory_kind != kDeviceMemory && from.memory_kind != kManagedMemory) return;
    DeviceAllocation change;
    change.at_ns = sane_time(from.time_ns);
    change.address = from.address;
    change.bytes = sane_bytes(from.bytes);
    change.correlation = from.correlation;
    change.device = static_cast<std::int32_t>(from.device & 0x7FFFFFFFU);
    change.released = from.head.flag == kRelease;
    all_.allocations.push_back(change);
  }

  void add_range(const inject::RangeRecord& from) {
    const bool begins =
        from.head.kind == inject::RecordKind::kPush || from.head.kind == inject::RecordKind::kStart;
    const std::string_view name = text(from.head.name);
    ranges_.add(from, begins ? names().add(name.empty() ? "(unnamed range)" : name) : NameId{});
  }

  void set_clock(const inject::ClockRecord& from) {
    ranges_.set_clock_shift(sane_time(from.cupti_ns) - sane_time(from.host_ns));
  }

  void add_refusal(std::string_view bytes) {
    const auto record = record_in<inject::RefusalRecord>(bytes);
    if (!record) return;
    all_.refusal_code = record->code;
    all_.refusal = bytes.substr(sizeof *record);
  }

  void add_device(const inject::DeviceRecord& from) {
    TracedDevice device;
    device.index = static_cast<std::int32_t>(from.device & 0x7FFFFFFFU);
    device.name = text(from.head.name);
    device.multiprocessors = static_cast<std::int32_t>(from.multiprocessors & 0x7FFFFFFFU);
    device.capability_major = static_cast<std::int32_t>(from.capability_major & 0xFFFFU);
    device.capability_minor = static_cast<std::int32_t>(from.capability_minor & 0xFFFFU);
    device.memory = {sane_bytes(from.memory_bytes)};
    auto& devices = all_.timeline.devices;
    const bool known = std::any_of(devices.begin(), devices.end(), [&](const TracedDevice& other) {
      return other.index == device.index;
    });
    if (!known && devices.size() < 256) devices.push_back(std::move(device));
  }

  Names& names() { return all_.timeline.names; }

  Injected all_;
  std::unordered_map<std::uint32_t, std::string> texts_;
  std::unordered_map<std::uint32_t, NameId> kernels_;  // by id of the mangled name
  std::map<std::tuple<Shape3, Shape3, std::int32_t, std::int64_t>, std::int32_t> shapes_;
  std::vector<HostCall> driver_calls_;
  std::unordered_set<std::uint32_t> runtime_calls_;  // correlations
  InjectedRanges ranges_;
};

}  // namespace

Result<Injected> decode_injected(std::string_view bytes) {
  const auto header = record_in<inject::FileHeader>(bytes);
  if (!header || std::memcmp(header->magic, inject::kMagic, sizeof inject::kMagic) != 0) {
    return Error{ErrorCode::kInvalidArgument, "not a file of libsweepd_inject.so"};
  }
  if (header->format != inject::kFormat) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("format {} of libsweepd_inject.so; this program reads format {}",
                             header->format, inject::kFormat)};
  }
  InjectedReader reader(*header);
  reader.read(bytes.substr(sizeof *header));
  return reader.finish();
}

Result<Injected> read_injected(const std::filesystem::path& file) {
  const auto bytes = read_regular(file, Links::kRefuse);
  if (!bytes) return bytes.error();
  return decode_injected(*bytes);
}

}  // namespace sweepd::trace
