#include "db/upkeep/backup.h"

#include <spdlog/spdlog.h>

#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

boost::asio::awaitable<Answer<rpc::Backup>> handle_backup(ReadServices& services, Session&,
                                                          rpc::Backup::Request request) {
  const std::filesystem::path to = request.file;
  if (!to.is_absolute()) {
    co_return Error{ErrorCode::kInvalidArgument,
                    "file: `" + request.file + "` is not an absolute path"};
  }
  // Beside a file that is read without a daemon there may be no state folder.
  std::error_code none;
  const bool is_ours = std::filesystem::exists(services.state.lock(), none);
  const std::filesystem::path state = is_ours ? services.state.path() : "";
  const auto copy = [&] {
    return back_up(services.database, to, request.replace ? Replace::kYes : Replace::kNo, state);
  };
  const auto backup = co_await services.slow.compute(copy);
  if (!backup) co_return backup.error();
  spdlog::info("backed up {} attempts to {}", backup->attempts, to.string());
  co_return rpc::Backup::Reply{backup->size.value, backup->sweeps, backup->attempts};
}

}  // namespace sweepd
