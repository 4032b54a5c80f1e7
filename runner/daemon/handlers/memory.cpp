#include <system_error>
#include <utility>

#include "runner/base/gzip_file.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/attempt_folder.h"

namespace sweepd {

namespace {

// Finds an attempt by its id, else the newest done memory pass of its trial.
Result<AttemptRow> find_memory_attempt(Reader& reader, const std::string& who) {
  auto attempt = reader.find_attempt(who);
  if (!attempt && attempt.error().code != ErrorCode::kNotFound) return attempt;
  const auto siblings = reader.attempts_of_trial(attempt ? attempt->trial_key : who);
  if (!siblings) return attempt ? siblings.error() : attempt.error();
  if (attempt && attempt->pass == Pass::kMemory) return attempt;
  const AttemptRow* found = nullptr;
  for (const AttemptRow& sibling : *siblings) {
    if (sibling.pass == Pass::kMemory && sibling.outcome() == Outcome::kDone &&
        (found == nullptr || sibling.row > found->row)) {
      found = &sibling;
    }
  }
  if (found != nullptr) return *found;
  return Error{ErrorCode::kNotFound, "no memory pass of `" + who +
                                         "` is done; ask for one with `passes: [timing, memory]`"};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Memory>> handle_memory(ReadServices& services, Session&,
                                                          rpc::Memory::Request request) {
  std::string pool;
  const auto ask = [&request, &pool](Reader& r) -> Result<rpc::Memory::Reply> {
    const auto attempt = find_memory_attempt(r, request.what);
    if (!attempt) return attempt.error();
    pool = attempt->pool;
    auto details = r.memory_details(attempt->row);
    if (!details) return details.error();
    return rpc::Memory::Reply{
        attempt->id, std::move(details->pictures), std::move(details->tables), {}};
  };
  auto shown = co_await services.readers.run(ask);
  if (!shown) co_return shown.error();
  const auto folder = services.folder_of(pool, shown->attempt);
  if (!folder) co_return folder.error();
  const std::function<void()> look = [&] {
    for (const MemoryPicture& picture : shown->pictures) {
      std::error_code ignored;
      const auto file = plain_or_gzip(folder->memory_snapshot(picture.rank));
      if (std::filesystem::exists(file, ignored)) shown->snapshots.push_back(file);
    }
  };
  co_await services.at_files(pool, look);
  co_return std::move(*shown);
}

}  // namespace sweepd
