#include "runner/wire/event.h"

#include <algorithm>

#include "runner/base/text.h"
#include "runner/wire/ending_json.h"
#include "runner/wire/environment_json.h"
#include "runner/wire/json_reader.h"

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
  json["phases"] = Json::array();
  for (const PhaseWork& phase : event.work.phases) {
    json["phases"].push_back({{"phase", phase.phase},
                              {"flops", number_to_json(phase.flops)},
                              {"bytes", number_to_json(phase.bytes)}});
  }
  json["figures"] = Json::array();
  for (const Figure& figure : event.work.figures) {
    json["figures"].push_back({{"name", figure.name},
                               {"value", number_to_json(figure.value)},
                               {"formula", figure.formula}});
  }
}
void read(Reader& reader, WorkEvent& event) {
  reader.required("arithmetic", event.work.arithmetic);
  reader.required("tokens", event.work.tokens);
  reader.each("phases", [&](Reader& element) {
    PhaseWork& phase = event.work.phases.emplace_back();
    element.required("phase", phase.phase);
    element.required("flops", phase.flops);
    element.required("bytes", phase.bytes);
  });
  reader.each("figures", [&](Reader& element) {
    Figure& figure = event.work.figures.emplace_back();
    element.required("name", figure.name);
    element.required("value", figure.value);
    element.required("formula", figure.formula);
  });
}

void put(Json& json, const EnvironmentEvent& event) {
  put(json, event.environment);
}
void read(Reader& reader, EnvironmentEvent& event) {
  read(reader, event.environment);
}

void put(Json& json, const StateEvent& event) {
  put(json, event.state);
}
void read(Reader& reader, StateEvent& event) {
  read(reader, event.state);
}

void put(Json& json, const StepEvent& event) {
  json["step"] = event.step;
  json["warmup"] = event.warmup;
  json["samples"] = Json::array();
  for (const Sample& sample : event.samples) {
    json["samples"].push_back(
        Json::array({sample.phase, sample.metric, number_to_json(sample.value)}));
  }
}
void read(Reader& reader, StepEvent& event) {
  reader.required("step", event.step);
  reader.required("warmup", event.warmup);
  reader.each_value("samples", [&](const Json& element, const std::string& path) {
    Sample& sample = event.samples.emplace_back();
    sample.step = event.step;
    sample.warmup = event.warmup;
    if (!element.is_array() || element.size() != 3 ||
        !detail::read_json(element[0], sample.phase).empty() ||
        !detail::read_json(element[1], sample.metric).empty() ||
        !detail::read_json(element[2], sample.value).empty()) {
      reader.fail(path, "expected [phase, metric, number], got " + Reader::excerpt(element));
    }
  });
}

void put(Json& json, const MemoryEvent& event) {
  json["phase"] = event.memory.phase;
  json["at_start"] = event.memory.at_start.value;
  json["at_end"] = event.memory.at_end.value;
  json["peak_allocated"] = event.memory.peak_allocated.value;
  json["peak_reserved"] = event.memory.peak_reserved.value;
  json["device_in_use"] = event.memory.device_in_use.value;
}
void read(Reader& reader, MemoryEvent& event) {
  reader.required("phase", event.memory.phase);
  reader.required("at_start", event.memory.at_start);
  reader.required("at_end", event.memory.at_end);
  reader.required("peak_allocated", event.memory.peak_allocated);
  reader.required("peak_reserved", event.memory.peak_reserved);
  reader.required("device_in_use", event.memory.device_in_use);
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
}
void read(Reader& reader, EndEvent& event) {
  read(reader, event.ending);
  reader.required("wall_ns", event.time);
  reader.optional("lines", event.lines);
  reader.optional("steps", event.steps);
}

// Sets the rank, which is not in the lines: the file implies it.
template <class T>
void set_rank(T&, int) {}
void set_rank(StateEvent& event, int rank) {
  event.state.rank = rank;
}
void set_rank(StepEvent& event, int rank) {
  for (Sample& sample : event.samples) sample.rank = rank;
}
void set_rank(MemoryEvent& event, int rank) {
  event.memory.rank = rank;
}
void set_rank(HeldMemoryEvent& event, int rank) {
  for (HeldMemory& held : event.tensors) held.rank = rank;
}
void set_rank(AllocationsEvent& event, int rank) {
  for (Allocation& block : event.blocks) block.rank = rank;
}
void set_rank(MemoryTimelineEvent& event, int rank) {
  for (MemoryPoint& point : event.points) point.rank = rank;
}
void set_rank(KernelEvent& event, int rank) {
  event.kernel.rank = rank;
}
void set_rank(OperatorEvent& event, int rank) {
  event.op.rank = rank;
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
    return Error{ErrorCode::kInvalidArgument, "not valid JSON: " + std::string(line.substr(0, 60))};
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
  consumed_ += static_cast<std::int64_t>(bytes.size());
  partial_ += bytes;
  std::size_t begin = 0;
  Result<void> result;
  for (std::size_t end = 0; result && (end = partial_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    ++line_number_;
    const std::string_view line = std::string_view(partial_).substr(begin, end - begin);
    if (line.empty()) continue;
    auto event = event_from_line(line, rank_);
    if (event) {
      out.push_back(std::move(*event));
    } else {
      result = Error{event.error().code, "events of rank " + std::to_string(rank_) + ", line " +
                                             std::to_string(line_number_) + ": " +
                                             event.error().message};
    }
  }
  partial_.erase(0, begin);
  return result;
}

}  // namespace sweepd
