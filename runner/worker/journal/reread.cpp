#include "runner/worker/journal/reread.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "runner/base/files.h"
#include "runner/base/gzip_file.h"
#include "runner/wire/attempt_folder.h"
#include "runner/wire/journal.h"
#include "runner/wire/request.h"
#include "runner/worker/journal/measured.h"

namespace sweepd {
namespace {

constexpr std::string_view kShortened = " bytes left out here: a log keeps its first ";

using SamplePlace = std::tuple<std::int64_t, std::string, std::string>;  // step, phase, metric

Result<std::string> read_log(const std::filesystem::path& file) {
  auto kept = GzipFile::open(file, Links::kRefuse);
  if (!kept) return kept.error();
  std::string text;
  while (true) {
    auto piece = kept->read(1 << 20);
    if (!piece) return piece.error();
    if (piece->empty()) return text;
    text += *piece;
  }
}

// Whether log_line wrote a line with this beginning.
bool is_own_line(std::string_view line, std::string_view begin) {
  constexpr std::size_t kTime = 20;  // 2026-11-29T00:38:38Z
  return line.size() > kTime && line[kTime - 1] == 'Z' && line[kTime] == ' ' &&
         line.substr(kTime + 1).starts_with(begin);
}

// The program's output: the log without the worker's lines before and after it.
std::string output_in(const std::string& log) {
  std::size_t begin = 0, end = log.size();
  bool has_begun = false;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t next = std::min(log.find('\n', at), log.size() - 1) + 1;
    const std::string_view line(log.data() + at, next - at);
    if (!has_begun && is_own_line(line, "setup: ")) {
      begin = next;
      has_begun = true;
    }
    if (is_own_line(line, "the program reported ")) end = at;
    at = next;
  }
  return log.substr(begin, std::max(begin, end) - begin);
}

void set_text(NamedTexts& texts, const std::string& name, const std::string& text) {
  const auto found =
      std::ranges::find_if(texts, [&](const auto& own) { return own.first == name; });
  if (found == texts.end()) {
    texts.emplace_back(name, text);
  } else {
    found->second = text;
  }
}

// An attempt of an older version lacks a parameter that came later.
bool is_set_to(const NamedTexts& texts, const std::pair<std::string, std::string>& wanted) {
  const auto found =
      std::ranges::find_if(texts, [&](const auto& own) { return own.first == wanted.first; });
  return found == texts.end() ? wanted.second.empty() : found->second == wanted.second;
}

// Removes the old reading's values from a step. Returns false if it had no others.
bool without_places(StepEvent& step, const std::set<SamplePlace>& places) {
  const auto is_old = [&](const Sample& sample) {
    return places.contains({step.step, sample.phase, sample.metric});
  };
  const bool had_any = std::erase_if(step.samples, is_old) > 0;
  return !had_any || !step.samples.empty();
}

class FolderRereader {
 public:
  FolderRereader(const Registry& registry, const std::filesystem::path& folder)
      : registry_(registry), folder_(folder) {}

