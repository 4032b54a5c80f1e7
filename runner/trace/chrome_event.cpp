#include "runner/trace/chrome_event.h"

#include <charconv>
#include <functional>
#include <optional>

namespace sweepd::trace {
namespace {

struct FieldName {
  std::string_view key;
  ChromeField field;
};

constexpr FieldName kEventFields[] = {
    {"ph", ChromeField::kPhase},     {"cat", ChromeField::kCategory},
    {"name", ChromeField::kName},    {"ts", ChromeField::kTimestamp},
    {"dur", ChromeField::kDuration}, {"pid", ChromeField::kProcess},
    {"tid", ChromeField::kThread},   {"args", ChromeField::kArguments},
};
constexpr FieldName kArgumentFields[] = {
    {"device", ChromeField::kDevice},
    {"stream", ChromeField::kStream},
    {"correlation", ChromeField::kCorrelation},
    {"bytes", ChromeField::kBytes},
    {"Sequence number", ChromeField::kSequence},
    {"registers per thread", ChromeField::kRegisters},
    {"shared memory", ChromeField::kShared},
    {"grid", ChromeField::kGrid},
    {"block", ChromeField::kBlock},
    {"graph id", ChromeField::kGraph},
    {"Input Dims", ChromeField::kInputDims},
    {"Input type", ChromeField::kInputTypes},
    {"Concrete Inputs", ChromeField::kInputValues},
};
constexpr FieldName kDeviceFields[] = {
    {"id", ChromeField::kId},
    {"name", ChromeField::kName},
    {"totalGlobalMem", ChromeField::kMemory},
    {"numSms", ChromeField::kMultiprocessors},
    {"computeMajor", ChromeField::kMajor},
    {"computeMinor", ChromeField::kMinor},
    {"warpSize", ChromeField::kWarp},
};
constexpr FieldName kDistributedFields[] = {
    {"rank", ChromeField::kRank},
    {"world_size", ChromeField::kWorldSize},
};

template <std::size_t n>
ChromeField find_field(const FieldName (&fields)[n], std::string_view key) {
  for (const FieldName& each : fields) {
    if (each.key == key) return each.field;
  }
  return ChromeField::kOther;
}

// Those of PyTorch before 1.11 begin with a capital.
struct CategoryName {
  std::string_view text;
  EventCategory category;
};
constexpr CategoryName kCategories[] = {
    {"cpu_op", EventCategory::kOperator},       {"cuda_runtime", EventCategory::kCall},
    {"kernel", EventCategory::kKernel},         {"gpu_memcpy", EventCategory::kCopy},
    {"gpu_memset", EventCategory::kFill},       {"cuda_driver", EventCategory::kCall},
    {"user_annotation", EventCategory::kRange}, {"overhead", EventCategory::kOverhead},
    {"Operator", EventCategory::kOperator},     {"Runtime", EventCategory::kCall},
    {"Kernel", EventCategory::kKernel},         {"Memcpy", EventCategory::kCopy},
    {"Memset", EventCategory::kFill},
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::int64_t> whole_number_in(std::string_view text) {
  if (const auto number = number_in<std::int64_t>(text)) return number;
  if (const auto number = number_in<std::uint64_t>(text)) return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

}  // namespace

EventCategory category_of(std::string_view text) {
  for (const CategoryName& each : kCategories) {
    if (each.text == text) return each.category;
  }
  return EventCategory::kSkipped;
}

ChromeField event_field(std::string_view key) {
  return find_field(kEventFields, key);
}
ChromeField argument_field(std::string_view key) {
  return find_field(kArgumentFields, key);
}
ChromeField device_field(std::string_view key) {
  return find_field(kDeviceFields, key);
}
ChromeField distributed_field(std::string_view key) {
  return find_field(kDistributedFields, key);
}

std::int64_t whole_number(std::string_view text) {
  return whole_number_in(text).value_or(0);
}

void InputTexts::clear() {
  dims.clear();
  types.clear();
  values.clear();
  lost = false;
}

void InputTexts::begin_list(ChromeField list, int level) {
  if (list == ChromeField::kInputDims && level == 0) {
    append(dims, ';', "");
  } else {
    lost = true;  // a list of tensors
  }
}

void InputTexts::add(ChromeField list, int level, std::string_view text) {
  if (list == ChromeField::kInputDims) {
    append(dims, ',', text);
    lost = lost || level != 1;
  } else {
    append(list == ChromeField::kInputTypes ? types : values, ';', text);
  }
}

void InputTexts::append(std::string& texts, char separator, std::string_view text) {
  constexpr std::size_t kMost = 1'000;
  if (texts.size() + text.size() + 1 > kMost) {
    lost = true;
    return;
  }
  texts += separator;
  texts += text;
}

void ChromeEvent::clear() {
  phase.clear();
  name.clear();
  timestamp.clear();
  duration.clear();
  has_name = has_stream = false;
  category = EventCategory::kSkipped;
  process = device = sequence = -1;
  thread = stream = correlation = bytes = graph = registers = shared_bytes = 0;
  grid = block = {};
  inputs.clear();
}

void ChromeEvent::set(ChromeField field, std::string_view text) {
  constexpr std::size_t kLongestTime = 400;  // what JSON writers make of the smallest double
  switch (field) {
    case ChromeField::kPhase:
      phase.assign(text.substr(0, 80));
      break;
    case ChromeField::kCategory:
      category = category_of(text);
      break;
    case ChromeField::kName:
      name.assign(text.substr(0, kLongestName));
      has_name = true;
      break;
    case ChromeField::kTimestamp:
      timestamp.assign(text.substr(0, kLongestTime));
      break;
    case ChromeField::kDuration:
      duration.assign(text.substr(0, kLongestTime));
      break;
    case ChromeField::kProcess:
      process = whole_number_in(text).value_or(-1);
      break;
    case ChromeField::kThread:  // "stream 7"
      thread = whole_number_in(text).value_or(
          static_cast<std::int64_t>(std::hash<std::string_view>()(text) >> 1U));
      break;
    case ChromeField::kDevice:
      device = whole_number_in(text).value_or(-1);
      break;
    case ChromeField::kStream:
      if (const auto number = whole_number_in(text)) {
        stream = *number;
        has_stream = true;
      }
      break;
    case ChromeField::kCorrelation:
      correlation = whole_number(text);
      break;
    case ChromeField::kBytes:
      bytes = whole_number(text);
      break;
    case ChromeField::kSequence:
      sequence = whole_number_in(text).value_or(-1);
      break;
    case ChromeField::kRegisters:
      registers = whole_number(text);
      break;
    case ChromeField::kShared:
      shared_bytes = whole_number(text);
      break;
    case ChromeField::kGraph:
      graph = whole_number(text);
      break;
    default:
      break;
  }
}

}  // namespace sweepd::trace
