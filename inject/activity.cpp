#include "inject/activity.h"

#include "inject/cupti_records.h"
#include "inject/recorder.h"

namespace sweepd::inject {
namespace {

constexpr int kDomains = 3;  // of calls: 1 is the driver's, 2 the runtime's
constexpr std::uint32_t kMostCalls = 4096;
std::uint32_t call_names[kDomains][kMostCalls];

std::int64_t ns(std::uint64_t time) {
  return static_cast<std::int64_t>(time);
}

void record_kernel(const CuptiKernel& from) {
  if (from.start == 0 && from.end == 0) return count_lost(1);
  const auto shared = from.static_shared + from.dynamic_shared;
  KernelRecord to{};
  to.head = {0, RecordKind::kKernel, 0, name_id(from.name)};
  to.begin_ns = ns(from.start);
  to.end_ns = ns(from.end);
  to.correlation = from.correlation;
  to.device = from.device;
  to.stream = from.stream;
  to.graph = from.graph;
  for (int i = 0; i < 3; ++i) {
    to.grid[i] = static_cast<std::uint32_t>(from.grid[i]);
    to.block[i] = static_cast<std::uint32_t>(from.block[i]);
  }
  to.registers = from.registers;
  to.shared_bytes = static_cast<std::uint32_t>(shared);
  append(to);
}

template <class Activity>
void record_move(RecordKind kind, std::uint8_t flag, const Activity& from) {
  MoveRecord to{{0, kind, flag, 0}, ns(from.start), ns(from.end), from.bytes,
                from.correlation,   from.device,    from.stream,  from.graph};
  append(to);
}

std::uint32_t call_name(CallName name_of, std::uint8_t domain, std::uint32_t cbid) {
  if (cbid >= kMostCalls) return 0;
  std::uint32_t& id = call_names[domain][cbid];
  const char* text = nullptr;
  if (id == 0 && name_of(domain, cbid, &text) == 0) id = name_id(text);
  return id;
}

void record_call(CallName name_of, std::uint8_t domain, const CuptiCall& from) {
  CallRecord to{{0, RecordKind::kCall, domain, call_name(name_of, domain, from.cbid)},
                ns(from.start),
                ns(from.end),
                from.correlation,
                from.thread,
                from.result,
                from.cbid};
  append(to);
}

void record_external(const CuptiExternal& from) {
  const auto kind = static_cast<std::uint8_t>(from.external_kind);
  ExternalRecord to{{0, RecordKind::kExternal, kind, 0}, from.id, from.correlation, 0};
  append(to);
}

void record_allocation(const CuptiMemory& from) {
  const auto operation = static_cast<std::uint8_t>(from.operation);
  AllocationRecord to{{0, RecordKind::kAllocation, operation, 0},
                      ns(from.timestamp),
                      from.address,
                      from.bytes,
                      from.correlation,
                      from.device,
                      from.stream,
                      from.memory_kind};
  append(to);
}

void record_device(const CuptiDevice& from) {
  DeviceRecord to{{0, RecordKind::kDevice, 0, name_id(from.name)},
                  from.memory_bytes,
                  from.id,
                  from.multiprocessors,
                  from.capability_major,
                  from.capability_minor};
  append(to);
}

}  // namespace

void record_activity(const void* activity, CallName name_of) {
  switch (*static_cast<const std::uint32_t*>(activity)) {
    case kCuptiKernel:
    case kCuptiConcurrentKernel:
      return record_kernel(*static_cast<const CuptiKernel*>(activity));
    case kCuptiMemcpy: {
      const auto& copy = *static_cast<const CuptiMemcpy*>(activity);
      return record_move(RecordKind::kCopy, copy.direction, copy);
    }
    case kCuptiMemset:
      return record_move(RecordKind::kFill, 0, *static_cast<const CuptiMemset*>(activity));
    case kCuptiDriver:
      return record_call(name_of, 1, *static_cast<const CuptiCall*>(activity));
    case kCuptiRuntime:
      return record_call(name_of, 2, *static_cast<const CuptiCall*>(activity));
    case kCuptiExternalCorrelation:
      return record_external(*static_cast<const CuptiExternal*>(activity));
    case kCuptiMemory2:
      return record_allocation(*static_cast<const CuptiMemory*>(activity));
    case kCuptiDevice:
      return record_device(*static_cast<const CuptiDevice*>(activity));
    default:
      return;
  }
}

}  // namespace sweepd::inject
