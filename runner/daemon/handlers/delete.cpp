#include <spdlog/spdlog.h>

#include <map>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/named_sweeps.h"
#include "runner/daemon/planning/delete_sweeps.h"
#include "runner/daemon/serving/remove_attempts.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

struct Chosen {
  std::vector<SweepRow> sweeps;
  std::vector<SweepRow> open;  // that the rules would choose, but that have not ended
};

Result<Chosen> choose_by_name(Reader& reader, const std::vector<std::string>& names) {
  auto sweeps = named_sweeps(reader, names);
  if (!sweeps) return sweeps.error();
  return Chosen{std::move(*sweeps), {}};
}

Result<Chosen> choose_by_rules(Reader& reader, const rpc::Delete::Request& rules, WallTime now) {
  auto all = reader.sweeps(0);
  if (!all) return all.error();
  Chosen chosen;
  std::map<std::string, std::int64_t> newer;  // of the same name
  for (SweepRow& sweep : *all) {              // newest first
    const bool beyond_last = newer[sweep.name]++ >= rules.keep_last;
    const bool old = now.ns - sweep.submitted.ns > rules.older_ns;
    if (!beyond_last || !old) continue;
    const bool ended = sweep.counts.queued + sweep.counts.running == 0;
    (ended ? chosen.sweeps : chosen.open).push_back(std::move(sweep));
  }
  return chosen;
}

Result<void> check_delete(const rpc::Delete::Request& request) {
  const bool rules = request.older_ns != 0 || request.keep_last != 0;
  if (rules == request.sweeps.empty()) return {};
  return Error{ErrorCode::kInvalidArgument,
               rules ? "names of sweeps exclude an age and a number to keep"
                     : "expected names of sweeps, an age, or a number of each name to keep"};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Delete>> handle_delete(Services& services, Session&,
                                                          rpc::Delete::Request request) {
  if (const auto valid = check_delete(request); !valid) co_return valid.error();
  const auto choose = [&](Reader& reader) {
    return request.sweeps.empty() ? choose_by_rules(reader, request, now_wall())
                                  : choose_by_name(reader, request.sweeps);
  };
  const auto chosen = co_await services.readers.run(choose);
  if (!chosen) co_return chosen.error();

  std::vector<SweepId> ids;
  for (const SweepRow& sweep : chosen->sweeps) ids.push_back(sweep.id);
  const fs::path submissions = services.state.sweeps();
  const auto work = [&](Store& store) -> Result<DeletedRows> {
    if (!request.dry_run) return delete_sweeps(store, submissions, ids);
    auto receipt = store.delete_sweeps(ids, Store::Deletion::kDryRun);
    if (!receipt) return receipt.error();
    return DeletedRows{std::move(*receipt), {}};
  };
  auto deleted = co_await services.writer.run(work);
  if (!deleted) co_return deleted.error();
  Store::DeleteReceipt* receipt = &deleted->receipt;

  rpc::Delete::Reply reply;
  reply.sweeps = chosen->sweeps;
  reply.open = chosen->open;
  reply.trials = receipt->trials;
  reply.attempts = static_cast<std::int64_t>(receipt->attempts.size());
  reply.samples = receipt->samples;
  reply.trials_kept = receipt->trials_kept;
  if (request.dry_run) co_return reply;

  // After the transaction: a folder without an attempt only takes space, but an attempt without a
  // folder has lost its log.
  const RemovedFolders removed =
      co_await remove_attempts(services, receipt->attempts, deleted->file);
  services.writer.rest();
  reply.folders = removed.folders;
  reply.folders_left = removed.left;
  reply.why_left = removed.why;
  spdlog::info("deleted {} sweeps, {} trials, {} attempts", ids.size(), reply.trials,
               reply.attempts);
  co_return reply;
}

}  // namespace sweepd
