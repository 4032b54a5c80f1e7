#include <fmt/format.h>
#include <unistd.h>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/attempts/trial_request.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/unobserved.h"
#include "runner/wire/request.h"

namespace sweepd {
namespace {

// The lease of this pass on an idle machine.
Result<Lease> idle_lease(const Machine& machine, Item item) {
  Scheduler scheduler(machine);
  scheduler.add(std::move(item));
  for (const Action& action : scheduler.step(now_instant())) {
    if (const auto* start = std::get_if<StartAction>(&action)) return start->lease;
    if (const auto* refusal = std::get_if<RefuseAction>(&action)) {
      return Error{ErrorCode::kFailedPrecondition, refusal->reason};
    }
  }
  return Error{ErrorCode::kFailedPrecondition, "this machine cannot run it"};
}

Result<std::string> request_of(const Services& services, const PreparedSweep& sweep, Pass pass) {
  const WorkloadDef& def = *sweep.def;
  const auto& first = sweep.expansion.trials.front();
  auto lease = idle_lease(services.machine, item_of(def, first.trial, pass));
  if (!lease) return lease.error();
  AttemptRequest request = trial_request(def, first.key, first.trial, pass);
  request.attempt = random_id();
  request.lease = std::move(*lease);
  request.host_cores = services.host.cores;
  request.machine = services.machine_now.known().of(first.trial.text(def, "device"));
  request.version = def.version;
  return request_text(request);
}

Result<rpc::Try::Reply> reply_of(const Services& services, const PreparedSweep& sweep) {
  const WorkloadDef& def = *sweep.def;
  const Trial& trial = sweep.expansion.trials.front().trial;
  if (def.analytic) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` consists of formulas, so there is nothing to run", def.name)};
  }
  if (const std::int64_t ranks = trial.integer(def, "world_size"); ranks != 1) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("world_size: `try` runs one rank, not {}; add --set world_size=1", ranks)};
  }
  rpc::Try::Reply reply{sweep.sweep.name, label_of(def, trial, axes_of(sweep.sweep)),
                        static_cast<std::int64_t>(sweep.expansion.trials.size()),
                        warnings_of(sweep)};
  if (std::string note = unobserved_torch(def, trial); !note.empty()) {
    reply.notes.push_back(std::move(note));
  }
  reply.worker = services.worker.string();
  for (const char* const* entry = ::environ; *entry != nullptr; ++entry) {
    reply.environment.emplace_back(*entry);
  }
  for (const Pass pass : sweep.sweep.passes) {
    auto request = request_of(services, sweep, pass);
    if (!request) return request.error();
    reply.requests.push_back(std::move(*request));
  }
  return reply;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Try>> handle_try(Services& services, Session&,
                                                    rpc::Try::Request request) {
  auto overrides = parse_overrides(request.set);
  if (!overrides) co_return overrides.error();
  const auto prepare = [&services, &request, &overrides] {
    return prepare_sweeps(request.text, request.file, services.catalog, services.dispatcher.pools(),
                          *overrides, compute_code(services),
                          {request.folder, request.environment});
  };
  const std::shared_ptr<PreparedSweeps> prepared = co_await services.slow.compute(prepare);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  const auto answer = [&services, &prepared] {
    return reply_of(services, prepared->sweeps.front());
  };
  auto reply = co_await services.slow.compute(answer);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
