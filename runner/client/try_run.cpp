#include "runner/client/try_run.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>

#include "runner/base/overload.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/event.h"
#include "runner/wire/journal.h"

namespace sweepd {
namespace {

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

std::string memory_text(const PhaseMemory& memory) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::optional<Bytes>& size) {
    if (size) parts.push_back(fmt::format("{} {}", what, to_human(*size)));
  };
  add("peak allocated", memory.peak_allocated);
  add("peak reserved", memory.peak_reserved);
  add("at start", memory.at_start);
  add("at end", memory.at_end);
  add("in use", memory.device_in_use);
  return fmt::format("memory of {}: {}", memory.phase, fmt::join(parts, ", "));
}

}  // namespace

Result<void> run_in_foreground(const std::string& worker, const std::filesystem::path& folder,
                               const std::string& secrets) {
  // The values that every rank has (docs/DISTRIBUTED.md), for one rank.
  for (const auto& [name, value] : {std::pair{"RANK", "0"},
                                    {"LOCAL_RANK", "0"},
                                    {"WORLD_SIZE", "1"},
                                    {"LOCAL_WORLD_SIZE", "1"},
                                    {"MASTER_ADDR", "127.0.0.1"},
                                    {"MASTER_PORT", "29500"}}) {
    ::setenv(name, value, /*overwrite=*/1);
  }
  ::setenv("SWEEPD_SECRETS", secrets.c_str(), /*overwrite=*/0);
  std::string program = worker, verb = "--run", path = folder.string();
  std::array<char*, 4> argv{program.data(), verb.data(), path.data(), nullptr};
  pid_t pid = 0;
  // Ctrl-C reaches the program too, and what it did until then is told.
  std::signal(SIGINT, SIG_IGN);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int failed =
      ::posix_spawn(&pid, program.c_str(), nullptr, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    return Error{ErrorCode::kUnavailable,
                 fmt::format("cannot run {}: {}", worker, std::strerror(failed))};
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, SIG_DFL);
  return {};
}

Understood read_journal(const std::filesystem::path& folder) {
  Understood found;
  found.why = "it ended without a word";
  const auto take = [&found](const Event& event) {
    std::visit(
        Overload{
            [&](const StepEvent& step) {
              for (Sample sample : step.samples) {
                sample.step = step.step;
                sample.warmup = step.warmup;
                if (sample.phase != "setup") found.samples.push_back(sample);
              }
            },
            [&](const FactEvent& fact) {
              found.facts.push_back(fact.name + ": " +
                                    (fact.number ? number_text(*fact.number) : fact.text));
            },
            [&](const MemoryEvent& memory) { found.memory.push_back(memory_text(memory.record)); },
            [&](const EndEvent& end) {
              found.outcome = outcome_of(end.ending);
              found.why = describe(end.ending);
            },
            [](const auto&) {}},
        event);
  };
  const JournalRead read = read_journal(AttemptFolder(folder).events(0), 0, take);
  if (found.outcome == Outcome::kCrashed && !read.mistakes.empty())
    found.why = read.mistakes.front();
  return found;
}

Table metrics_table(const Understood& understood) {
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::vector<const Sample*>> by;
  for (const Sample& sample : understood.samples) {
    const auto key = std::pair{sample.metric, sample.phase};
    if (!by.contains(key)) order.push_back(key);
    by[key].push_back(&sample);
  }
  Table table;
  table.title = "Metrics";
  table.columns = {{"metric", "", Align::kLeft},  {"phase", "", Align::kLeft},
                   {"values", "", Align::kRight}, {"warm-up", "", Align::kRight},
                   {"first", "", Align::kRight},  {"median", "", Align::kRight},
                   {"last", "", Align::kRight}};
  for (const auto& key : order) {
    const auto& samples = by[key];
    std::vector<double> measured;
    for (const Sample* sample : samples) {
      if (!sample->warmup) measured.push_back(sample->value);
    }
    const std::string median = measured.empty() ? "—" : number_text(summarize(measured).median);
    table.rows.push_back({{key.first, {}},
                          {key.second, {}},
                          {std::to_string(samples.size()), {}},
                          {std::to_string(samples.size() - measured.size()), {}},
                          {number_text(samples.front()->value), {}},
                          {median, {}},
                          {number_text(samples.back()->value), {}}});
  }
  return table;
}

}  // namespace sweepd
