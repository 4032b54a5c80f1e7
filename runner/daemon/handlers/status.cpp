#include <unistd.h>

#include "build_info.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/params.h"

namespace sweepd {

boost::asio::awaitable<Reply> handle_status(Services& services, Session&, nlohmann::json params) {
  ParamsReader reader(params);
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  nlohmann::json running = nlohmann::json::array();
  for (const RunningAttempt& run : services.dispatcher.running()) {
    running.push_back({{"attempt", run.id},
                       {"label", run.label},
                       {"pass", name_of(run.pass)},
                       {"elapsed_ns", (now_wall() - run.started).ns},
                       {"step", run.step},
                       {"phase", run.phase}});
  }
  co_return nlohmann::json{{"version", kVersion},
                           {"commit", kBuildCommit},
                           {"pid", ::getpid()},
                           {"state_folder", services.state.path().string()},
                           {"database", services.state.database().string()},
                           {"queued", services.dispatcher.queued()},
                           {"running", running},
                           {"longest_hold_ns", services.loop.longest().ns},
                           {"trouble", services.dispatcher.trouble()}};
}

}  // namespace sweepd
