#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/files.h"
#include "runner/base/text.h"
#include "runner/daemon/attempts/item_of.h"
#include "runner/daemon/attempts/trial_request.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/template_text.h"
#include "runner/wire/request.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostOfASource = 1 << 20;

std::string text_of(const WorkloadDef& def, const Trial& trial, std::string_view param) {
  return def.find(param) == nullptr ? "" : trial.text(def, param);
}

bool imports_torch(std::string_view line) {
  line = trim(line);
  for (const std::string_view statement : {"import torch", "from torch"}) {
    if (!line.starts_with(statement)) continue;
    constexpr std::string_view kAfter = " .,;\t";
    return line.size() == statement.size() ||
           kAfter.find(line[statement.size()]) != std::string_view::npos;
  }
  return false;
}

bool file_imports_torch(const fs::path& file) {
  const auto source = read_regular(file, Links::kFollow, kMostOfASource);
  return source && std::ranges::any_of(split(*source, '\n'), imports_torch);
}

// The first word of the command line that is a script, where the program finds it.
fs::path script_of(const WorkloadDef& def, const Trial& trial) {
  const fs::path origin = text_of(def, trial, "submitted_from");
  const auto words = cut_words(text_of(def, trial, "argv"));
  if (!words) return {};
  for (const std::string& word : *words) {
    if (!word.ends_with(".py")) continue;
    for (const fs::path& folder : {origin / text_of(def, trial, "cwd"), origin}) {
      std::error_code error;
      if (fs::is_regular_file(folder / word, error)) return folder / word;
    }
  }
  return {};
}

// Finds programs that could be measured in more detail than their sweep file requests: returns a
// note for a trial of `command` whose Python script, or a module beside it that it
// imports, imports torch although the sweep does not say `observe: torch`; else "". Reads these
// files.
std::string unobserved_torch(const WorkloadDef& def, const Trial& trial) {
  if (text_of(def, trial, "observe") != "nothing") return "";
  const fs::path script = script_of(def, trial);
  if (script.empty()) return "";
  std::vector<fs::path> sources{script};
  for (const std::string& part : split(text_of(def, trial, "code"), ' ')) {
    const std::string name = part.substr(0, part.rfind(':'));
    if (name.ends_with(".py")) sources.push_back(script.parent_path() / name);
  }
  const auto found = std::ranges::find_if(sources, file_imports_torch);
  if (found == sources.end()) return "";
  return fmt::format(
      "{} imports torch: `observe: torch` would measure phases, memory and kernels of the "
      "unchanged program (docs/YOUR_MODEL.md)",
      found->filename().string());
}

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
                          *overrides, ask_worker_of(services, request.folder),
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
