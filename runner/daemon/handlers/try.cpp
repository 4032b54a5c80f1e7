#include <fmt/format.h>

#include <filesystem>

#include "runner/base/clock.h"
#include "runner/daemon/attempts/trial_request.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/request.h"

namespace sweepd {
namespace {

// All cores, and for a GPU the first one: nothing waits for it, and nothing is measured by it.
Result<Lease> whole_machine(const Services& services, const WorkloadDef& def, const Trial& trial) {
  if (trial.integer(def, "world_size") != 1) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("world_size: `try` runs one rank, not {}; add --set world_size=1",
                             trial.integer(def, "world_size"))};
  }
  RankLease rank;
  rank.cores = services.machine.cores;
  if (trial.text(def, "device") == "cuda") {
    if (services.machine.gpus.empty()) {
      return Error{ErrorCode::kFailedPrecondition, "device: this machine has no usable GPU"};
    }
    rank.gpu_uuid = services.machine.gpus.front().uuid;
    rank.gpu_index = services.machine.gpus.front().index;
  }
  return Lease{{rank}};
}

Result<rpc::Try::Reply> write_first(const Services& services, const PreparedSweeps& prepared,
                                    const std::filesystem::path& folder) {
  const PreparedSweep& sweep = prepared.sweeps.front();
  const WorkloadDef& def = *sweep.def;
  const Trial& trial = sweep.expansion.trials.front().trial;
  if (def.analytic) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` consists of formulas, so there is nothing to run", def.name)};
  }
  auto lease = whole_machine(services, def, trial);
  if (!lease) return lease.error();
  AttemptRequest request =
      trial_request(def, sweep.expansion.trials.front().key, trial, sweep.sweep.passes.front());
  request.attempt = random_id();
  request.lease = std::move(*lease);
  request.host_cores = services.host.cores;
  if (auto written = write_request(AttemptFolder(folder).request(), request); !written) {
    return written.error();
  }
  return rpc::Try::Reply{services.worker.string(),
                         sweep.sweep.name,
                         label_of(def, trial, axes_of(sweep.sweep)),
                         services.state.secrets().string(),
                         static_cast<std::int64_t>(sweep.expansion.trials.size()),
                         warnings_of(sweep)};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Try>> handle_try(Services& services, Session&,
                                                    rpc::Try::Request request) {
  auto overrides = parse_overrides(request.set);
  if (!overrides) co_return overrides.error();
  const std::filesystem::path folder = request.attempt_folder;
  if (!folder.is_absolute()) {
    co_return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("attempt_folder: `{}`; expected an absolute path", folder.string())};
  }
  const auto work = [&services, &request, &overrides] {
    return prepare_sweeps(request.text, request.file, services.catalog, services.dispatcher.pools(),
                          *overrides, compute_code(services),
                          {request.folder, request.environment});
  };
  const std::shared_ptr<PreparedSweeps> prepared = co_await services.slow.compute(work);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  auto reply = write_first(services, *prepared, folder);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
