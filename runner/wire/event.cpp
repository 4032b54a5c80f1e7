#include "runner/wire/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/wire/ending_json.h"
#include "runner/wire/record_json.h"

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;  // keeps `event` first, so that people can read the file
using Reader = JsonReader<Json>;

// In the order of the Event variant.
const std::vector<std::string> kKinds{
    "started", "work",        "environment", "state",           "step",   "memory",  "fact",
    "end",     "memory_held", "allocations", "memory_timeline", "kernel", "operator"};
static_assert(std::variant_size_v<Event> == 13);

void put(Json& json, const StartedEvent& event) {
  json["pid"] = event.pid;
  json["wall_ns"] = event.time.ns;
}
void read(Reader& reader, StartedEvent& event) {
  reader.required("pid", event.pid);
  reader.required("wall_ns", event.time);
}

void put(Json& json, const WorkEvent& event) {
  json["arithmetic"] = event.work.arithmetic;
  json["tokens"] = number_to_json(event.work.tokens);
  if (event.work.ruler != Ruler::kNone) json["ruler"] = name_of(event.work.ruler);
  put_records(json, "phases", event.work.phases);
  put_records(json, "figures", event.work.figures);
}
void read(Reader& reader, WorkEvent& event) {
  reader.required("arithmetic", event.work.arithmetic);
  reader.required("tokens", event.work.tokens);
  std::string ruler;
  reader.optional("ruler", ruler);
  for (const Ruler known : {Ruler::kArithmetic, Ruler::kMemory}) {
    if (ruler == name_of(known)) event.work.ruler = known;
  }
  if (!ruler.empty() && event.work.ruler == Ruler::kNone) {
    reader.fail("ruler", "expected arithmetic or memory, got `" + ruler + "`");
  }
  read_records(reader, "phases", event.work.phases);
  read_records(reader, "figures", event.work.figures);
}

void put(Json& json, const EnvironmentEvent& event) {
  put_record(json["host"] = Json::object(), event.environment.host);
  put_records(json, "devices", event.environment.devices);
  put_record(json, event.environment);
}
void read(Reader& reader, EnvironmentEvent& event) {
  reader.object("host", [&](Reader& host) { read_record(host, event.environment.host); });
  read_records(reader, "devices", event.environment.devices);
  read_record(reader, event.environment);
}

void put(Json& json, const StepEvent& event) {
  json["step"] = event.step;
  json["warmup"] = event.warmup;
  json["samples"] = rows_to_json(event.samples);
}
void read(Reader& reader, StepEvent& event) {
  reader.required("step", event.step);
  reader.required("warmup", event.warmup);
  read_rows(reader, "samples", event.samples);
  for (Sample& sample : event.samples) {
    sample.step = event.step;
    sample.warmup = event.warmup;
  }
}

template <class Record>
void put(Json& json, const RecordEvent<Record>& event) {
  put_record(json, event.record);
}
template <class Record>
void read(Reader& reader, RecordEvent<Record>& event) {
  read_record(reader, event.record);
}

const char* list_of(const HeldMemoryEvent&) {
  return "tensors";
}
const char* list_of(const AllocationsEvent&) {
  return "blocks";
}
const char* list_of(const MemoryTimelineEvent&) {
  return "points";
}
template <class Record>
void put(Json& json, const RowsEvent<Record>& event) {
  json[list_of(event)] = rows_to_json(event.rows);
}
template <class Record>
void read(Reader& reader, RowsEvent<Record>& event) {
  read_rows(reader, list_of(event), event.rows);
}

void put(Json& json, const FactEvent& event) {
  json["name"] = event.name;
  if (event.number)
    json["number"] = number_to_json(*event.number);
  else
    json["text"] = event.text;
}
void read(Reader& reader, FactEvent& event) {
  reader.required("name", event.name);
  reader.optional("number", event.number);
  if (!event.number) reader.required("text", event.text);
}

void put(Json& json, const EndEvent& event) {
  put(json, event.ending);
  json["wall_ns"] = event.time.ns;
  if (event.lines) json["lines"] = *event.lines;
  if (event.steps) json["steps"] = *event.steps;
  if (!event.device_fault.empty()) json["device_fault"] = event.device_fault;
}
void read(Reader& reader, EndEvent& event) {
  read(reader, event.ending);
  reader.required("wall_ns", event.time);
  reader.optional("lines", event.lines);
  reader.optional("steps", event.steps);
  reader.optional("device_fault", event.device_fault);
}

// Sets the rank, which the file's name gives.
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
  for (Sample& sample : event.samples) sample.rank = rank;
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
  std::visit([&](const auto& kind) { put(json, kind); }, event);
  return to_json_line(json);
}

Result<Event> event_from_line(std::string_view line, int rank) {
  const Json json = parse_ordered_json(line);
  if (json.is_discarded()) {
    return Error{ErrorCode::kInvalidArgument,
                 why_discarded(line) + ": " + std::string(line.substr(0, 60))};
  }
  JsonReader reader(json);
  std::string kind;
  reader.required("event", kind);
  if (const auto read = reader.result(); !read) return read.error();
  const auto known = std::find(kKinds.begin(), kKinds.end(), kind);
  if (known == kKinds.end()) {
    return Error{ErrorCode::kInvalidArgument, "unknown event `" + kind + "`; expected one of " +
                                                  join(kKinds, ", ") + did_you_mean(kind, kKinds)};
  }
  Event event = empty_event(static_cast<std::size_t>(known - kKinds.begin()));
  std::visit([&](auto& body) { read(reader, body); }, event);
  if (const auto read = reader.result(); !read) {
    return Error{ErrorCode::kInvalidArgument, kind + ": " + read.error().message};
  }
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
