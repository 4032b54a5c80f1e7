#include <optional>
#include <utility>

#include "runner/base/ids.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/sweep_json.h"
#include "runner/wire/params.h"
#include "runner/wire/table_json.h"

namespace sweepd {

using nlohmann::json;

namespace {

json tables_json(const std::vector<Table>& tables) {
  json list = json::array();
  for (const Table& table : tables) list.push_back(to_json(table));
  return list;
}

Result<json> show_sweep(Reader& reader, const std::string& who, std::int64_t limit) {
  const auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  const auto attempts = reader.attempts_of_sweep(sweep->id, limit);
  if (!attempts) return attempts.error();
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  json rows = json::array();
  for (const AttemptRow& attempt : *attempts) rows.push_back(to_json(attempt));
  return json{
      {"kind", "sweep"}, {"sweep", to_json(*sweep)}, {"attempts", rows}, {"source", *source}};
}

Result<json> show_attempt(Reader& reader, const std::string& who, bool steps) {
  const auto attempt = reader.find_attempt(who);
  if (!attempt) return attempt.error();
  const auto tables = reader.attempt_details(attempt->row, steps);
  if (!tables) return tables.error();
  return json{
      {"kind", "attempt"}, {"attempt", to_json(*attempt)}, {"tables", tables_json(*tables)}};
}

Result<json> show_trial(Reader& reader, const std::string& who) {
  const auto attempts = reader.attempts_of_trial(who);
  if (!attempts) return attempts.error();
  const auto tables = reader.trial_details(who);
  if (!tables) return tables.error();
  json rows = json::array();
  for (const AttemptRow& attempt : *attempts) rows.push_back(to_json(attempt));
  return json{{"kind", "trial"}, {"attempts", rows}, {"tables", tables_json(*tables)}};
}

// Ids are random, so a prefix hardly ever matches two kinds. But a sweep's name is chosen by a
// person and may be the prefix of an attempt's or trial's id.
std::optional<Error> also_begins(Reader& reader, const std::string& who, const json& sweep) {
  if (sweep["sweep"]["id"].get<std::string>().starts_with(who)) return std::nullopt;
  std::string other;
  if (const auto attempt = reader.find_attempt(who)) {
    other = "attempt " + attempt->id;
  } else if (const auto attempts = reader.attempts_of_trial(who); attempts && !attempts->empty()) {
    other = "trial " + attempts->front().trial_key;
  } else {
    return std::nullopt;
  }
  return Error{ErrorCode::kInvalidArgument,
               "`" + who + "` is the name of sweep " + sweep["sweep"]["id"].get<std::string>() +
                   " and the beginning of " + other + "; give more digits of one of them"};
}

Result<json> show_any(Reader& reader, const std::string& who, std::int64_t limit, bool steps) {
  auto sweep = show_sweep(reader, who, limit);
  if (sweep && is_id(who)) {
    if (const auto also = also_begins(reader, who, *sweep)) return *also;
  }
  if (sweep || who.empty() || sweep.error().code != ErrorCode::kNotFound) return sweep;
  // A text that cannot be an id was meant as a sweep's name, so the nearest name is the better
  // answer.
  const auto is_not_it = [](const Error& error) {
    return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument;
  };
  auto attempt = show_attempt(reader, who, steps);
  if (attempt || !is_not_it(attempt.error())) return attempt;
  auto trial = show_trial(reader, who);
  if (trial || !is_not_it(trial.error())) return trial;
  return Error{ErrorCode::kNotFound,
               "no sweep, trial or attempt `" + who + "`: " + sweep.error().message};
}

}  // namespace

boost::asio::awaitable<Reply> handle_show(ReadServices& services, Session&, json params) {
  ParamsReader reader(params);
  const std::string who = reader.text_or("what", "");
  const std::int64_t limit = reader.integer_or("limit", 200, 0);
  const bool steps = reader.boolean_or("steps", false);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who, limit, steps](Reader& r) { return show_any(r, who, limit, steps); };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  co_return std::move(*shown);
}

}  // namespace sweepd