  Result<bool> run(const NamedTexts& changed) {
    auto request = read_request(folder_.request());
    if (!request) return request.error();
    const auto same = [&](const auto& wanted) { return is_set_to(request->params, wanted); };
    if (std::ranges::all_of(changed, same)) return false;
    const auto measured = find_measured(registry_, request->workload, request->program);
    if (!measured) return measured.error();
    if (!measured->entry->reread) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("`{}` reads no output", request->workload)};
    }
    const auto before = values_from_texts(measured->def, request->params);
    if (!before) return before.error();
    for (const auto& [name, text] : changed) set_text(request->params, name, text);
    const auto now = values_from_texts(measured->def, request->params);
    if (!now) return now.error();
    const int ranks = static_cast<int>(std::max<std::size_t>(1, request->lease.ranks.size()));
    for (int rank = 0; rank < ranks; ++rank) {
      auto journal = new_journal(*measured->entry, *before, *now, rank, ranks);
      if (!journal) return journal.error();
      journals_.push_back(std::move(*journal));
    }
    if (auto written = write(ranks); !written) return written.error();
    if (auto written = write_request(folder_.request(), *request); !written) return written.error();
    return true;
  }

 private:
  Result<std::string> new_journal(const WorkloadEntry& entry, const NamedValues& before,
                                  const NamedValues& now, int rank, int ranks) const {
    auto log = read_log(folder_.log(rank));
    if (!log) return log.error();
    if (log->find(kShortened) != std::string::npos) {
      return Error{ErrorCode::kFailedPrecondition,
                   "its log was shortened, so its output is not known: measure it again"};
    }
    std::vector<Event> events;
    const JournalRead journal = read_journal(folder_.events(rank), rank,
                                             [&](const Event& event) { events.push_back(event); });
    if (journal.unread) return *journal.unread;
    if (!journal.mistakes.empty())
      return Error{ErrorCode::kInvalidArgument, journal.mistakes.front()};
    if (!journal.absurd.empty()) return Error{ErrorCode::kInvalidArgument, journal.absurd};
    const StoredOutput output{folder_.path(), rank, ranks, output_in(*log)};
    try {
      const Reading old = entry.reread(before, read_params<RunParams>(before), output);
      const Reading fresh = entry.reread(now, read_params<RunParams>(now), output);
      std::string text;
      for (const Event& event : with_reading(std::move(events), old, fresh)) {
        text += event_to_line(event) + "\n";
      }
      return text;
    } catch (const std::exception& e) {
      return Error{ErrorCode::kInvalidArgument, e.what()};
    }
  }

  Result<void> write(int ranks) const {
    for (int rank = 0; rank < ranks; ++rank) {
      const std::filesystem::path file = folder_.events(rank);
      auto written = replace_file(file, journals_[static_cast<std::size_t>(rank)]);
      if (!written) return written;
      std::error_code none;
      std::filesystem::remove(compressed(file), none);
    }
    return {};
  }

  const Registry& registry_;
  AttemptFolder folder_;
  std::vector<std::string> journals_;
};

}  // namespace

std::vector<Event> with_reading(std::vector<Event> events, const Reading& before,
                                const Reading& now) {
  std::set<SamplePlace> old_places;
  std::set<std::string> old_facts, new_facts;
  for (const Reading::Step& step : before.steps) {
    for (const Sample& sample : step.samples)
      old_places.insert({step.step, sample.phase, sample.metric});
  }
  for (const Reading::Said& fact : before.facts) old_facts.insert(fact.name);
  for (const Reading::Said& fact : now.facts) new_facts.insert(fact.name);
  std::vector<Event> all;
  const auto add_reading = [&] {
    for (const Reading::Step& step : now.steps) {
      StepEvent event{step.step, step.warmup, step.samples};
      for (Sample& sample : event.samples) {
        sample.step = step.step;
        sample.warmup = step.warmup;
      }
      all.emplace_back(std::move(event));
    }
    for (const Reading::Said& fact : now.facts)
      all.emplace_back(FactEvent{fact.name, fact.number, fact.text});
  };
  for (Event& event : events) {
    if (auto* step = std::get_if<StepEvent>(&event)) {
      if (without_places(*step, old_places)) all.push_back(std::move(event));
    } else if (const auto* fact = std::get_if<FactEvent>(&event)) {
      const bool read = old_facts.contains(fact->name) || new_facts.contains(fact->name);
      if (!read) all.push_back(std::move(event));
    } else if (auto* end = std::get_if<EndEvent>(&event)) {
      add_reading();
      const auto is_step = [](const Event& each) {
        return std::holds_alternative<StepEvent>(each);
      };
      if (end->lines) end->lines = static_cast<std::int64_t>(all.size());
      if (end->steps) end->steps = std::ranges::count_if(all, is_step);
      all.push_back(std::move(event));
    } else {
      all.push_back(std::move(event));
    }
  }
  return all;
}

Result<bool> reread(const Registry& registry, const std::filesystem::path& folder,
                    const NamedTexts& changed) {
  return FolderRereader(registry, folder).run(changed);
}

}  // namespace sweepd
