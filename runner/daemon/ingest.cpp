#include "runner/daemon/ingest.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/log_cap.h"
#include "runner/base/overload.h"
#include "runner/base/text.h"
#include "runner/model/skew.h"
#include "runner/wire/event.h"
#include "runner/wire/status.h"

namespace sweepd {
namespace {

std::string read_file(const std::filesystem::path& path) {
  auto text = read_regular(path, Links::kRefuse);
  if (text) return std::move(*text);
  // A rank that never began has none.
  if (text.error().code != ErrorCode::kNotFound) spdlog::warn("{}", text.error().message);
  return {};
}

// The last line that holds anything, cut at 500 bytes; reads only the end of a large log.
std::string last_line(const std::filesystem::path& path) {
  constexpr std::int64_t kTail = 4096;
  const auto file = open_regular(path, Links::kRefuse);
  if (!file) return {};
  const std::int64_t size = ::lseek(file->get(), 0, SEEK_END);
  ::lseek(file->get(), std::max<std::int64_t>(0, size - kTail), SEEK_SET);
  const auto tail = read_all(file->get(), kTail);
  if (!tail) return {};
  const std::string_view trimmed = trim(*tail);
  const std::size_t newline = trimmed.rfind('\n');
  const auto line = newline == std::string_view::npos ? trimmed : trimmed.substr(newline + 1);
  return std::string(line.substr(0, 500));
}

std::vector<Event> read_events(const AttemptFolder& folder, int rank) {
  std::vector<Event> events;
  EventReader reader(rank);
  const std::string text = read_file(folder.events(rank));
  // A torn or foreign line costs that line, not the attempt: feeding nothing reads on behind it.
  for (auto read = reader.feed(text, events); !read; read = reader.feed("", events)) {
    spdlog::warn("{}: {}", folder.events(rank).string(), read.error().message);
  }
  return events;
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// Adds one event to the record; returns the ending when it is the last word of its rank.
void take(const Event& event, int rank, AttemptRecord& record, std::optional<Ending>& said,
          WallTime& ended) {
  std::visit(Overload{
                 [](const StartedEvent&) {},
                 [&](const WorkEvent& e) {
                   if (!record.work) record.work = e.work;
                 },
                 [&](const EnvironmentEvent& e) {
                   if (!record.environment) {
                     record.environment = e.environment;
                   } else {
                     auto& devices = record.environment->devices;
                     devices.insert(devices.end(), e.environment.devices.begin(),
                                    e.environment.devices.end());
                   }
                 },
                 [&](const StateEvent& e) { record.states.push_back(e.state); },
                 [&](const StepEvent& e) {
                   record.samples.insert(record.samples.end(), e.samples.begin(), e.samples.end());
                 },
                 [&](const MemoryEvent& e) { record.memory.push_back(e.memory); },
                 [&](const HeldMemoryEvent& e) { append(record.held_memory, e.tensors); },
                 [&](const AllocationsEvent& e) { append(record.allocations, e.blocks); },
                 [&](const MemoryTimelineEvent& e) { append(record.timeline, e.points); },
                 [&](const KernelEvent& e) { record.kernels.push_back(e.kernel); },
                 [&](const OperatorEvent& e) { record.operators.push_back(e.op); },
                 [&](const FactEvent& e) {
                   record.facts.push_back({rank, e.name, e.number, e.text});
                 },
                 [&](const EndEvent& e) {
                   said = e.ending;
                   ended = std::max(ended, e.time);
                 },
             },
             event);
}

// What only all ranks together show. Of the attempt, so rank 0 has it.
void add_skew(AttemptRecord& record) {
  const auto skew = skew_of(record.samples);
  if (!skew) return;
  const std::pair<const char*, double> facts[] = {{"skew_mean_ms", skew->mean_ms},
                                                  {"skew_max_ms", skew->max_ms},
                                                  {"straggler_rank", skew->straggler},
                                                  {"straggler_share", skew->straggler_share}};
  for (const auto& [name, value] : facts) record.facts.push_back({0, name, value, ""});
}

}  // namespace

std::optional<Ending> last_word(const AttemptFolder& folder, int rank) {
  std::optional<Ending> said;
  for (const Event& event : read_events(folder, rank)) {
    if (const auto* end = std::get_if<EndEvent>(&event)) said = end->ending;
  }
  return said;
}

AttemptRecord ingest(const AttemptFolder& folder, const OpenAttempt& attempt,
                     const std::vector<EndedRank>& ranks, std::optional<StopReason> stop) {
  AttemptRecord record;
  record.row = attempt.row;
  // Read by rank, so that rank 0's environment comes first and every device stands at its rank;
  // decided in the order in which they ended.
  std::vector<RankEvidence> evidence(ranks.size());
  std::vector<std::size_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), 0U);
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::size_t a, std::size_t b) { return ranks[a].rank < ranks[b].rank; });
  WallTime said_ended{0};
  for (const std::size_t i : by_rank) {
    const EndedRank& ended = ranks[i];
    RankEvidence& rank = evidence[i];
    rank.rank = ended.rank;
    rank.exit = ended.exit;
    for (const Event& event : read_events(folder, ended.rank)) {
      take(event, ended.rank, record, rank.said, said_ended);
    }
    rank.phase = read_status(folder.status(ended.rank)).phase;
    if (!rank.said) rank.last_words = last_line(folder.log(ended.rank));
    // Nobody writes to it any more. One that never began has none.
    if (const auto capped = cap_log(folder.log(ended.rank)); !capped) {
      spdlog::debug("attempt {}: {}", attempt.id, capped.error().message);
    }
  }
  std::stable_sort(record.samples.begin(), record.samples.end(), [](const auto& a, const auto& b) {
    return std::pair(a.rank, a.step) < std::pair(b.rank, b.step);
  });
  record.ending = decide_ending(evidence, stop, attempt.timeout);
  const bool told = std::any_of(evidence.begin(), evidence.end(), [&](const RankEvidence& rank) {
    return rank.rank == record.ending.rank && rank.said;
  });
  record.ended = told ? said_ended : now_wall();
  record.summaries = summarize_samples(record.samples);
  add_skew(record);
  if (record.environment) record.environment->states = record.states;
  return record;
}

}  // namespace sweepd
