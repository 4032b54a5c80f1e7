#include <optional>
#include <utility>

#include "runner/base/ids.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

using Shown = rpc::Show::Reply;

namespace {

std::vector<rpc::AttemptEntry> entries_of(const std::vector<AttemptRow>& attempts) {
  std::vector<rpc::AttemptEntry> entries;
  for (const AttemptRow& attempt : attempts) entries.push_back(entry_of(attempt));
  return entries;
}

Result<Shown> show_sweep(Reader& reader, const std::string& who, std::int64_t limit) {
  const auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  const auto attempts = reader.attempts_of_sweep(sweep->id, limit);
  if (!attempts) return attempts.error();
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  Shown shown;
  shown.kind = "sweep";
  shown.sweep = entry_of(*sweep);
  shown.attempts = entries_of(*attempts);
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
  shown.attempt = entry_of(*attempt);
  shown.tables = std::move(*tables);
  return shown;
}

Result<Shown> show_trial(Reader& reader, const std::string& who) {
  const auto attempts = reader.attempts_of_trial(who);
  if (!attempts) return attempts.error();
  auto tables = reader.trial_details(who);
  if (!tables) return tables.error();
  Shown shown;
  shown.kind = "trial";
  shown.attempts = entries_of(*attempts);
  shown.tables = std::move(*tables);
  return shown;
}

// Ids are random, so a prefix hardly ever matches two kinds. But a sweep's name is chosen by a
// person and may be the prefix of an attempt's or trial's id.
std::optional<Error> also_begins(Reader& reader, const std::string& who,
                                 const rpc::SweepEntry& sweep) {
  if (sweep.id.starts_with(who)) return std::nullopt;
  std::string other;
  if (const auto attempt = reader.find_attempt(who)) {
    other = "attempt " + attempt->id;
  } else if (const auto attempts = reader.attempts_of_trial(who); attempts && !attempts->empty()) {
    other = "trial " + attempts->front().trial_key;
  } else {
    return std::nullopt;
  }
  return Error{ErrorCode::kInvalidArgument, "`" + who + "` is the name of sweep " + sweep.id +
                                                " and the beginning of " + other +
                                                "; give more digits of one of them"};
}

Result<Shown> show_any(Reader& reader, const std::string& who, std::int64_t limit, bool steps) {
  auto sweep = show_sweep(reader, who, limit);
  if (sweep && is_id(who)) {
    if (const auto also = also_begins(reader, who, *sweep->sweep)) return *also;
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

boost::asio::awaitable<Answer<rpc::Show>> handle_show(ReadServices& services, Session&,
                                                      rpc::Show::Request request) {
  const auto ask = [&request](Reader& r) {
    return show_any(r, request.what, request.limit, request.steps);
  };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  co_return std::move(*shown);
}

}  // namespace sweepd
