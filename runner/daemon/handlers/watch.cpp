#include <algorithm>
#include <unordered_set>

#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Watch>> handle_watch(Services& services, Session& session,
                                                        rpc::Watch::Request request) {
  const auto find = [&request](Reader& reader) { return reader.find_sweep(request.sweep); };
  const auto sweep = co_await services.readers.run(find);
  if (!sweep) co_return sweep.error();
  std::unordered_set<TrialKey> trials;
  if (!services.watchers.knows(sweep->id)) {
    const auto read = [&sweep](Reader& reader) { return reader.trial_keys_of(sweep->id); };
    auto keys = co_await services.readers.run(read);
    if (!keys) co_return keys.error();
    trials = std::move(*keys);
  }
  services.watchers.add(session.weak_from_this(), *sweep, std::move(trials),
                        std::clamp<std::int64_t>(request.past, 0, rpc::Watch::kMostPast));
  co_return rpc::Watch::Reply{*sweep};
}

}  // namespace sweepd
