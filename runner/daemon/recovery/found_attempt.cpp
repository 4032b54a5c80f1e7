#include "runner/daemon/recovery/found_attempt.h"

#include <fmt/format.h>

#include <set>

#include "runner/base/gzip_file.h"
#include "runner/base/ids.h"
#include "runner/base/printable.h"
#include "runner/daemon/attempts/gang.h"
#include "runner/daemon/attempts/ingest.h"
#include "runner/daemon/attempts/run_note.h"
#include "runner/model/machine/machine_id.h"
#include "runner/model/vocabulary/pool_name.h"
#include "runner/model/vocabulary/program.h"
#include "runner/wire/request.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

// Its ids become keys and names of files, and users type its sweep's name.
std::string refusal_of_request(const AttemptRequest& request, const fs::path& folder) {
  const auto no_id = [](const char* field, const std::string& text) {
    return fmt::format("{}: `{}` is not an id; expected hex digits", field, brief(text));
  };
  if (request.attempt != folder.filename().string()) {
    return "its request names attempt " + brief(request.attempt);
  }
  if (!is_id(request.trial)) return no_id("trial", request.trial);
  const SweepOfAttempt& sweep = request.sweep;
  if (!sweep.id.empty() && !is_id(sweep.id)) return no_id("sweep", sweep.id);
  if (!sweep.sentinel_of.empty() && !is_id(sweep.sentinel_of)) {
    return no_id("sentinel_of", sweep.sentinel_of);
  }
  if (!sweep.id.empty() && !is_sweep_name(sweep.name)) {
    return fmt::format("sweep_name: `{}` is not a name", brief(sweep.name));
  }
  if (request.program && request.program->name != request.workload) {
    return fmt::format("its workload is `{}`, and its program `{}`", brief(request.workload),
                       brief(request.program->name));
  }
  return "";
}

Result<WorkloadDef> workload_of(const AttemptRequest& request, const Catalog& catalog) {
  const std::string& name = request.program ? request.program->base : request.workload;
  const WorkloadDef* known = catalog.find(name);
  if (known == nullptr) {
    return Error{ErrorCode::kNotFound, fmt::format("this build has no workload `{}`", brief(name))};
  }
  if (!request.program) return *known;
  if (std::string why = refusal_of_declaration(catalog, *request.program); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, "program: " + why};
  }
  return define_program(*known, *request.program);
}

Result<Trial> trial_of(const AttemptRequest& request, const WorkloadDef& def) {
  Trial trial = default_trial(def);
  for (const auto& [name, text] : request.params) {
    const auto index = def.index_of(name);
    if (!index) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("workload `{}` has no parameter `{}`", def.name, name)};
    }
    auto value = def.params[*index].parse(text);
    if (!value) return Error{value.error().code, name + ": " + value.error().message};
    trial.values[*index] = std::move(*value);
  }
  return trial;
}

// Sets which declared parameters are in the key at their defaults: those of the file that submitted
// the trial. It may have declared only some; the others follow earlier declarations.
bool gives_key(WorkloadDef& def, const TrialKey& key, const Trial& trial) {
  std::vector<ParamDef*> declared;
  for (ParamDef& param : def.params) {
    if (param.declared) declared.push_back(&param);
  }
  for (std::size_t in_key = declared.size();; --in_key) {
    for (std::size_t i = 0; i < declared.size(); ++i) declared[i]->always_in_key = i < in_key;
    if (key_of(def, trial) == key) return true;
    if (in_key == 0) return false;
  }
}

// Folders of older versions lack the workload's version, but the key has it.
Result<void> set_version(WorkloadDef& def, const AttemptRequest& request, const Trial& trial) {
  const int newest = request.version > 0 ? request.version : def.version;
  const int oldest = request.version > 0 ? request.version : 1;
  for (def.version = newest; def.version >= oldest; --def.version) {
    if (gives_key(def, request.trial, trial)) return {};
  }
  if (request.version > 0) {
    def.version = request.version;
    return {};
  }
  return Error{ErrorCode::kInvalidArgument,
               "its parameters do not give its trial's key: the workload has changed since"};
}

TrialKey base_key_of(const WorkloadDef& def, Trial trial) {
  const auto computed = def.computed_param();
  if (!computed || trial.values[*computed] == def.params[*computed].default_value) return "";
  trial.values[*computed] = def.params[*computed].default_value;
  return key_of(def, trial);
}

