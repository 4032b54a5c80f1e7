#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "runner/daemon/formulas/ask_plugin.h"
#include "runner/daemon/formulas/code_of_trials.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/wire/submission.h"

namespace sweepd {

namespace {

NewSweep new_sweep(PreparedSweep& one, Reuse reuse, const std::string& notify,
                   MachineIds machines) {
  NewSweep sweep;
  sweep.notify = notify;
  sweep.machines = std::move(machines);
  sweep.reuse = reuse;
  sweep.id = random_id();
  sweep.sweep = std::move(one.sweep);
  sweep.submitted = now_wall();
  sweep.trials.reserve(one.expansion.trials.size());
  for (ExpandedTrial& trial : one.expansion.trials) {
    sweep.trials.push_back(
        {std::move(trial.key), std::move(trial.trial), std::move(trial.base_key)});
  }
  return sweep;
}

// The sweep's data for a recovery of the database.
Submission submission_of(const NewSweep& sweep, const PreparedSweep& one,
                         const rpc::Submit::Request& request, int document) {
  return {sweep.id,
          sweep.sweep.name,
          sweep.submitted,
          request.text,
          document,
          request.set,
          request.set_where_it_fits,
          request.folder,
          kept_environment(sweep.sweep, *one.def),
          one.def->version,
          one.devices};
}

bool is_analytic(const Services& services, const SubmitReceipt& receipt) {
  return !receipt.queued.empty() &&
         services.catalog.find(receipt.queued.front().workload)->analytic;
}

// Stores a sweep and queues its attempts, but those of formulas, which it adds to `formulas`: they
// take longer, and the documents after them must not wait.
boost::asio::awaitable<Result<SubmittedSweep>> store_one(Services& services, PreparedSweep& one,
                                                         Reuse reuse,
                                                         const rpc::Submit::Request& request,
                                                         int document,
                                                         std::vector<SubmitReceipt>& formulas) {
  struct Stored {
    SweepId id;
    std::string name;
    Result<SubmitReceipt> receipt;
  };
  const auto submit = [&](Store& store) -> Stored {
    const NewSweep sweep = new_sweep(one, reuse, request.notify, services.machine_now.known());
    std::vector<ExpandedTrial>().swap(one.expansion.trials);
    const std::filesystem::path sweeps = services.state.sweeps();
    const auto kept = write_submission(sweeps, submission_of(sweep, one, request, document));
    if (!kept) return {sweep.id, sweep.sweep.name, kept.error()};
    auto receipt = store.submit(sweep, *one.def);
    settle_submission(sweeps, sweep.id, /*is_stored=*/receipt.ok());
    return {sweep.id, sweep.sweep.name, std::move(receipt)};
  };
  Stored stored = co_await services.writer.run(submit);
  if (!stored.receipt) co_return stored.receipt.error();
  const auto& receipt = stored.receipt;
  spdlog::info("sweep {} `{}` submitted: {} trials, {} attempts queued, {} reused", stored.id,
               stored.name, receipt->trials, receipt->attempts_queued, receipt->attempts_reused);
  std::int64_t excluded = 0;
  for (const std::int64_t n : one.expansion.excluded) excluded += n;
  SubmittedSweep result{*receipt, stored.id, stored.name, excluded, one.expansion.duplicates};
  if (!request.notify.empty()) services.notifier.expect();
  if (is_analytic(services, *stored.receipt)) {
    formulas.push_back(std::move(*stored.receipt));
  } else if (const auto begun = co_await begin_attempts(services, *stored.receipt); !begun) {
    co_return begun.error();
  }
  co_return result;
}

Result<Reuse> reuse_from(const std::string& word) {
  if (word == "same") return Reuse::kSame;
  if (word == "any") return Reuse::kAny;
  if (word == "none") return Reuse::kNone;
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("reuse: `{}` is not one of same, any, none", word)};
}

}  // namespace

AskedOfWorker ask_worker_of(const Services& services, const std::string& folder) {
  AskedOfWorker ask;
  ask.compute = [&services](const WorkloadDef& def, const std::vector<const Trial*>& trials) {
    return code_of_trials(services.worker, def, trials);
  };
  for (const auto& [name, file] : services.plugins) ask.plugins.names.push_back(name);
  ask.plugins.find = [&services, folder](const std::string& word) {
    const auto named = services.plugins.find(word);
    return ask_for_plugin(services.worker, named == services.plugins.end() ? word : named->second,
                          folder);
  };
  return ask;
}

boost::asio::awaitable<Result<void>> begin_attempts(Services& services, SubmitReceipt& receipt) {
  const bool by_formula = is_analytic(services, receipt);
  if (!by_formula) services.dispatcher.enqueue(std::move(receipt.queued));
  services.dispatcher.set_holds(std::move(receipt.holds));
  if (!by_formula) co_return Result<void>{};
  receipt.is_paused = false;  // a pause is about measurements
  const SweepOfAttempt sweep = *receipt.queued.front().sweep;
  const auto answered = co_await services.analyst.answer(std::move(receipt.queued));
  if (answered) co_return answered;
  co_return Error{ErrorCode::kFailedPrecondition,
                  fmt::format("sweep `{}` is stored, but its formulas cannot be computed: {}; "
                              "repair the worker, then sweepctl retry {}",
                              sweep.name, answered.error().message, sweep.id)};
}

boost::asio::awaitable<Answer<rpc::Submit>> handle_submit(Services& services, Session&,
                                                          rpc::Submit::Request request) {
  auto overrides = parse_overrides(request.set, request.set_where_it_fits);
  if (!overrides) co_return overrides.error();
  const auto reuse = reuse_from(request.reuse);
  if (!reuse) co_return reuse.error();

  const auto work = [&services, &request, &overrides] {
    services.machine_now.refresh();
    return prepare_sweeps(request.text, request.file, services.catalog, services.dispatcher.pools(),
                          *overrides, ask_worker_of(services, request.folder),
                          {request.folder, request.environment});
  };
  const std::shared_ptr<PreparedSweeps> prepared = co_await services.slow.compute(work);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  rpc::Submit::Reply reply{{}, prepared->unfit};
  if (request.check) co_return reply;
  int document = 0;
  std::vector<SubmitReceipt> formulas;
  std::optional<Error> failed;
  for (PreparedSweep& one : prepared->sweeps) {
    auto stored = co_await store_one(services, one, *reuse, request, document++, formulas);
    if (!stored) {
      failed = stored.error();
      break;
    }
    reply.sweeps.push_back(std::move(*stored));
  }
  for (SubmitReceipt& receipt : formulas) {
    const auto begun = co_await begin_attempts(services, receipt);
    if (!begun && !failed) failed = begun.error();
  }
  if (failed) co_return *failed;
  co_return reply;
}

}  // namespace sweepd
