#include <algorithm>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/plan_sweep.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace {

// Trials in one message, which then has a megabyte or two.
constexpr std::size_t kPlanPage = kMaxLookedAt;

Result<rpc::Plan::Reply> plan_all(const PlanContext& context, const PreparedSweeps& prepared,
                                  std::int64_t limit) {
  rpc::Plan::Reply reply;
  share_work(context, prepared);
  for (const PreparedSweep& one : prepared.sweeps) {
    auto plan = plan_sweep(context, one, limit);
    if (!plan) return plan.error();
    reply.sweeps.push_back(std::move(*plan));
  }
  return reply;
}

// Sends every trial, in order, a page at a time, so that no query takes long and no message is
// large.
boost::asio::awaitable<Result<void>> send_pages(Services& services, Session& session,
                                                std::shared_ptr<const PreparedSweeps> prepared) {
  for (std::size_t s = 0; s < prepared->sweeps.size(); ++s) {
    const std::size_t trials = prepared->sweeps[s].expansion.trials.size();
    for (std::size_t begin = 0; begin < trials; begin += kPlanPage) {
      const std::size_t end = std::min(trials, begin + kPlanPage);
      const auto ask = [&services, prepared, s, begin, end](Reader& r) -> Result<std::string> {
        PlanShared shared;
        auto page = plan_trials({r, services.dispatcher.pools(), services.host, services.worker,
                                 shared, services.machine_now.known()},
                                prepared->sweeps[s], begin, end);
        if (!page) return page.error();
        const rpc::PlanRows rows{static_cast<std::int64_t>(s), std::move(*page)};
        return notification_line(rpc::PlanRows::kName, to_message(rows));
      };
      auto page = co_await services.slow.run(ask);
      if (!page) co_return page.error();
      if (!session.send(std::move(*page))) {
        co_return Error{ErrorCode::kUnavailable, "the client is gone"};
      }
    }
  }
  co_return Result<void>{};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Plan>> handle_plan(Services& services, Session& session,
                                                      rpc::Plan::Request request) {
  auto overrides = parse_overrides(request.set);
  if (!overrides) co_return overrides.error();
  const auto work = [&services, &request, &overrides] {
    return prepare_sweeps(request.text, request.file, services.catalog, services.dispatcher.pools(),
                          *overrides, ask_worker_of(services, request.folder),
                          {request.folder, request.environment});
  };
  std::shared_ptr<PreparedSweeps> prepared = co_await services.slow.compute(work);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  const std::int64_t limit = request.all ? 0 : request.limit;
  const auto ask = [&services, &prepared, limit](Reader& r) {
    PlanShared shared;
    return plan_all({r, services.dispatcher.pools(), services.host, services.worker, shared,
                     services.machine_now.refresh()},
                    *prepared, limit);
  };
  auto planned = co_await services.slow.run(ask);
  if (!planned) co_return planned.error();
  if (request.all) {
    const auto sent = co_await send_pages(services, session, prepared);
    if (!sent) co_return sent.error();
  }
  // Freeing a million trials takes long.
  const auto let_go = [&prepared] {
    prepared.reset();
    return true;
  };
  co_await services.slow.compute(let_go);
  co_return std::move(*planned);
}

}  // namespace sweepd
