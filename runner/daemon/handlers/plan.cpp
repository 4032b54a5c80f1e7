#include <algorithm>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/plan_sweep.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/wire/rpc.h"

namespace sweepd {

namespace {

// Trials in one message, which then has a megabyte or two.
constexpr std::size_t kPlanPage = kMaxLookedAt;
constexpr std::size_t kMaxValues = 50;  // of an axis
constexpr std::size_t kMaxTooLarge = 5;

rpc::PlannedAxis message_of(const PlannedAxis& axis) {
  rpc::PlannedAxis message{axis.name, {}, static_cast<std::int64_t>(axis.values.size())};
  for (const auto& [text, trials] : axis.values) {
    if (message.values.size() == kMaxValues) break;
    message.values.push_back({text, trials});
  }
  return message;
}

std::string state_of(const TrialStanding& standing) {
  const std::int64_t to_run = standing.all_to_run();
  const std::int64_t others = standing.reused + standing.queued + standing.running;
  if (to_run > 0 && others > 0) return "partly";
  if (to_run > 0) return standing.last || standing.changes.attempts > 0 ? "again" : "new";
  if (standing.running > 0) return "running";
  if (standing.queued > 0) return "queued";
  return standing.skipped > 0 ? "left out" : "reused";
}

Bytes resident_of(const PlannedTrial& trial) {
  return Bytes{static_cast<std::int64_t>(trial.resident_bytes)};
}

rpc::PlannedTrial message_of(const PlannedTrial& trial) {
  rpc::PlannedTrial message;
  message.values = trial.values;
  message.state = state_of(trial.standing);
  message.to_run = trial.standing.all_to_run();
  message.fits = trial.fits();
  message.times_out = trial.times_out;
  if (trial.standing.last) message.last = name_of(*trial.standing.last);
  message.time = trial.time;
  if (trial.resident_bytes > 0) message.resident = resident_of(trial);
  return message;
}

std::vector<rpc::PlannedTrial> some_of(const std::vector<PlannedTrial>& trials,
                                       std::int64_t limit) {
  const auto all = static_cast<std::int64_t>(trials.size());
  const std::int64_t shown = std::clamp<std::int64_t>(limit, 0, all);
  std::vector<rpc::PlannedTrial> rows;
  for (std::int64_t i = 0; i < shown; ++i) {
    const std::int64_t k = shown == 1 ? 0 : i * (all - 1) / (shown - 1);  // with first and last
    rows.push_back(message_of(trials[static_cast<std::size_t>(k)]));
  }
  return rows;
}

std::optional<rpc::PlannedMemory> memory_of(const SweepPlan& plan) {
  std::vector<const PlannedTrial*> too_large;
  const PlannedTrial* largest = nullptr;
  for (const PlannedTrial& trial : plan.looked_at) {
    if (trial.resident_bytes <= 0) continue;
    if (largest == nullptr || trial.resident_bytes > largest->resident_bytes) largest = &trial;
    if (!trial.fits()) too_large.push_back(&trial);
  }
  if (largest == nullptr) return std::nullopt;
  std::stable_sort(too_large.begin(), too_large.end(), [](const auto* a, const auto* b) {
    return a->resident_bytes > b->resident_bytes;
  });
  const auto sized = [](const PlannedTrial& trial) {
    return rpc::SizedTrial{trial.values, resident_of(trial), Bytes{trial.memory_bytes}};
  };
  rpc::PlannedMemory memory{sized(*largest), static_cast<std::int64_t>(too_large.size()), {}};
  for (const PlannedTrial* trial : too_large) {
    if (memory.examples.size() < kMaxTooLarge) memory.examples.push_back(sized(*trial));
  }
  return memory;
}

rpc::PlannedAsk message_of(const PlannedAsk& ask) {
  rpc::PlannedAsk message;
  message.pool = ask.pool;
  message.ranks = ask.request.world_size;
  message.trials = ask.trials;
  if (!ask.estimate) {
    message.problem = ask.estimate.error().message;
    return message;
  }
  message.asks = ask.estimate->asks;
  message.starts = ask.estimate->starts;
  return message;
}

rpc::SweepPlan message_of(const SweepPlan& plan, std::int64_t limit) {
  rpc::SweepPlan message;
  message.name = plan.name;
  message.description = plan.description;
  message.workload = plan.workload;
  for (const Pass pass : plan.passes) message.passes.emplace_back(name_of(pass));
  message.points = plan.points;
  message.trials = plan.trials;
  message.attempts = plan.attempts;
  message.duplicates = plan.duplicates;
  for (const PlannedAxis& axis : plan.axes) message.axes.push_back(message_of(axis));
  for (const auto& rule : plan.excluded) {
    message.excluded.push_back({rule.line, rule.rule, rule.points});
  }
  message.to_run = plan.to_run;
  message.left_out = plan.skipped;
  message.left_out_because = plan.skipped_because;
  message.reused = plan.reused;
  message.queued = plan.queued;
  message.held = plan.held;
  message.running = plan.running;
  for (const auto& [outcome, trials] : plan.again) {
    message.again[std::string(name_of(outcome))] = trials;
  }
  message.changes = rpc::message_of(plan.changes);
  message.looked_at = static_cast<std::int64_t>(plan.looked_at.size());
  message.time = {.total = plan.time,
                  .from_same = plan.from_same,
                  .from_nearest = plan.from_nearest,
                  .unknown = plan.time_unknown,
                  .past_results = plan.past_results,
                  .farthest_ratio = plan.farthest_ratio};
  if (const PlannedTimeouts& late = plan.timeouts; late.attempts > 0) {
    message.timeouts = {late.attempts, late.values, late.expected, late.timeout, late.all_equal};
  }
  message.memory = memory_of(plan);
  for (const PlannedAsk& ask : plan.asks) message.asks.push_back(message_of(ask));
  message.refusals = plan.refusals;
  message.warnings = plan.warnings;
  message.work_error = plan.work_error;
  message.rows = some_of(plan.looked_at, limit);
  return message;
}

Result<rpc::Plan::Reply> plan_all(const PlanContext& context, const PreparedSweeps& prepared,
                                  std::int64_t limit) {
  rpc::Plan::Reply reply;
  share_work(context, prepared);
  for (const PreparedSweep& one : prepared.sweeps) {
    const auto plan = plan_sweep(context, one);
    if (!plan) return plan.error();
    reply.sweeps.push_back(message_of(*plan, limit));
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
        const auto page = plan_trials({r, services.dispatcher.pools(), services.host,
                                       services.worker, shared, services.machine_now.known()},
                                      prepared->sweeps[s], begin, end);
        if (!page) return page.error();
        rpc::PlanRows rows{static_cast<std::int64_t>(s), {}};
        for (const PlannedTrial& trial : *page) rows.rows.push_back(message_of(trial));
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
                          *overrides, compute_code(services),
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
