#include <spdlog/spdlog.h>

#include <memory>
#include <optional>

#include "runner/daemon/handlers/handlers.h"
#include "runner/report/report.h"
#include "runner/spec/spec.h"
#include "runner/wire/params.h"

namespace sweepd {

using nlohmann::json;

namespace {

struct Prepared {
  std::vector<Diagnostic> errors;
  std::optional<Error> refusal;  // a mistake that has no place in the file
  struct One {
    Sweep sweep;
    const WorkloadDef* def = nullptr;
    Expansion expansion;
  };
  std::vector<One> sweeps;
};

Result<std::vector<Override>> parse_overrides(const std::vector<std::string>& texts) {
  std::vector<Override> overrides;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "--set: `" + text + "` must be name=value or name=value,value,..."};
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

// What only the report layer and the expansion know: a table's cells and units, and whether any
// point is left.
std::optional<Error> refuse(const Sweep& sweep, const WorkloadDef& def,
                            const Expansion& expansion) {
  std::vector<std::string> dimensions = def.param_names();
  const auto& common = common_dimensions();
  dimensions.insert(dimensions.end(), common.begin(), common.end());
  for (const TableSpec& table : sweep.tables) {
    if (const auto valid = validate(table, dimensions); !valid) {
      return Error{valid.error().code, "sweep `" + sweep.name + "`, table `" + table.title +
                                           "`: " + valid.error().message};
    }
  }
  if (expansion.trials.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "sweep `" + sweep.name + "`: every point is excluded, so there is nothing to run"};
  }
  return std::nullopt;
}

std::shared_ptr<Prepared> prepare(const std::string& text, const std::string& file,
                                  const Catalog& catalog, const Machine& machine,
                                  const std::vector<Override>& overrides) {
  auto prepared = std::make_shared<Prepared>();
  Parsed parsed = parse_sweeps(text, file, catalog, overrides);
  prepared->errors = std::move(parsed.errors);
  if (!prepared->errors.empty()) return prepared;
  for (Sweep& sweep : parsed.sweeps) {
    const WorkloadDef* def = catalog.find(sweep.workload);
    // `auto` is settled here, before keys are made: a result must say where it was measured.
    resolve_device(sweep, *def, machine.gpus.empty() ? "cpu" : "cuda");
    Expansion expansion = expand(sweep, *def);
    prepared->refusal = refuse(sweep, *def, expansion);
    if (prepared->refusal) return prepared;
    prepared->sweeps.push_back({std::move(sweep), def, std::move(expansion)});
  }
  return prepared;
}

RpcError diagnostics_error(const std::vector<Diagnostic>& errors) {
  json list = json::array();
  for (const Diagnostic& error : errors) {
    list.push_back({{"file", error.file},
                    {"line", error.line},
                    {"column", error.column},
                    {"length", error.length},
                    {"message", error.message},
                    {"help", error.help}});
  }
  return {RpcCode::kInvalidParams, render(errors), {{"diagnostics", list}}};
}

Result<json> store_one(Services& services, Prepared::One& one) {
  NewSweep sweep;
  sweep.id = random_id();
  sweep.sweep = std::move(one.sweep);
  sweep.submitted = now_wall();
  sweep.trials.reserve(one.expansion.trials.size());
  for (ExpandedTrial& trial : one.expansion.trials) {
    sweep.trials.push_back({std::move(trial.key), std::move(trial.trial)});
  }
  auto receipt = services.store.submit(sweep, *one.def);
  if (!receipt) return receipt.error();
  spdlog::info("sweep {} `{}` submitted: {} trials, {} attempts queued, {} reused", sweep.id,
               sweep.sweep.name, receipt->trials, receipt->attempts_queued,
               receipt->attempts_reused);
  std::int64_t excluded = 0;
  for (const std::int64_t n : one.expansion.excluded) excluded += n;
  json result{{"id", sweep.id},
              {"name", sweep.sweep.name},
              {"trials", receipt->trials},
              {"excluded", excluded},
              {"duplicates", one.expansion.duplicates},
              {"queued", receipt->attempts_queued},
              {"reused", receipt->attempts_reused},
              {"joined", receipt->attempts_joined}};
  services.dispatcher.enqueue(std::move(receipt->queued));
  return result;
}

}  // namespace

boost::asio::awaitable<Reply> handle_submit(Services& services, Session&, json params) {
  ParamsReader reader(params);
  const std::string text = reader.text("text");
  const std::string file = reader.text_or("file", "<request>");
  const std::vector<std::string> sets = reader.texts("set");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  auto overrides = parse_overrides(sets);
  if (!overrides) co_return overrides.error();

  const auto work = [&services, text, file, sets = *overrides] {
    return prepare(text, file, services.catalog, services.machine, sets);
  };
  const std::shared_ptr<Prepared> prepared = co_await services.readers.compute(work);
  if (!prepared->errors.empty()) co_return diagnostics_error(prepared->errors);
  if (prepared->refusal) co_return *prepared->refusal;
  json sweeps = json::array();
  for (Prepared::One& one : prepared->sweeps) {
    auto stored = store_one(services, one);
    if (!stored) co_return stored.error();
    sweeps.push_back(std::move(*stored));
  }
  co_return json{{"sweeps", sweeps}};
}

}  // namespace sweepd
