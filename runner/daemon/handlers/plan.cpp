#include <algorithm>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/plan_sweep.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/wire/params.h"
#include "runner/wire/rpc.h"

namespace sweepd {

using nlohmann::json;

namespace {

// Trials in one message, which then has a megabyte or two.
constexpr std::size_t kPage = kMaxLookedAt;
constexpr std::size_t kMaxValues = 50;  // of an axis
constexpr std::size_t kMaxTooLarge = 5;

json axes_json(const std::vector<PlannedAxis>& axes) {
  json list = json::array();
  for (const PlannedAxis& axis : axes) {
    json values = json::array();
    for (const auto& [text, trials] : axis.values) {
      if (values.size() == kMaxValues) break;
      values.push_back({{"value", text}, {"trials", trials}});
    }
    list.push_back({{"name", axis.name}, {"values", values}, {"distinct", axis.values.size()}});
  }
  return list;
}

std::string state_of(const TrialStanding& standing) {
  const std::int64_t to_run = standing.all_to_run();
  const std::int64_t others = standing.reused + standing.queued + standing.running;
  if (to_run > 0 && others > 0) return "partly";
  if (to_run > 0) return standing.last ? "again" : "new";
  if (standing.running > 0) return "running";
  return standing.queued > 0 ? "queued" : "reused";
}

json trial_json(const PlannedTrial& trial) {
  json row{{"values", trial.values},
           {"state", state_of(trial.standing)},
           {"to_run", trial.standing.all_to_run()},
           {"fits", trial.fits()}};
  if (trial.standing.last) row["last"] = name_of(*trial.standing.last);
  if (trial.time) row["time_ns"] = trial.time->ns;
  if (trial.resident_bytes > 0) {
    row["resident_bytes"] = static_cast<std::int64_t>(trial.resident_bytes);
  }
  return row;
}

json trials_json(const SweepPlan& plan, std::int64_t limit) {
  const auto all = static_cast<std::int64_t>(plan.looked_at.size());
  const std::int64_t shown = std::clamp<std::int64_t>(limit, 0, all);
  json list = json::array();
  for (std::int64_t i = 0; i < shown; ++i) {
    const std::int64_t k = shown == 1 ? 0 : i * (all - 1) / (shown - 1);  // with first and last
    list.push_back(trial_json(plan.looked_at[static_cast<std::size_t>(k)]));
  }
  return list;
}

json memory_json(const SweepPlan& plan) {
  std::vector<const PlannedTrial*> too_large;
  const PlannedTrial* largest = nullptr;
  for (const PlannedTrial& trial : plan.looked_at) {
    if (trial.resident_bytes <= 0) continue;
    if (largest == nullptr || trial.resident_bytes > largest->resident_bytes) largest = &trial;
    if (!trial.fits()) too_large.push_back(&trial);
  }
  if (largest == nullptr) return nullptr;
  std::stable_sort(too_large.begin(), too_large.end(), [](const auto* a, const auto* b) {
    return a->resident_bytes > b->resident_bytes;
  });
  const auto entry = [](const PlannedTrial& trial) {
    return json{{"values", trial.values},
                {"resident_bytes", static_cast<std::int64_t>(trial.resident_bytes)},
                {"memory_bytes", trial.memory_bytes}};
  };
  json examples = json::array();
  for (const PlannedTrial* trial : too_large) {
    if (examples.size() < kMaxTooLarge) examples.push_back(entry(*trial));
  }
  return {{"largest", entry(*largest)}, {"too_large", too_large.size()}, {"examples", examples}};
}

json time_json(const SweepPlan& plan) {
  json time{{"from_same", plan.from_same},
            {"from_nearest", plan.from_nearest},
            {"unknown", plan.time_unknown},
            {"farthest_ratio", plan.farthest_ratio},
            {"past_results", plan.past_results}};
  time["total_ns"] = plan.time ? json(plan.time->ns) : json();
  return time;
}

json plan_json(const SweepPlan& plan, std::int64_t limit) {
  json passes = json::array(), excluded = json::array(), again = json::object();
  for (const Pass pass : plan.passes) passes.push_back(name_of(pass));
  for (const auto& rule : plan.excluded) {
    excluded.push_back({{"line", rule.line}, {"rule", rule.rule}, {"points", rule.points}});
  }
  for (const auto& [outcome, trials] : plan.again) again[std::string(name_of(outcome))] = trials;
  return {{"name", plan.name},
          {"description", plan.description},
          {"workload", plan.workload},
          {"passes", passes},
          {"points", plan.points},
          {"trials", plan.trials},
          {"attempts", plan.attempts},
          {"duplicates", plan.duplicates},
          {"axes", axes_json(plan.axes)},
          {"excluded", excluded},
          {"to_run", plan.to_run},
          {"reused", plan.reused},
          {"queued", plan.queued},
          {"running", plan.running},
          {"again", again},
          {"looked_at", plan.looked_at.size()},
          {"time", time_json(plan)},
          {"memory", memory_json(plan)},
          {"refusals", plan.refusals},
          {"work_error", plan.work_error},
          {"rows", trials_json(plan, limit)}};
}

Result<json> plan_all(const PlanContext& context, const PreparedSweeps& prepared,
                      std::int64_t limit) {
  json sweeps = json::array();
  share_work(context, prepared);
  for (const PreparedSweep& one : prepared.sweeps) {
    const auto plan = plan_sweep(context, one);
    if (!plan) return plan.error();
    sweeps.push_back(plan_json(*plan, limit));
  }
  return json{{"sweeps", sweeps}};
}

// Sends every trial, in order, a page at a time, so that no query takes long and no message is
// large.
boost::asio::awaitable<Result<void>> send_pages(Services& services, Session& session,
                                                std::shared_ptr<const PreparedSweeps> prepared) {
  for (std::size_t s = 0; s < prepared->sweeps.size(); ++s) {
    const std::size_t trials = prepared->sweeps[s].expansion.trials.size();
    for (std::size_t begin = 0; begin < trials; begin += kPage) {
      const std::size_t end = std::min(trials, begin + kPage);
      const auto ask = [&services, prepared, s, begin, end](Reader& r) -> Result<std::string> {
        PlanShared shared;
        const auto page = plan_trials({r, services.machine, services.host, services.worker, shared},
                                      prepared->sweeps[s], begin, end);
        if (!page) return page.error();
        json rows = json::array();
        for (const PlannedTrial& trial : *page) rows.push_back(trial_json(trial));
        return notification_line("plan_rows", {{"sweep", s}, {"rows", std::move(rows)}});
      };
      auto page = co_await services.readers.run(ask);
      if (!page) co_return page.error();
      if (!session.send(std::move(*page))) {
        co_return Error{ErrorCode::kUnavailable, "the client is gone"};
      }
    }
  }
  co_return Result<void>{};
}

}  // namespace

boost::asio::awaitable<Reply> handle_plan(Services& services, Session& session, json params) {
  ParamsReader reader(params);
  const std::string text = reader.text("text");
  const std::string file = reader.text_or("file", "<request>");
  const std::vector<std::string> sets = reader.texts("set");
  const bool all = reader.boolean_or("all", false);
  const std::int64_t asked = reader.integer_or("limit", 5, 0);
  const std::int64_t limit = all ? 0 : asked;
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  auto overrides = parse_overrides(sets);
  if (!overrides) co_return overrides.error();

  const auto work = [&services, text, file, sets = *overrides] {
    return prepare_sweeps(text, file, services.catalog, services.machine, sets);
  };
  std::shared_ptr<PreparedSweeps> prepared = co_await services.readers.compute(work);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  const auto ask = [&services, &prepared, limit](Reader& r) {
    PlanShared shared;
    return plan_all({r, services.machine, services.host, services.worker, shared}, *prepared,
                    limit);
  };
  auto planned = co_await services.readers.run(ask);
  if (!planned) co_return planned.error();
  if (all) {
    const auto sent = co_await send_pages(services, session, prepared);
    if (!sent) co_return sent.error();
  }
  // Freeing a million trials takes long.
  const auto let_go = [&prepared] {
    prepared.reset();
    return true;
  };
  co_await services.readers.compute(let_go);
  co_return std::move(*planned);
}

}  // namespace sweepd
