#include <fmt/format.h>

#include <optional>
#include <utility>

#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

using Shown = rpc::Show::Reply;

namespace {

Result<Shown> show_sweep(Reader& reader, const std::string& who, std::int64_t limit) {
  const auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  auto attempts = reader.attempts_of_sweep(sweep->id, limit);
  if (!attempts) return attempts.error();
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  auto notification = reader.notification_of(sweep->id);
  if (!notification) return notification.error();
  Shown shown;
  shown.notification = std::move(*notification);
  shown.kind = "sweep";
  shown.sweep = *sweep;
  shown.attempts = std::move(*attempts);
  shown.source = *source;
  return shown;
}

Result<Shown> show_attempt(Reader& reader, const std::string& who, bool steps) {
  const auto attempt = reader.find_attempt(who);
  if (!attempt) return attempt.error();
  auto tables = reader.attempt_details(attempt->row, steps);
  if (!tables) return tables.error();
  Shown shown;
  shown.kind = "attempt";
  shown.attempt = *attempt;
  shown.tables = std::move(*tables);
  return shown;
}

Result<Shown> show_trial(Reader& reader, const std::string& who) {
  auto attempts = reader.attempts_of_trial(who);
  if (!attempts) return attempts.error();
  auto tables = reader.trial_details(who);
  if (!tables) return tables.error();
  Shown shown;
  shown.kind = "trial";
  shown.attempts = std::move(*attempts);
  shown.tables = std::move(*tables);
  return shown;
}

// "waits in job 17: Resources", "job 17 on node[3-4]".
std::string text_of(const AttemptPlace& place) {
  const PoolAllocation& job = place.allocation;
  if (job.id.empty()) return "waits for a job";
  if (!place.nodes.empty()) return fmt::format("job {} on {}", job.id, place.nodes);
  const std::string& why = job.reason.empty() ? job.state : job.reason;
  return fmt::format("waits in job {}{}{}", job.id, why.empty() ? "" : ": ", why);
}

Table table_of(const AttemptPlace& place, const std::string& pool) {
  const PoolAllocation& job = place.allocation;
  Table table;
  table.title = "Where it is";
  table.columns = {{"property", "", Align::kLeft}, {"value", "", Align::kLeft}};
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) table.rows.push_back({{name, {}}, {value, {}}});
  };
  add("pool", pool);
  add("job", job.id);
  add("state", job.state);
  add("reason", job.reason);
  add("nodes", place.nodes.empty() ? job.nodes : place.nodes);
  if (job.starts) add("expected to start", to_text(*job.starts));
  if (job.ends) add("ends at the latest", to_text(*job.ends));
  return table;
}

// Adds the cluster's information on attempts that wait or run there.
void add_places(const ReadServices& services, Shown& shown) {
  if (!services.place_of) return;
  const auto is_open = [](const AttemptRow& attempt) {
    return attempt.pool != kLocalPool && (attempt.state == "queued" || attempt.state == "running");
  };
  if (shown.attempts) {
    for (AttemptRow& attempt : *shown.attempts) {
      if (!is_open(attempt)) continue;
      if (const auto place = services.place_of(attempt.id)) attempt.detail = text_of(*place);
    }
  }
  if (!shown.attempt || !is_open(*shown.attempt)) return;
  const auto place = services.place_of(shown.attempt->id);
  if (!place || !shown.tables) return;
  shown.tables->insert(shown.tables->begin() + (shown.tables->empty() ? 0 : 1),
                       table_of(*place, shown.attempt->pool));
}

// A sweep's name wins over a prefix of an attempt's or a trial's id, since among many thousands any
// word of hex digits is one. A wrong choice only shows something else.
Result<Shown> show_any(Reader& reader, const std::string& who, std::int64_t limit, bool steps) {
  auto sweep = show_sweep(reader, who, limit);
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

boost::asio::awaitable<Answer<rpc::Show>> handle_show(ReadServices& services, Session&,
                                                      rpc::Show::Request request) {
  const auto ask = [&request](Reader& r) {
    return show_any(r, request.what, request.limit, request.steps);
  };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  add_places(services, *shown);
  co_return std::move(*shown);
}

}  // namespace sweepd
