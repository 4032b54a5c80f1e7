#include "runner/trace/chrome_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "runner/base/printable.h"
#include "runner/base/units.h"
#include "runner/trace/call_kind.h"
#include "runner/trace/decimal_time.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kMostDevices = 1024;
constexpr std::int32_t kWarpThreads = 32;

Error unusable(std::string_view member, std::string_view text, std::string_view expected) {
  if (text.empty()) {
    return {ErrorCode::kInvalidArgument,
            fmt::format("`{}` is missing; expected {}", member, expected)};
  }
  return {ErrorCode::kInvalidArgument,
          fmt::format("`{}` is `{}`; expected {}", member, brief(text), expected)};
}

Error beyond(std::string what) {
  return {ErrorCode::kResourceExhausted, std::move(what)};
}

bool is_of_device(EventCategory category) {
  return category == EventCategory::kKernel || category == EventCategory::kCopy ||
         category == EventCategory::kFill;
}

// "Memcpy DtoD (Device -> Device)" of CUPTI, "CopyHostToDevice" of ROCm.
std::string name_of_copy(std::string_view name) {
  if (name.starts_with("Memcpy ")) {
    return fmt::format("[CUDA memcpy {}]", name.substr(7, name.find(' ', 7) - 7));
  }
  constexpr std::pair<std::string_view, std::string_view> kOfRocm[] = {
      {"HostToDevice", "HtoD"}, {"DeviceToHost", "DtoH"}, {"DeviceToDevice", "DtoD"}};
  for (const auto& [words, direction] : kOfRocm) {
    if (name.find(words) != std::string_view::npos)
      return fmt::format("[CUDA memcpy {}]", direction);
  }
  return "[CUDA memcpy]";
}

std::int32_t small_number(std::string_view text) {
  const std::int64_t number = whole_number(text);
  return std::in_range<std::int32_t>(number) ? static_cast<std::int32_t>(number) : 0;
}

}  // namespace

Result<NameId> ChromeBuilder::name_of(const ChromeEvent& event) {
  std::string made;
  std::string_view name = event.name;
  if (event.category == EventCategory::kCopy) name = made = name_of_copy(name);
  if (event.category == EventCategory::kFill) name = "[CUDA memset]";
  if (event.category == EventCategory::kOverhead) name = made = "[overhead] " + event.name;
  if (const auto known = timeline_.names.find(name)) return *known;
  const std::string clean = printable(name);
  const std::size_t had = timeline_.names.size();
  const NameId id = timeline_.names.add(clean);
  if (timeline_.names.size() > had) text_bytes_ += static_cast<std::int64_t>(clean.size());
  if (text_bytes_ <= limits_.text_bytes) return id;
  return beyond(
      fmt::format("has more than {} of different names", to_text(Bytes{limits_.text_bytes})));
}

Result<void> ChromeBuilder::add(const ChromeEvent& event) {
  if (event.category == EventCategory::kSkipped) return {};
  if (event.phase != "X") return unusable("ph", event.phase, "`X`, an event with a duration");
  if (!event.has_name) return unusable("name", "", "a text");
  const auto begin_ns = us_to_ns(event.timestamp);
  if (!begin_ns) return unusable("ts", event.timestamp, "a number of microseconds");
  const auto duration_ns = us_to_ns(event.duration);
  if (!duration_ns || *duration_ns < 0) {
    return unusable("dur", event.duration, "a number of microseconds from 0");
  }
  const std::int64_t device = event.device >= 0 ? event.device : event.process;
  if (is_of_device(event.category) && (device < 0 || device >= kMostDevices)) {
    return unusable("device", device < 0 ? "" : std::to_string(device),
                    fmt::format("a number below {}", kMostDevices));
  }
  if (++records_ > limits_.records) {
    return beyond(fmt::format("has more than {} records", with_thousands(limits_.records)));
  }
  const auto name = name_of(event);
  if (!name) return name.error();
  const std::int64_t end_ns = *begin_ns + *duration_ns;
  switch (event.category) {
    case EventCategory::kCall:
      timeline_.calls.push_back(
          {*begin_ns, end_ns, event.correlation, event.thread, *name, kind_of_call(event.name)});
      break;
    case EventCategory::kOverhead:
      timeline_.calls.push_back(
          {*begin_ns, end_ns, kNoCorrelation, event.thread, *name, CallKind::kOther});
      break;
    case EventCategory::kOperator:
      timeline_.operators.push_back({*begin_ns, end_ns, event.thread, event.sequence, *name,
                                     calls_.work_of(event.name, *name, event.inputs)});
      break;
    case EventCategory::kRange:
      timeline_.ranges.push_back({*begin_ns, end_ns, event.thread, -1, *name});
      break;
    default:
      add_work(event, *name, *begin_ns, end_ns);
  }
  return {};
}

