#include "runner/trace/snapshot_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/printable.h"
#include "runner/trace/memory_frame.h"

namespace sweepd::trace {
namespace {

constexpr std::int64_t kMostSize = std::int64_t{1} << 48;
constexpr std::uint64_t kMostSizes = std::uint64_t{1} << 62;
constexpr std::int64_t kMostSnapshotDevices = 4096;
constexpr std::int64_t kMostTimeUs = std::int64_t{1} << 52;

constexpr std::array<std::string_view, kFieldCount> kFieldNames{
    "action", "addr",    "address", "blocks",  "device",    "device_traces",  "filename",
    "frames", "history", "line",    "name",    "real_size", "requested_size", "segments",
    "size",   "state",   "stream",  "time_us", "total_size"};

struct ActionName {
  std::string_view name;
  MemoryAction action;
};
constexpr std::array kActions{ActionName{"alloc", MemoryAction::kAllocate},
                              ActionName{"free_requested", MemoryAction::kFree},
                              ActionName{"free_completed", MemoryAction::kReuse},
                              ActionName{"segment_alloc", MemoryAction::kSegmentAdded},
                              ActionName{"segment_map", MemoryAction::kSegmentAdded},
                              ActionName{"segment_free", MemoryAction::kSegmentGone},
                              ActionName{"segment_unmap", MemoryAction::kSegmentGone},
                              ActionName{"oom", MemoryAction::kOutOfMemory}};

struct StateName {
  std::string_view name;
  BlockState state;
};
// Until torch 2.1 a block that awaits its release was `active_pending_free`.
constexpr std::array kStates{StateName{"active_allocated", BlockState::kAllocated},
                             StateName{"active_awaiting_free", BlockState::kAwaitingFree},
                             StateName{"active_pending_free", BlockState::kAwaitingFree},
                             StateName{"inactive", BlockState::kFree}};

// Texts have ids in the order in which they were first seen.
constexpr std::int64_t kFirstAction = kFieldCount;
constexpr std::int64_t kFirstState = kFirstAction + std::ssize(kActions);

const char* words_of(Part part) {
  switch (part) {
    case Part::kAbsent:
      return "missing";
    case Part::kInteger:
      return "an integer";
    case Part::kText:
      return "a text";
    case Part::kFrame:
    case Part::kEvent:
    case Part::kBlock:
    case Part::kSegment:
    case Part::kSnapshot:
      return "a dictionary";
    case Part::kOther:
    case Part::kOpen:
      return "another value";
    default:
      return "a list";
  }
}

}  // namespace

SnapshotParts::SnapshotParts() {
  for (const std::string_view name : kFieldNames) texts_.add(name);
  for (const ActionName& action : kActions) texts_.add(action.name);
  for (const StateName& state : kStates) texts_.add(state.name);
  snapshot_.frames.add("");
}

void SnapshotParts::fail(ErrorCode code, std::string why) {
  if (mistake_.message.empty()) mistake_ = {code, std::move(why)};
}

void SnapshotParts::fail_of_memory() {
  fail(ErrorCode::kResourceExhausted, "reading it needs more than 1 GiB of memory");
}

PickleValue SnapshotParts::text(std::string_view text) {
  const std::size_t had = texts_.size();
  const NameId id = texts_.add(text);
  if (texts_.size() > had) charge(2 * text.size() + 160);  // `texts_` has it twice
  return PickleValue(Part::kText, id);
}

std::int64_t SnapshotParts::number(const Fields& fields, Field field, const char* whole,
                                   std::int64_t most, std::optional<std::int64_t> absent) {
  const PickleValue value = fields[field];
  if (value.part() == Part::kAbsent && absent) return *absent;
  if (value.part() == Part::kInteger && value.number() >= 0 && value.number() <= most) {
    return value.number();
  }
  const std::string found =
      value.part() == Part::kInteger ? std::to_string(value.number()) : words_of(value.part());
  fail(fmt::format("`{}` of {} is {}; expected an integer from 0 to {}",
                   kFieldNames[static_cast<std::size_t>(field)], whole, found, most));
  return 0;
}

std::int64_t SnapshotParts::size(const Fields& fields, Field field, const char* whole,
                                 std::optional<std::int64_t> absent) {
  const std::int64_t bytes = number(fields, field, whole, kMostSize, absent);
  all_bytes_ += static_cast<std::uint64_t>(bytes);
  if (all_bytes_ > kMostSizes) fail("its sizes together are more than 2^62 bytes");
  return bytes;
}

std::string_view SnapshotParts::text_of(PickleValue value) const {
  if (value.part() != Part::kText) return "";
  return texts_[static_cast<NameId>(value.number())];
}

PickleValue SnapshotParts::made_of(const Fields& fields) {
  const auto has = [&](Field field) { return fields[field].part() != Part::kAbsent; };
  if (has(Field::kAction)) return event_of(fields);
  if (has(Field::kFilename) && has(Field::kName)) return frame_of(fields);
  if (has(Field::kState) && has(Field::kSize)) return block_of(fields);
  if (has(Field::kBlocks) && has(Field::kTotalSize)) return segment_of(fields);
  if (has(Field::kSegments)) return snapshot_of(fields);
  if (has(Field::kRealSize)) return fields[Field::kFrames];  // a block's history, until torch 2.0
  return PickleValue(Part::kOther);
}

PickleValue SnapshotParts::event_of(const Fields& fields) {
  constexpr const char* kWhole = "a trace entry";
  MemoryEvent event;
  const std::int64_t action = fields[Field::kAction].number() - kFirstAction;
  if (fields[Field::kAction].part() != Part::kText) {
    fail(fmt::format("`action` of {} is {}; expected a text", kWhole,
                     words_of(fields[Field::kAction].part())));
  } else if (action >= 0 && action < std::ssize(kActions)) {
    event.action = kActions[static_cast<std::size_t>(action)].action;
  }
  const bool names_memory =
      event.action != MemoryAction::kOther && event.action != MemoryAction::kOutOfMemory;
  const auto absent = names_memory ? std::optional<std::int64_t>() : std::optional<std::int64_t>(0);
  event.address =
      static_cast<std::uint64_t>(number(fields, Field::kAddr, kWhole, PickleValue::kMost, absent));
  event.bytes = size(fields, Field::kSize, kWhole, absent);
  const std::int64_t time_us = number(fields, Field::kTimeUs, kWhole, kMostTimeUs, -1);
  event.time_ns = time_us < 0 ? MemoryEvent::kNoTime : time_us * 1000;
  if (fields[Field::kFrames].part() == Part::kFrames) {
    event.frame = static_cast<NameId>(fields[Field::kFrames].number());
  }
  charge(sizeof(MemoryEvent));
  return PickleValue(Part::kEvent, events_.add(event));
}

PickleValue SnapshotParts::frame_of(const Fields& fields) {
  const FrameFields key{fields[Field::kFilename], fields[Field::kName], fields[Field::kLine]};
  const auto [found, is_new] = frames_.try_emplace(key);
  if (is_new) found->second = new_frame(key);
  return found->second;
}

PickleValue SnapshotParts::new_frame(const FrameFields& fields) {
  const std::string_view path = text_of(fields[0]), function = text_of(fields[1]);
  const PickleValue line = fields[2];
  const std::string frame =
      name_of_frame(path, line.part() == Part::kInteger ? line.number() : 0, function);
  const std::size_t had = snapshot_.frames.size();
  const std::int64_t id = snapshot_.frames.add(frame);
  if (snapshot_.frames.size() > had) charge(2 * frame.size() + 160);
  charge(sizeof(FrameFields) + 48);  // of `frames_`
  return PickleValue(Part::kFrame,
                     id * 4 + static_cast<std::int64_t>(rank_of_frame(path, function)));
}

PickleValue SnapshotParts::block_of(const Fields& fields) {
  constexpr const char* kWhole = "a block";
  SnapshotBlock block;
  const std::int64_t state = fields[Field::kState].number() - kFirstState;
  if (fields[Field::kState].part() == Part::kText && state >= 0 && state < std::ssize(kStates)) {
    block.state = kStates[static_cast<std::size_t>(state)].state;
  } else {
    fail(
        fmt::format("`state` of {} is {}; expected `active_allocated`, `active_awaiting_free` or "
                    "`inactive`",
                    kWhole,
                    fields[Field::kState].part() == Part::kText
                        ? fmt::format("`{}`", brief(text_of(fields[Field::kState])))
                        : words_of(fields[Field::kState].part())));
  }
  block.bytes = size(fields, Field::kSize, kWhole, std::nullopt);
  block.requested = block.state == BlockState::kFree
                        ? 0
                        : size(fields, Field::kRequestedSize, kWhole, block.bytes);
  block.address =
      static_cast<std::uint64_t>(number(fields, Field::kAddress, kWhole, PickleValue::kMost, 0));
  for (const Field field : {Field::kFrames, Field::kHistory}) {
    if (fields[field].part() == Part::kFrames) {
      block.frame = static_cast<NameId>(fields[field].number());
      break;
    }
  }
  charge(sizeof(SnapshotBlock));
  return PickleValue(Part::kBlock, blocks_.add(block));
}

PickleValue SnapshotParts::segment_of(const Fields& fields) {
  constexpr const char* kWhole = "a segment";
  SnapshotSegment segment;
  segment.address = static_cast<std::uint64_t>(
      number(fields, Field::kAddress, kWhole, PickleValue::kMost, std::nullopt));
  segment.bytes = size(fields, Field::kTotalSize, kWhole, std::nullopt);
  segment.stream = number(fields, Field::kStream, kWhole, PickleValue::kMost, 0);
  segment.device = static_cast<std::int32_t>(
      number(fields, Field::kDevice, kWhole, kMostSnapshotDevices - 1, 0));
  const PickleValue blocks = fields[Field::kBlocks];
  if (blocks.part() == Part::kBlocks) {
    if (auto taken = block_lists_.take(blocks.number())) {
      segment.blocks = std::move(*taken);
    } else {
      fail("a list of blocks is in two segments");
    }
  } else if (blocks.part() != Part::kEmpty) {
    fail(fmt::format("`blocks` of {} is {}; expected a list of blocks", kWhole,
                     words_of(blocks.part())));
  }
  // Until torch 2.0 blocks had no address. They follow each other.
  std::uint64_t address = segment.address;
  for (SnapshotBlock& block : segment.blocks) {
    if (block.address == 0) block.address = address;
    address = block.address + static_cast<std::uint64_t>(block.bytes);
  }
  charge(sizeof(SnapshotSegment));
  return PickleValue(Part::kSegment, segments_.add(std::move(segment)));
}

PickleValue SnapshotParts::snapshot_of(const Fields& fields) {
  const PickleValue segments = fields[Field::kSegments], traces = fields[Field::kDeviceTraces];
  if (segments.part() == Part::kSegments) {
    if (auto taken = segment_lists_.take(segments.number())) {
      snapshot_.segments = std::move(*taken);
    }
  } else if (segments.part() != Part::kEmpty) {
    fail(fmt::format("`segments` is {}; expected a list of segments", words_of(segments.part())));
  }
  if (traces.part() == Part::kTraces) {
    if (auto taken = trace_lists_.take(traces.number())) snapshot_.traces = std::move(*taken);
  } else if (traces.part() != Part::kEmpty && traces.part() != Part::kAbsent) {
    fail(fmt::format("`device_traces` is {}; expected a list of lists of trace entries",
                     words_of(traces.part())));
  }
  return PickleValue(Part::kSnapshot);
}

std::optional<MemorySnapshot> SnapshotParts::take(PickleValue whole) {
  if (whole.part() == Part::kSnapshot) return std::move(snapshot_);
  fail(
      fmt::format("expected a dictionary with `segments` and `device_traces`, as "
                  "torch.cuda.memory._dump_snapshot writes it; found {}",
                  words_of(whole.part())));
  return std::nullopt;
}

// All but the second and later frames of a list.
void SnapshotParts::append_other(PartList& list, PickleValue value) {
  const auto take_from = [&](auto& waiting, auto& into) {
    if (auto taken = waiting.take(value.number())) {
      into.push_back(std::move(*taken));
    } else {
      fail("a part of the snapshot is in two lists");
    }
  };
  const bool is_first = list.of == Part::kAbsent;
  // A device without a trace.
  const bool empty_trace = value.part() == Part::kEmpty && (is_first || list.of == Part::kEvents);
  const Part part = empty_trace ? Part::kEvents : value.part();
  if (is_first) list.of = part;
  if (list.of != part) list.of = Part::kOther;
  switch (list.of) {
    case Part::kFrame:
    case Part::kFrames:
      if (is_first) list.best = value.number();
      break;
    case Part::kEvent:
      take_from(events_, list.keep().events);
      break;
    case Part::kBlock:
      take_from(blocks_, list.keep().blocks);
      break;
    case Part::kSegment:
      take_from(segments_, list.keep().segments);
      break;
    case Part::kEvents:
      if (std::ssize(list.keep().traces) == kMostSnapshotDevices) {
        fail(fmt::format("`device_traces` has more than {} members", kMostSnapshotDevices));
      } else if (empty_trace) {
        list.kept->traces.emplace_back();
      } else {
        take_from(event_lists_, list.kept->traces);
      }
      break;
    default:
      break;
  }
}

PickleValue SnapshotParts::made_of(PartList& list) {
  switch (list.of) {
    case Part::kAbsent:
      return PickleValue(Part::kEmpty);
    case Part::kFrame:
      return PickleValue(Part::kFrames, list.best >> 2);
    case Part::kFrames:
      return PickleValue(Part::kFrames, list.best);
    case Part::kEvent:
      return PickleValue(Part::kEvents, event_lists_.add(std::move(list.kept->events)));
    case Part::kBlock:
      return PickleValue(Part::kBlocks, block_lists_.add(std::move(list.kept->blocks)));
    case Part::kSegment:
      return PickleValue(Part::kSegments, segment_lists_.add(std::move(list.kept->segments)));
    case Part::kEvents:
      return PickleValue(Part::kTraces, trace_lists_.add(std::move(list.kept->traces)));
    default:
      return PickleValue(Part::kOther);
  }
}

}  // namespace sweepd::trace
