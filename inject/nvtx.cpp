// NVTX ranges. Nothing is kept of them here: the reader of the file pairs their ends. A handle that
// the program gets (of a domain, of a registered string) is the id of its name plus one, so that it
// is never null; any handle that the program gives back is safe.
#include "inject/cupti.h"
#include "inject/nvtx_abi.h"
#include "inject/recorder.h"

namespace sweepd::inject {
namespace {

std::uint64_t last_range;  // atomic

void* handle_of(std::uint32_t name) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(name) + 1);
}
std::uint32_t name_of_handle(const void* handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value == 0 || value > UINT32_MAX ? 0 : static_cast<std::uint32_t>(value - 1);
}

std::uint32_t name_of(const NvtxAttributes* attributes) {
  if (attributes == nullptr || attributes->bytes < sizeof *attributes) return 0;
  switch (attributes->message_type) {
    case kAscii:
      return name_id(static_cast<const char*>(attributes->message));
    case kUnicode:
      return name_id(static_cast<const wchar_t*>(attributes->message));
    case kRegistered:
      return name_of_handle(attributes->message);
    default:
      return 0;
  }
}
std::uint32_t name_of(const char* text) {
  return name_id(text);
}
std::uint32_t name_of(const wchar_t* text) {
  return name_id(text);
}

template <class Message>
void add(RecordKind kind, const void* domain, Message message, std::uint64_t id) {
  if (!recording()) return;
  const std::uint32_t thread = this_thread();
  const Moment moment = now();  // before the lock, which may be held for a write
  const Entry entry;
  if (!entry.entered) return;
  RangeRecord record{
      {0, kind, moment.of_cupti, name_of(message)}, moment.ns, id, thread, name_of_handle(domain)};
  append(record);
}
constexpr const char* kNoMessage = nullptr;

template <class Message>
std::uint64_t start(const void* domain, Message message) {
  const std::uint64_t id = __atomic_add_fetch(&last_range, 1, __ATOMIC_RELAXED);
  add(RecordKind::kStart, domain, message, id);
  return id;
}
template <class Message>
int push(const void* domain, Message message) {
  add(RecordKind::kPush, domain, message, 0);
  return kNoTracking;
}
int pop(const void* domain) {
  add(RecordKind::kPop, domain, kNoMessage, 0);
  return kNoTracking;
}
void end(const void* domain, std::uint64_t id) {
  add(RecordKind::kEnd, domain, kNoMessage, id);
}
template <class Text>
void* handle_of_text(Text text) {
  if (!recording()) return handle_of(0);
  const Entry entry;
  return handle_of(entry.entered ? name_id(text) : 0);
}

using Attributes = const NvtxAttributes*;
std::uint64_t start_ex(Attributes attributes) {
  return start(nullptr, attributes);
}
std::uint64_t start_a(const char* text) {
  return start(nullptr, text);
}
std::uint64_t start_w(const wchar_t* text) {
  return start(nullptr, text);
}
void end_default(std::uint64_t id) {
  end(nullptr, id);
}
int push_ex(Attributes attributes) {
  return push(nullptr, attributes);
}
int push_a(const char* text) {
  return push(nullptr, text);
}
int push_w(const wchar_t* text) {
  return push(nullptr, text);
}
int pop_default() {
  return pop(nullptr);
}
std::uint64_t domain_start(const void* domain, Attributes attributes) {
  return start(domain, attributes);
}
int domain_push(const void* domain, Attributes attributes) {
  return push(domain, attributes);
}
void* register_a(const void*, const char* text) {
  return handle_of_text(text);
}
void* register_w(const void*, const wchar_t* text) {
  return handle_of_text(text);
}
void* create_a(const char* text) {
  return handle_of_text(text);
}
void* create_w(const wchar_t* text) {
  return handle_of_text(text);
}

struct Implementation {
  std::uint32_t module;
  unsigned index;
  NvtxFunction function;
};
template <class Function>
Implementation with(std::uint32_t module, unsigned index, Function function) {
  return {module, index, reinterpret_cast<NvtxFunction>(function)};
}

void attach(const NvtxCallbacks& callbacks, const Implementation& to) {
  NvtxFunction** table = nullptr;
  unsigned size = 0;
  if (callbacks.table_of_module(to.module, &table, &size) == 0 || table == nullptr) return;
  if (to.index < size && table[to.index] != nullptr) *table[to.index] = to.function;
}

}  // namespace

bool attach_to_nvtx(NvtxExportTable export_table) {
  const auto* callbacks = static_cast<const NvtxCallbacks*>(export_table(kNvtxCallbacks));
  if (callbacks == nullptr || callbacks->bytes < sizeof *callbacks) return false;
  const Implementation all[] = {
      with(kNvtxCore, kRangeStartEx, &start_ex),
      with(kNvtxCore, kRangeStartA, &start_a),
      with(kNvtxCore, kRangeStartW, &start_w),
      with(kNvtxCore, kRangeEnd, &end_default),
      with(kNvtxCore, kRangePushEx, &push_ex),
      with(kNvtxCore, kRangePushA, &push_a),
      with(kNvtxCore, kRangePushW, &push_w),
      with(kNvtxCore, kRangePop, &pop_default),
      with(kNvtxCore2, kDomainRangeStartEx, &domain_start),
      with(kNvtxCore2, kDomainRangeEnd, &end),
      with(kNvtxCore2, kDomainRangePushEx, &domain_push),
      with(kNvtxCore2, kDomainRangePop, &pop),
      with(kNvtxCore2, kDomainRegisterStringA, &register_a),
      with(kNvtxCore2, kDomainRegisterStringW, &register_w),
      with(kNvtxCore2, kDomainCreateA, &create_a),
      with(kNvtxCore2, kDomainCreateW, &create_w),
  };
  for (const Implementation& each : all) attach(*callbacks, each);
  return true;
}

}  // namespace sweepd::inject
