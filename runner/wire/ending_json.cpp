#include "runner/wire/ending_json.h"

namespace sweepd {
namespace {

using Json = nlohmann::ordered_json;
using Reader = JsonReader<Json>;

void put_detail(Json& json, const Done& e) {
  json["stop_reason"] = e.stop_reason;
}
void put_detail(Json& json, const Oom& e) {
  json["requested"] = e.requested.value;
  json["in_use"] = e.in_use.value;
  json["limit"] = e.limit.value;
  json["phase"] = e.phase;
}
void put_detail(Json& json, const Timeout& e) {
  json["limit_ns"] = e.limit.ns;
  json["phase"] = e.phase;
}
void put_detail(Json& json, const Crashed& e) {
  if (e.signal) json["signal"] = *e.signal;
  if (e.exit_code) json["exit_code"] = *e.exit_code;
  json["phase"] = e.phase;
}
void put_detail(Json& json, const Failed& e) {
  json["message"] = e.message;
  json["phase"] = e.phase;
}
void put_detail(Json& json, const Cancelled& e) {
  json["reason"] = e.reason;
}
void put_detail(Json& json, const Skipped& e) {
  json["reason"] = e.reason;
}

void read_detail(Reader& reader, Done& e) {
  reader.required("stop_reason", e.stop_reason);
}
void read_detail(Reader& reader, Oom& e) {
  reader.required("requested", e.requested);
  reader.required("in_use", e.in_use);
  reader.required("limit", e.limit);
  reader.required("phase", e.phase);
}
void read_detail(Reader& reader, Timeout& e) {
  reader.required("limit_ns", e.limit);
  reader.required("phase", e.phase);
}
void read_detail(Reader& reader, Crashed& e) {
  reader.optional("signal", e.signal);
  reader.optional("exit_code", e.exit_code);
  reader.required("phase", e.phase);
}
void read_detail(Reader& reader, Failed& e) {
  reader.required("message", e.message);
  reader.required("phase", e.phase);
}
void read_detail(Reader& reader, Cancelled& e) {
  reader.required("reason", e.reason);
}
void read_detail(Reader& reader, Skipped& e) {
  reader.required("reason", e.reason);
}

// Makes the alternative at `index` current. `Outcome` has the same order as the variant.
template <std::size_t I = 0>
void emplace(Ending& ending, std::size_t index) {
  if constexpr (I < std::variant_size_v<decltype(ending.detail)>) {
    if (I == index)
      ending.detail.template emplace<I>();
    else
      emplace<I + 1>(ending, index);
  }
}

}  // namespace

void put(Json& json, const Ending& ending) {
  json["outcome"] = name_of(outcome_of(ending));
  std::visit([&](const auto& detail) { put_detail(json, detail); }, ending.detail);
}

void read(Reader& reader, Ending& ending) {
  std::string name;
  reader.required("outcome", name);
  if (!reader.result()) return;
  const auto outcome = outcome_from(name);
  if (!outcome) return reader.fail(reader.path_to("outcome"), outcome.error().message);
  emplace(ending, static_cast<std::size_t>(*outcome));
  std::visit([&](auto& detail) { read_detail(reader, detail); }, ending.detail);
}

}  // namespace sweepd
