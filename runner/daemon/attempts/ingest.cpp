#include "runner/daemon/attempts/ingest.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "runner/base/gzip_file.h"
#include "runner/base/log_cap.h"
#include "runner/base/overload.h"
#include "runner/base/text.h"
#include "runner/daemon/attempts/steadiness.h"
#include "runner/model/measurement/skew.h"
#include "runner/model/verdict/judge.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/wire/event.h"
#include "runner/wire/journal.h"
#include "runner/wire/status.h"

namespace sweepd {
namespace {

// The `end` event is the journal's last line. Most have a few hundred bytes.
constexpr std::int64_t kLastWordBytes = 64 << 10;

// Returns the last `most` bytes of a file, or all if it has fewer; "" if it cannot be read. Does
// not follow a link or open a FIFO, which would block.
std::string tail_of(const std::filesystem::path& path, std::int64_t most) {
  auto file = GzipFile::open(path, Links::kRefuse);
  if (!file || file->is_compressed()) return {};  // that would have to be read whole
  auto tail = file->read_tail(most);
  return tail ? std::move(tail->text) : std::string();
}

// Returns the last line that is not empty, cut at 500 bytes. Reads only the end of a large log.
std::string last_line(const std::filesystem::path& path) {
  const std::string tail = tail_of(path, 4096);
  const std::string_view trimmed = trim(tail);
  const std::size_t newline = trimmed.rfind('\n');
  const auto line = newline == std::string_view::npos ? trimmed : trimmed.substr(newline + 1);
  return std::string(line.substr(0, 500));
}

// The unreadable parts of all ranks' journals.
struct Lost {
  std::string unread;  // as of `ingest`
  std::string absurd;  // as of JournalRead
};

// Returns how many lines could not be read.
std::int64_t for_each_event(const AttemptFolder& folder, int rank,
                            const std::function<void(const Event&)>& take, Lost& lost) {
  const JournalRead read = read_journal(folder.events(rank), rank, take);
  for (const std::string& mistake : read.mistakes) {
    spdlog::warn("{}: {}", folder.events(rank).string(), mistake);
  }
  // A rank that never began has none. One that is a link or a FIFO stays so.
  if (read.unread && read.unread->code == ErrorCode::kIo) {
    lost.unread = read.unread->message;
  } else if (read.unread && read.unread->code != ErrorCode::kNotFound) {
    spdlog::warn("{}", read.unread->message);
  }
  if (!read.absurd.empty()) lost.absurd = read.absurd;
  return read.broken_lines;
}

template <class T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// The first rank's counts, as it was when the measured steps began. Each rank names its device
// once, or a second time if it read a recording of another (`again`).
void take_environment(const Environment& said, int rank, bool again, AttemptRecord& record) {
  std::vector<DeviceInfo> devices;
  if (record.environment) devices = std::move(record.environment->devices);
  if (again && !said.devices.empty() && !devices.empty()) devices.pop_back();
  append(devices, said.devices);
  if (!record.environment || rank == 0) record.environment = said;
  record.environment->devices = std::move(devices);
}

// Adds one event to the record. Sets the ending if it is the last line of its rank.
void take(const Event& event, const JournalCheck& journal, AttemptRecord& record,
          std::optional<Ending>& said, WallTime& ended) {
  const int rank = journal.rank;
  std::visit(Overload{
                 [](const StartedEvent&) {},
                 [&](const WorkEvent& e) {
                   // A rank's last one has the counts.
                   if (!record.work || rank == 0) record.work = e.work;
                 },
                 [&](const EnvironmentEvent& e) {
                   take_environment(e.environment, rank, journal.environment, record);
                 },
                 [&](const StateEvent& e) { record.states.push_back(e.record); },
                 [&](const StepEvent& e) {
                   record.samples.insert(record.samples.end(), e.samples.begin(), e.samples.end());
                 },
                 [&](const MemoryEvent& e) { record.memory.push_back(e.record); },
                 [&](const HeldMemoryEvent& e) { append(record.held_memory, e.rows); },
                 [&](const AllocationsEvent& e) { append(record.allocations, e.rows); },
                 [&](const MemoryTimelineEvent& e) { append(record.timeline, e.rows); },
                 [&](const KernelEvent& e) {
                   record.kernels.push_back(e.record);
                   classify(record.kernels.back());
                 },
                 [&](const OperatorEvent& e) { record.operators.push_back(e.record); },
                 [&](const FactEvent& e) {
                   record.facts.push_back({rank, e.name, e.number, e.text});
                 },
                 [&](const EndEvent& e) {
                   said = e.ending;
                   ended = std::max(ended, e.time);
                   if (!e.device_fault.empty()) {
                     record.device_faults.push_back({rank, e.device_fault});
                   }
                 },
             },
             event);
}

// Counts one event in its rank's check.
void count(const Event& event, JournalCheck& check) {
  if (const auto* end = std::get_if<EndEvent>(&event)) {
    check.said_lines = end->lines;
    check.said_steps = end->steps;
    return;
  }
  ++check.lines;
  if (const auto* step = std::get_if<StepEvent>(&event)) {
    const auto is_time = [](const Sample& sample) {
      return sample.metric == "time" && sample.phase == "step";
    };
    const auto& samples = step->samples;
    check.add_step(step->step,
                   !step->warmup && std::any_of(samples.begin(), samples.end(), is_time));
  }
  check.work |= std::holds_alternative<WorkEvent>(event);
  check.environment |= std::holds_alternative<EnvironmentEvent>(event);
  if (const auto* state = std::get_if<StateEvent>(&event)) {
    check.state_before |= state->record.moment == "before";
    check.state_after |= state->record.moment == "after";
  }
}

// Adds facts about all ranks together. They belong to the attempt, so rank 0 gets them.
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
  const std::string tail = tail_of(folder.events(rank), kLastWordBytes);
  std::vector<Event> events;
  EventReader reader(rank);
  // The first line is usually cut, which is not a mistake.
  for (auto read = reader.feed(tail, events); !read; read = reader.feed("", events)) {
  }
  for (const Event& event : events) {
    if (const auto* end = std::get_if<EndEvent>(&event)) said = end->ending;
  }
  return said;
}

AttemptRecord ingest(const AttemptFolder& folder, const OpenAttempt& attempt,
                     const std::vector<EndedRank>& ranks, std::optional<StopReason> stop,
                     WallTime now, std::string* unread) {
  AttemptRecord record;
  record.row = attempt.row;
  Lost lost;
  // Read in order of ranks, so that rank 0's environment comes first and every device is at its
  // rank's position. The ending is decided in the order in which the ranks ended.
  std::vector<RankEvidence> evidence(ranks.size());
  std::vector<std::size_t> by_rank(ranks.size());
  std::iota(by_rank.begin(), by_rank.end(), 0U);
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::size_t a, std::size_t b) { return ranks[a].rank < ranks[b].rank; });
  WallTime said_ended{0};
  std::vector<JournalCheck> journals;
  for (const std::size_t i : by_rank) {
    const EndedRank& ended = ranks[i];
    RankEvidence& rank = evidence[i];
    rank.rank = ended.rank;
    rank.exit = ended.exit;
    JournalCheck& journal = journals.emplace_back();
    journal.rank = ended.rank;
    const auto take_one = [&](const Event& event) {
      take(event, journal, record, rank.said, said_ended);
      count(event, journal);
    };
    journal.unreadable = for_each_event(folder, ended.rank, take_one, lost);
    journal.lines += journal.unreadable;
    rank.phase = read_status(folder.status(ended.rank)).phase;
    if (!rank.said) rank.exit_message = last_line(folder.log(ended.rank));
    // Nothing writes to the log any more. A rank that never began has none, and a compressed one
    // was capped before.
    if (const auto capped = cap_log(folder.log(ended.rank)); !capped) {
      spdlog::debug("attempt {}: {}", attempt.id, capped.error().message);
    }
  }
  std::stable_sort(record.samples.begin(), record.samples.end(), [](const auto& a, const auto& b) {
    return std::pair(a.rank, a.step) < std::pair(b.rank, b.step);
  });
  record.ending = decide_ending(evidence, stop, attempt.timeout);
  if (!lost.unread.empty()) {
    if (const auto* crashed = std::get_if<Crashed>(&record.ending.detail)) {
      record.ending.detail = Failed{lost.unread, std::string(crashed->phase)};
    }
    if (unread != nullptr) *unread = lost.unread;
  }
  if (!lost.absurd.empty() && !stop) record.ending.detail = Failed{lost.absurd, ""};
  const bool told = std::any_of(evidence.begin(), evidence.end(), [&](const RankEvidence& rank) {
    return rank.rank == record.ending.rank && rank.said;
  });
  record.ended = told ? said_ended : now;
  record.summaries = summarize_samples(record.samples);
  if (attempt.pass == Pass::kTiming) add_steadiness(record.samples, record.summaries);
  add_skew(record);
  if (record.environment) record.environment->states = record.states;
  record.judgement = judge(JudgedAt::kReading, {.record = record, .journals = journals});
  return record;
}

}  // namespace sweepd
