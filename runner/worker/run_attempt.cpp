#include "runner/worker/run_attempt.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <string_view>

#include "runner/model/machine/device_fault.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/rank_pidfile.h"
#include "runner/wire/status_mirror.h"
#include "runner/worker/attempt.h"
#include "runner/worker/journal/log.h"
#include "workloads/api/crash.h"
#include "workloads/api/failure.h"

namespace sweepd {
namespace {

// LibTorch appends the C++ call stack, but the note of a table cell needs only the error. The log
// has the whole text.
std::string without_stack(std::string_view message) {
  constexpr std::size_t kLongest = 4000;
  message = message.substr(0, message.find("\nException raised from "));
  return std::string(message.substr(0, kLongest));
}

// Turns exceptions into outcomes, in one place. Call inside a catch block. OutOfMemory, the
// device's own out-of-memory errors and std::bad_alloc are `oom`, Unavailable is `skipped`, Crash
// is `crashed`, and everything else is `failed` with its message. `device` may be null if none is
// open yet. `limit` is used if the exception has none.
Ending ending_of_current_exception(Device* device, Bytes limit, const std::string& phase) {
  try {
    if (device != nullptr) device->rethrow_out_of_memory();
    throw;
  } catch (const OutOfMemory& e) {
    return {Oom{e.requested, e.in_use, e.limit.value > 0 ? e.limit : limit, phase}};
  } catch (const Unavailable& e) {
    return {Skipped{e.what()}};
  } catch (const Crash& e) {
    return {Crashed{e.signal, std::nullopt, phase}};
  } catch (const std::bad_alloc&) {
    // Host memory ran out. Its allocator does not report the requested size.
    return {Oom{{}, device != nullptr ? device->memory().allocated : Bytes{}, limit, phase}};
  } catch (const std::exception& e) {
    return {Failed{without_stack(e.what()), phase}};
  } catch (...) {
    return {Failed{"threw something that is not a std::exception", phase}};
  }
}

std::string device_fault_of(const Ending& ending) {
  const auto* failed = std::get_if<Failed>(&ending.detail);
  return failed == nullptr ? "" : std::string(device_fault_in(failed->message, failed->phase));
}

int write_end(EventWriter& events, Ending ending, int rank) {
  ending.rank = rank;
  EndEvent end{{}, now_wall()};
  end.device_fault = device_fault_of(ending);
  const std::string why = describe(ending);
  log_line("ended {}{}{}", name_of(outcome_of(ending)), why.empty() ? "" : ": ", why);
  end.ending = std::move(ending);
  events.add(std::move(end));
  events.flush();
  return kExitOk;
}

// Logs the exception's whole text, because the ending keeps only what a table's note needs.
void log_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    log_line("{}", e.what());
  } catch (...) {
    log_line("an exception that is not a std::exception");
  }
}

int run(const AttemptFolder& folder, int rank, const WorkerParts& parts, EventWriter& events) {
  // On a cluster's node the page is in the node's memory, and a copy goes to the shared folder.
  const char* page = std::getenv("SWEEPD_STATUS_PAGE");
  auto status = StatusWriter::open(page == nullptr ? folder.status(rank) : page);
  if (!status) throw JournalError(status.error().message);
  std::optional<StatusMirror> mirror;
  if (page != nullptr) mirror.emplace(page, folder.status(rank));
  AttemptProgress progress(std::move(*status));
  Attempt attempt(folder, rank, parts, events, progress);
  try {
    return write_end(events, {Done{attempt.run()}}, rank);
  } catch (const JournalError&) {
    throw;
  } catch (...) {
    log_exception();
    return write_end(
        events,
        ending_of_current_exception(attempt.device(), attempt.memory_limit(), progress.phase()),
        rank);
  }
}

}  // namespace

int run_attempt(const std::filesystem::path& path, int rank, const WorkerParts& parts) {
  const AttemptFolder folder(path);
  auto events = EventWriter::open(folder.events(rank));
  if (!events) {
    log_line("{}", events.error().message);
    mark_without_journal(folder.pid(rank));
    return kExitJournal;
  }
  try {
    return run(folder, rank, parts, *events);
  } catch (const JournalError& e) {
    log_line("ended without an `end` event: {}", e.what());
    mark_without_journal(folder.pid(rank));
    return kExitJournal;
  }
}

}  // namespace sweepd
