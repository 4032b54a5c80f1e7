#include <unordered_set>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/sweep_json.h"
#include "runner/wire/params.h"

namespace sweepd {

using nlohmann::json;

namespace {

struct Found {
  SweepRow sweep;
  std::unordered_set<TrialKey> trials;
};

Result<Found> find(Reader& reader, const std::string& who) {
  auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  const auto attempts = reader.attempts_of_sweep(sweep->id, 0);
  if (!attempts) return attempts.error();
  Found found{std::move(*sweep), {}};
  for (const AttemptRow& attempt : *attempts) found.trials.insert(attempt.trial_key);
  return found;
}

}  // namespace

boost::asio::awaitable<Reply> handle_watch(Services& services, Session& session, json params) {
  ParamsReader reader(params);
  const std::string who = reader.text_or("sweep", "");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [who](Reader& r) { return find(r, who); };
  auto found = co_await services.readers.run(ask);
  if (!found) co_return found.error();
  services.watchers.add(session.weak_from_this(), found->sweep, std::move(found->trials));
  co_return json{{"sweep", to_json(found->sweep)}};
}

}  // namespace sweepd
