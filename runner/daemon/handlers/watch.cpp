#include <unordered_set>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

namespace {

struct FoundSweep {
  SweepRow sweep;
  std::unordered_set<TrialKey> trials;
};

Result<FoundSweep> find(Reader& reader, const std::string& who) {
  auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  const auto attempts = reader.attempts_of_sweep(sweep->id, 0);
  if (!attempts) return attempts.error();
  FoundSweep found{std::move(*sweep), {}};
  for (const AttemptRow& attempt : *attempts) found.trials.insert(attempt.trial_key);
  return found;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Watch>> handle_watch(Services& services, Session& session,
                                                        rpc::Watch::Request request) {
  const auto ask = [&request](Reader& r) { return find(r, request.sweep); };
  auto found = co_await services.readers.run(ask);
  if (!found) co_return found.error();
  services.watchers.add(session.weak_from_this(), found->sweep, std::move(found->trials));
  co_return rpc::Watch::Reply{entry_of(found->sweep)};
}

}  // namespace sweepd