bool has_journal(const AttemptFolder& folder, const Lease& lease) {
  for (std::size_t rank = 0; rank < lease.ranks.size(); ++rank) {
    std::error_code none;
    const auto size = fs::file_size(plain_or_gzip(folder.events(static_cast<int>(rank))), none);
    if (!none && size > 0) return true;
  }
  return false;
}

std::int64_t value_or_0(const WorkloadDef& def, const Trial& trial, std::string_view name) {
  const auto index = def.index_of(name);
  return index ? std::get<std::int64_t>(trial.values[*index]) : 0;
}

// In the order that decides how the attempt ended, as for a daemon that finds it ended.
std::vector<EndedRank> ended_ranks(const FoundAttempt& found, const std::optional<RunNote>& note) {
  const auto world_size = static_cast<int>(found.attempt.lease.ranks.size());
  std::vector<EndedRank> ranks;
  std::set<int> known;
  if (note) {
    for (const EndedRank& one : note->ended) {
      if (one.rank < 0 || one.rank >= world_size) continue;
      if (known.insert(one.rank).second) ranks.push_back(one);
    }
  }
  for (int rank = 0; rank < world_size; ++rank) {
    if (!known.contains(rank)) ranks.push_back({rank, {}});
  }
  if (!note && world_size > 1) put_own_reasons_first(found.folder, ranks);
  return ranks;
}

}  // namespace

Result<FoundAttempt> read_attempt(const fs::path& path, const Catalog& catalog) {
  AttemptFolder folder(path);
  const auto request = read_request(folder.request());
  if (!request) return request.error();
  if (std::string why = refusal_of_request(*request, path); !why.empty()) {
    return Error{ErrorCode::kInvalidArgument, std::move(why)};
  }
  auto def = workload_of(*request, catalog);
  if (!def) return def.error();
  auto trial = trial_of(*request, *def);
  if (!trial) return trial.error();
  if (auto known = set_version(*def, *request, *trial); !known) return known.error();
  auto ending = read_outcome(folder.outcome());
  FoundAttempt found{std::move(folder), {}, nullptr, base_key_of(*def, *trial), false, {}, {}};
  if (ending) {
    found.ending = std::move(*ending);
  } else {
    found.torn = ending.error().message;  // which costs no figure
  }
  found.began = found.ending || !found.torn.empty() || has_journal(found.folder, request->lease);
  OpenAttempt& attempt = found.attempt;
  attempt.id = request->attempt;
  attempt.trial_key = request->trial;
  attempt.workload = request->workload;
  attempt.pass = request->pass;
  attempt.repeat = request->repeat;
  attempt.priority = value_or_0(*def, *trial, "priority");
  attempt.timeout = Duration{value_or_0(*def, *trial, "timeout")};
  attempt.trial = std::move(*trial);
  attempt.lease = request->lease;
  if (request->started.ns > 0) attempt.started = request->started;
  if (!request->sweep.id.empty()) {
    attempt.sweep = std::make_shared<const SweepOfAttempt>(request->sweep);
  }
  found.def = std::make_shared<const WorkloadDef>(std::move(*def));
  return found;
}

Trial trial_as(const WorkloadDef& def, const FoundAttempt& found) {
  Trial trial = default_trial(def);
  for (std::size_t i = 0; i < def.params.size(); ++i) {
    const auto theirs = found.def->index_of(def.params[i].name);
    if (theirs) trial.values[i] = found.attempt.trial.values[*theirs];
  }
  return trial;
}

AttemptRecord record_of(const FoundAttempt& found, std::int64_t row) {
  OpenAttempt attempt = found.attempt;
  attempt.row = row;
  const std::optional<RunNote> note = read_run_note(found.folder);
  const std::vector<EndedRank> ranks = ended_ranks(found, note);
  AttemptRecord record =
      ingest(found.folder, attempt, ranks, note ? note->stop : std::optional<StopReason>());
  if (ranks.size() > 1) {
    tell_of_gang(record, found.folder, note ? note->hang : std::optional<Hang>(), attempt.timeout);
  }
  const std::string pool = pool_of(*found.def, attempt.trial);
  if (pool != kLocalPool && record.environment) name_machine(pool, *record.environment);
  if (found.ending) {
    record.ending = found.ending->ending;
    record.ended = found.ending->ended;
  }
  return record;
}

}  // namespace sweepd
