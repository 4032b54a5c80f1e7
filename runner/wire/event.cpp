#include "runner/wire/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/wire/message.h"

namespace sweepd {

inline Result<void> read_message(const nlohmann::json& value, Ruler& out) {
  for (const Ruler known : {Ruler::kArithmetic, Ruler::kMemory}) {
    out = known;
    if (value == name_of(known).data()) return {};
  }
  return Error{ErrorCode::kInternal, not_a("arithmetic or memory", value)};
}

namespace {

using Json = nlohmann::ordered_json;  // keeps `event` first, so that people can read the file

// In the order of the Event variant.
const std::vector<std::string> kKinds{
    "started", "work",        "environment", "state",           "step",   "memory",  "fact",
    "end",     "memory_held", "allocations", "memory_timeline", "kernel", "operator"};
static_assert(std::variant_size_v<Event> == 13);

// The members that all events have.
struct EventHead {
  std::string event;
  static void visit(auto& self, auto&& field) { field("event", self.event, ""); }
};

// Sets the rank, which the file's name gives, and a sample's step.
template <class T>
void set_rank(T&, int) {}
template <class Record>
void set_rank(RecordEvent<Record>& event, int rank) {
  event.record.rank = rank;
}
template <class Record>
void set_rank(RowsEvent<Record>& event, int rank) {
  for (Record& row : event.rows) row.rank = rank;
}
void set_rank(StepEvent& event, int rank) {
  for (Sample& sample : event.samples) {
    sample.rank = rank;
    sample.step = event.step;
    sample.warmup = event.warmup;
  }
}
void set_rank(EndEvent& event, int rank) {
  event.ending.rank = rank;
}

template <std::size_t I = 0>
Event empty_event(std::size_t kind) {
  if constexpr (I + 1 < std::variant_size_v<Event>) {
    if (I != kind) return empty_event<I + 1>(kind);
  }
  return Event(std::in_place_index<I>);
}

}  // namespace

std::string event_to_line(const Event& event) {
  Json json = {{"event", kKinds[event.index()]}};
  std::visit([&](const auto& kind) { put_members(json, kind); }, event);
  return to_json_line(json);
}

Result<Event> event_from_line(std::string_view line, int rank) {
  const Json json = parse_ordered_json(line);
  if (json.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument,
                 why_discarded(line) + ": " + std::string(line.substr(0, 60))};
  }
  EventHead head;
  if (const auto read = from_message(json, head); !read) {
    return Error{ErrorCode::kInvalidArgument, read.error().message};
  }
  const std::string& kind = head.event;
  const auto known = std::find(kKinds.begin(), kKinds.end(), kind);
  if (known == kKinds.end()) {
    return Error{ErrorCode::kInvalidArgument, "unknown event `" + kind + "`; expected one of " +
                                                  join(kKinds, ", ") + did_you_mean(kind, kKinds)};
  }
  Event event = empty_event(static_cast<std::size_t>(known - kKinds.begin()));
  const auto read = std::visit([&](auto& body) { return from_message(json, body); }, event);
  if (!read) return Error{ErrorCode::kInvalidArgument, kind + ": " + read.error().message};
  std::visit([&](auto& body) { set_rank(body, rank); }, event);
  return event;
}

Result<void> EventReader::feed(std::string_view bytes, std::vector<Event>& out) {
  if (!bytes.empty()) {
    // Not at each line: the text would be moved once for every line in it.
    text_.erase(0, begin_);
    searched_to_ -= begin_;
    begin_ = 0;
    text_ += bytes;
  }
  while (searched_to_ < text_.size()) {
    const std::size_t newline = text_.find('\n', searched_to_);
    const std::size_t to = newline == std::string::npos ? text_.size() : newline + 1;
    searched_ += static_cast<std::int64_t>(to - searched_to_);
    searched_to_ = to;
    if (newline == std::string::npos) break;
    const auto line = std::string_view(text_).substr(begin_, newline - begin_);
    begin_ = to;
    if (std::exchange(skips_, false)) continue;
    ++line_number_;
    if (auto taken = take(line, out); !taken) return taken;
  }
  const bool is_too_long = !skips_ && kept() > kLongestJournalLine;
  if (is_too_long) {
    ++line_number_;
    skips_ = true;
  }
  if (skips_) begin_ = text_.size();
  if (is_too_long) return too_long();
  return {};
}

Result<void> EventReader::take(std::string_view line, std::vector<Event>& out) {
  if (line.empty()) return {};
  if (line.size() > kLongestJournalLine) return too_long();
  auto event = event_from_line(line, rank_);
  if (!event) return mistake(event.error().code, event.error().message);
  out.push_back(std::move(*event));
  return {};
}

Error EventReader::mistake(ErrorCode code, const std::string& what) const {
  return {code, fmt::format("events of rank {}, line {}: {}", rank_, line_number_, what)};
}

Error EventReader::too_long() const {
  return mistake(ErrorCode::kResourceExhausted,
                 "it is longer than " + to_text(Bytes{kLongestJournalLine}));
}

}  // namespace sweepd
