#include "runner/worker/run_attempt.h"

#include <cstdlib>
#include <exception>
#include <optional>

#include "runner/model/device_fault.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/place.h"
#include "runner/wire/status_mirror.h"
#include "runner/worker/attempt.h"
#include "runner/worker/failure_ending.h"
#include "runner/worker/log.h"

namespace sweepd {
namespace {

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
