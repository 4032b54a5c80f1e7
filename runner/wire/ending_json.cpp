#include "runner/wire/ending_json.h"

#include "runner/wire/record_json.h"

namespace sweepd {

void put(nlohmann::ordered_json& json, const Ending& ending) {
  json["outcome"] = name_of(outcome_of(ending));
  std::visit([&](const auto& detail) { put_record(json, detail); }, ending.detail);
}

void read(JsonReader<nlohmann::ordered_json>& reader, Ending& ending) {
  std::string name;
  reader.required("outcome", name);
  if (!reader.result()) return;
  const auto outcome = outcome_from(name);
  if (!outcome) return reader.fail(reader.path_to("outcome"), outcome.error().message);
  ending.detail = empty_ending(*outcome).detail;
  std::visit([&](auto& detail) { read_record(reader, detail); }, ending.detail);
}

}  // namespace sweepd
