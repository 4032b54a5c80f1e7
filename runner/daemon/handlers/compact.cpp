#include <spdlog/spdlog.h>

#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Compact>> handle_compact(Services& services, Session&,
                                                            rpc::Compact::Request request) {
  const Duration own = services.config.config.compact_older.value_or(kCompactOlder);
  rpc::Compact::Reply reply;
  reply.older_ns = request.older_ns == rpc::Compact::kAsConfigured ? own.ns : request.older_ns;
  const WallTime before{now_wall().ns - reply.older_ns};
  const auto mode = request.dry_run ? Compactor::Mode::kDryRun : Compactor::Mode::kForReal;
  const auto done = co_await services.compactor.compact(before, mode);
  if (!done) co_return done.error();
  reply.folders = done->folders;
  reply.before_bytes = done->before.value;
  reply.after_bytes = done->after.value;
  reply.folders_left = done->left;
  reply.why_left = done->why_left;
  reply.stopped = done->stopped;
  if (!request.dry_run) {
    spdlog::info("compacted folders of attempts: {}, from {} to {}", done->folders,
                 to_human(done->before), to_human(done->after));
  }
  co_return reply;
}

}  // namespace sweepd
