#include <spdlog/spdlog.h>

#include "db/upkeep/database_copy.h"
#include "runner/base/files.h"
#include "runner/base/folder_entries.h"
#include "runner/base/ids.h"
#include "runner/base/text.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {

namespace fs = std::filesystem;
namespace {

struct Source {
  fs::path database;
  fs::path runs;  // "" if only a database was given
};

Result<DatabaseCopy> copy_source(const ReadServices& services, const Source& source) {
  std::error_code ignored;
  if (fs::equivalent(source.database, services.database, ignored)) {
    return Error{
        ErrorCode::kInvalidArgument,
        source.database.string() + " is this daemon's own database; name that of another machine"};
  }
  auto copy = DatabaseCopy::make(source.database, services.state.path(),
                                 services.catalog.without_programs());
  if (!copy) return copy;
  if (auto prepared = Merger::prepare(copy->file()); !prepared) {
    return Error{prepared.error().code,
                 "database " + source.database.string() + ": " + prepared.error().message};
  }
  return copy;
}

bool is_ended(Reader& reader, const std::string& id) {
  const auto attempt = reader.find_attempt(id);
  return attempt && attempt->id == id && attempt->outcome();
}

struct CopiedRuns {
  std::int64_t folders = 0;
  std::int64_t left_out = 0;  // links, FIFOs and the like in them
};

// Copies the folders of ended attempts that are not here yet. Each is copied completely or not at
// all; the next merge repeats an interrupted copy. Another machine's folder may contain anything,
// so only folders with an attempt's name are copied, and only their regular files.
Result<CopiedRuns> copy_runs(Reader& reader, const fs::path& from, const fs::path& to) {
  CopiedRuns copied;
  const auto entries = entries_of(from);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return copied;
  if (!entries) {
    return Error{ErrorCode::kIo, "the results are merged, but " + entries.error().message};
  }
  for (const fs::path& entry : *entries) {
    std::error_code error;
    const std::string id = entry.filename();
    const bool is_folder = fs::is_directory(fs::symlink_status(entry, error));
    if (!is_id(id) || !is_folder || fs::exists(to / id, error) || !is_ended(reader, id)) continue;
    const fs::path part = to / ("." + id + ".part");
    fs::remove_all(part, error);
    auto whole = copy_tree(entry, part, copied.left_out);
    if (whole) {
      fs::rename(part, to / id, error);
      if (error) whole = Error{ErrorCode::kIo, error.message()};
    }
    if (!whole) {
      return Error{ErrorCode::kIo, "the results are merged, but copying " + entry.string() +
                                       " failed: " + whole.error().message};
    }
    ++copied.folders;
  }
  return copied;
}

// Merges one batch after the other, and lets other writes run in between.
boost::asio::awaitable<Result<MergeReceipt>> merge(Services& services, const fs::path& copy) {
  const auto begin = [&](Store& store) -> Result<void> {
    auto begun = Merger::begin(store, copy);
    if (!begun) return begun.error();
    services.merger = std::move(*begun);
    return {};
  };
  const auto begun = co_await services.writer.run(begin);
  if (!begun) co_return begun.error();
  const auto step = [&](Store&) { return services.merger->step(); };
  Result<bool> more = true;
  while (more && *more) more = co_await services.writer.run(step);
  const auto end = [&](Store&) {
    MergeReceipt receipt = services.merger->receipt();
    services.merger.reset();
    return receipt;
  };
  MergeReceipt receipt = co_await services.writer.run(end);
  services.writer.rest();
  if (!more) co_return more.error();
  co_return receipt;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Merge>> handle_merge(Services& services, Session&,
                                                        rpc::Merge::Request request) {
  const Source source{request.database, request.runs};
  if (!services.merging.expired()) {
    co_return Error{ErrorCode::kFailedPrecondition, "another merge is running; wait until it ends"};
  }
  const auto token = std::make_shared<int>();
  services.merging = token;

  const auto make = [&services, &source] { return copy_source(services, source); };
  auto copy = co_await services.slow.compute(make);
  if (!copy) co_return copy.error();
  if (request.dry_run) {
    const auto look = [&] { return preview_merge(services.database, copy->file()); };
    const auto receipt = co_await services.slow.compute(look);
    if (!receipt) co_return receipt.error();
    co_return *receipt;
  }
  auto receipt = co_await merge(services, copy->file());
  if (!receipt) co_return receipt.error();
  spdlog::info("merged {}: {} attempts of {}", source.database.string(), receipt->attempts.brought,
               receipt->hosts.empty() ? "no host" : join(receipt->hosts, ", "));
  if (!source.runs.empty()) {
    const auto copy_all = [&services, &source](Reader& r) {
      return copy_runs(r, source.runs, services.state.runs());
    };
    const auto copied = co_await services.slow.run(copy_all);
    if (!copied) co_return copied.error();
    receipt->folders = copied->folders;
    receipt->files_left_out = copied->left_out;
  }
  co_return std::move(*receipt);
}

}  // namespace sweepd
