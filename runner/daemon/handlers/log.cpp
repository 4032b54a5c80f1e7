#include <algorithm>
#include <functional>
#include <optional>

#include "runner/base/gzip_file.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/model/sweep/run_params.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

Result<rpc::Log::Reply> read_tail(const std::filesystem::path& path, std::int64_t limit) {
  auto file = GzipFile::open(path, Links::kRefuse);
  if (!file && file.error().code == ErrorCode::kNotFound) {
    return Error{ErrorCode::kNotFound, "there is no log at " + path.string() +
                                           "; the attempt may not have started, or this rank does "
                                           "not exist"};
  }
  if (!file) return file.error();
  auto tail = file->read_tail(limit);
  if (!tail) return tail.error();
  return rpc::Log::Reply{.attempt = "",
                         .path = plain_or_gzip(path),
                         .text = std::move(tail->text),
                         .skipped_bytes = tail->skipped_bytes};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Log>> handle_log(ReadServices& services, Session&,
                                                    rpc::Log::Request request) {
  const auto ask = [&request](Reader& r) { return r.find_attempt(request.attempt); };
  const auto attempt = co_await services.readers.run(ask);
  if (!attempt) co_return attempt.error();
  const auto folder = services.folder_of(attempt->pool, attempt->id);
  if (!folder) co_return folder.error();
  std::optional<Result<rpc::Log::Reply>> tail;
  const std::function<void()> work = [&] {
    tail = read_tail(folder->log(static_cast<int>(request.rank)),
                     std::min(request.bytes, rpc::Log::kMaxBytes));
  };
  co_await services.at_files(attempt->pool, work);
  if (!*tail) co_return tail->error();
  (*tail)->attempt = attempt->id;
  co_return std::move(**tail);
}

}  // namespace sweepd