void ChromeBuilder::add_work(const ChromeEvent& event, NameId name, std::int64_t begin_ns,
                             std::int64_t end_ns) {
  DeviceWork work;
  work.begin_ns = begin_ns;
  work.end_ns = end_ns;
  work.correlation = event.correlation;
  work.stream = event.has_stream ? event.stream : event.thread;
  work.bytes = std::max<std::int64_t>(0, event.bytes);
  work.graph = event.graph;
  work.name = name;
  work.device = static_cast<std::int32_t>(event.device >= 0 ? event.device : event.process);
  work.kind = event.category == EventCategory::kKernel ? WorkKind::kKernel
              : event.category == EventCategory::kCopy ? WorkKind::kCopy
                                                       : WorkKind::kFill;
  work.launch_shape = shape_of(event);
  timeline_.work.push_back(work);
}

std::int32_t ChromeBuilder::shape_of(const ChromeEvent& event) {
  if (event.category != EventCategory::kKernel || event.grid == Shape3{}) return -1;
  const auto registers =
      std::in_range<std::int32_t>(event.registers) ? static_cast<std::int32_t>(event.registers) : 0;
  const auto next = static_cast<std::int32_t>(timeline_.shapes.size());
  const auto [found, added] =
      shapes_.try_emplace({event.grid, event.block, registers, event.shared_bytes}, next);
  if (added) timeline_.shapes.push_back({event.grid, event.block, registers, event.shared_bytes});
  return found->second;
}

Result<void> ChromeBuilder::add_device() {
  if (std::ssize(timeline_.devices) >= kMostDevices) {
    return beyond(fmt::format("has more than {} devices", kMostDevices));
  }
  timeline_.devices.emplace_back();
  warps_.push_back(kWarpThreads);
  return {};
}

void ChromeBuilder::set_device(ChromeField field, std::string_view text) {
  TracedDevice& device = timeline_.devices.back();
  switch (field) {
    case ChromeField::kId:
      device.index = small_number(text);
      break;
    case ChromeField::kName:
      device.name = printable(text.substr(0, 200));
      break;
    case ChromeField::kMemory:
      device.memory = {whole_number(text)};
      break;
    case ChromeField::kMultiprocessors:
      device.multiprocessors = small_number(text);
      break;
    case ChromeField::kMajor:
      device.capability_major = small_number(text);
      break;
    case ChromeField::kMinor:
      device.capability_minor = small_number(text);
      break;
    case ChromeField::kWarp:
      warps_.back() = small_number(text);
      break;
    default:
      break;
  }
}

void ChromeBuilder::set_distributed(ChromeField field, std::string_view text) {
  if (field == ChromeField::kRank) timeline_.rank = std::max(0, small_number(text));
  if (field == ChromeField::kWorldSize) timeline_.world_size = std::max(1, small_number(text));
}

// A process that sees one GPU may call it 0 where the trace's kernels have its number in the host.
void ChromeBuilder::match_only_device() {
  if (timeline_.devices.size() != 1 || timeline_.work.empty()) return;
  const std::int32_t device = timeline_.work.front().device;
  if (std::ranges::all_of(timeline_.work, [&](const auto& work) { return work.device == device; }))
    timeline_.devices.front().index = device;
}

Timeline ChromeBuilder::finish() {
  // AMD's devices have numbers that only look like CUDA's capabilities, and most have 64 threads.
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    TracedDevice& device = timeline_.devices[i];
    if (warps_[i] != kWarpThreads || device.name.starts_with("AMD")) {
      device.capability_major = device.capability_minor = 0;
    }
  }
  match_only_device();
  const auto outer_first = [](const HostSpan& a, const HostSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  };
  std::ranges::stable_sort(timeline_.work, {}, &DeviceWork::begin_ns);
  std::ranges::stable_sort(timeline_.calls, {}, &HostCall::begin_ns);
  std::ranges::stable_sort(timeline_.operators, outer_first);
  std::ranges::stable_sort(timeline_.ranges, outer_first);
  timeline_.operator_work = calls_.take();
  return std::move(timeline_);
}

}  // namespace sweepd::trace
