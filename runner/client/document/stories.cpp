#include "runner/client/document/stories.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/render/places_view.h"
#include "runner/model/machine/private_values.h"
#include "runner/model/vocabulary/known_metric.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostStories = 400;  // about 5 kB each
constexpr std::size_t kMostSamples = 500;  // of one metric; more dots than a screen has columns
constexpr int kTopKernels = 10;

// Skipped: properties that the page has elsewhere, formulas of the parameters alone, and the
// daemon's internals.
const std::set<std::string> kLeftOut{"Attempt", "Sweeps",        "Figures",
                                     "Samples", "Work per step", "Lease"};

bool is_missing(const Error& error) {
  return error.code == ErrorCode::kNotFound || error.code == ErrorCode::kInvalidArgument ||
         error.code == ErrorCode::kFailedPrecondition;
}

// The attempts that figures name, in reading order.
std::vector<std::string> attempts_in(const Document& document) {
  std::vector<std::string> ids;
  std::set<std::string> seen;
  for (const DocumentChapter& chapter : document.chapters) {
    for (const DocumentBlock& block : chapter.blocks) {
      if (!block.table || !block.table->details) continue;
      const Table& details = *block.table->details;
      for (const std::vector<Cell>& row : details.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
          if (!details.columns[c].name.ends_with(" attempt")) continue;
          for (const std::string& id : split(row[c].text, ' ')) {
            if (is_id(id) && seen.insert(id).second) ids.push_back(id);
          }
        }
      }
    }
  }
  return ids;
}

std::size_t column_of(const Table& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

// Keeps the parameters that differ from their defaults and that others may read.
void without_defaults(Table& table) {
  const std::size_t name = column_of(table, "parameter"), value = column_of(table, "value"),
                    usual = column_of(table, "default");
  if (usual == table.columns.size()) return;
  std::erase_if(table.rows, [&](const auto& row) {
    return row[value].text == row[usual].text || holds_environment(row[name].text);
  });
}

// Every `stride`-th of them, from the first on.
std::vector<double> some_of(const std::vector<double>& all) {
  const std::size_t stride = (all.size() + kMostSamples - 1) / kMostSamples;
  if (stride <= 1) return all;
  std::vector<double> some;
  for (std::size_t i = 0; i < all.size(); i += stride) some.push_back(all[i]);
  return some;
}

std::vector<DocumentStory::Samples> samples_in(const Table& table) {
  const std::size_t warmup = column_of(table, "warm-up"), phase = column_of(table, "phase"),
                    metric = column_of(table, "metric"), value = column_of(table, "value");
  std::vector<DocumentStory::Samples> found;
  for (const std::vector<Cell>& row : table.rows) {
    // The time by the host's clock hardly differs.
    if (!row[value].number || row[phase].text == "setup" || row[metric].text == "host_time") {
      continue;
    }
    const std::string_view unit = unit_of_metric(row[metric].text);
    const std::string name = row[phase].text + " " + row[metric].text +
                             (unit.empty() || unit == "1" ? "" : fmt::format(" ({})", unit));
    auto one = std::ranges::find(found, name, &DocumentStory::Samples::name);
    if (one == found.end()) one = found.insert(found.end(), {name, {}, {}, 0});
    (row[warmup].text == "yes" ? one->warmup : one->measured).push_back(*row[value].number);
  }
  for (DocumentStory::Samples& one : found) {
    one.of = one.measured.size();
    one.measured = some_of(one.measured);
    one.warmup = some_of(one.warmup);
  }
  return found;
}

DocumentStory head_of(const std::string& id, const AttemptRow& attempt) {
  DocumentStory story;
  story.attempt = id;
  story.title = std::string(name_of(attempt.pass)) + ", " + attempt.state;
  if (!attempt.verdict.empty()) story.title += ", " + attempt.verdict;
  if (attempt.started && attempt.ended) {
    story.title += ", took " + to_human(*attempt.ended - *attempt.started);
  }
  story.label = attempt.workload + " " + attempt.label;
  story.why = why_of(attempt);
  return story;
}

class Teller {
 public:
  explicit Teller(Client& client) : client_(client) {}

  // Adds the story of an attempt and of its trial's memory and profile passes, unless it exists.
  Result<void> tell(const std::string& id) {
    if (auto told = tell_one(id); !told) return told;
    const auto known = known_.find(id);
    return known == known_.end() ? Result<void>() : tell_passes(id, known->second);
  }

  std::vector<DocumentStory> stories;

 private:
  struct Known {
    std::size_t place = 0;  // in `stories`
    std::string trial;
  };

  Result<void> tell_one(const std::string& id) {
    if (known_.contains(id)) return {};
    auto shown = client_.call<rpc::Show>({.what = id, .steps = true});
    if (!shown) return is_missing(shown.error()) ? Result<void>() : shown.error();
    if (!shown->attempt || !shown->tables) return {};
    const AttemptRow& attempt = *shown->attempt;
    DocumentStory story = head_of(id, attempt);
    if (attempt.state == "done") {
      if (attempt.pass == Pass::kMemory) add_memory(story);
      if (attempt.pass == Pass::kProfile) add_kernels(story);
    }
    for (Table& table : *shown->tables) {
      if (table.title == "Samples" && attempt.pass == Pass::kTiming)
        story.samples = samples_in(table);
      if (kLeftOut.contains(table.title) || table.rows.empty()) continue;
      if (std::ranges::find(story.shown, table.title, &Table::title) != story.shown.end()) continue;
      if (table.title == "Parameters") without_defaults(table);
      story.folded.push_back(std::move(table));
    }
    known_.emplace(id, Known{stories.size(), attempt.trial_key});
    stories.push_back(std::move(story));
    return {};
  }

  Result<void> tell_passes(const std::string& id, const Known& about) {
    if (!passes_.contains(about.trial)) {
      const auto shown = client_.call<rpc::Show>({.what = about.trial});
      if (!shown) return shown.error();
      for (const AttemptRow& other : *shown->attempts) {
        const bool tells = other.pass != Pass::kTiming;
        if (tells && other.state == "done") passes_[about.trial].push_back(other.id);
      }
    }
    for (const std::string& other : passes_[about.trial]) {
      if (other == id) continue;
      if (auto told = tell_one(other); !told) return told;
      stories[about.place].also.push_back(other);
    }
    return {};
  }

  void add_memory(DocumentStory& story) {
    const auto memory = client_.call<rpc::Memory>({story.attempt});
    if (!memory) return;  // a pass that recorded no timeline
    for (const MemoryPicture& picture : memory->pictures) {
      std::string timeline = memory_to_svg(picture);
      if (!timeline.empty()) story.timelines.push_back(std::move(timeline));
    }
    for (const Table& table : memory->tables) story.shown.push_back(table);
  }

  void add_kernels(DocumentStory& story) {
    rpc::Kernels::Request request;
    request.attempt = story.attempt;
    request.top = kTopKernels;
    const auto kernels = client_.call<rpc::Kernels>(request);
    if (!kernels) return;  // a profile without kernels
    for (const Table& table : kernels->tables) story.shown.push_back(table);
  }

  Client& client_;
  std::map<std::string, Known> known_;                      // by attempt
  std::map<std::string, std::vector<std::string>> passes_;  // by trial
};

}  // namespace

Result<void> add_stories(Client& client, Document& document) {
  const std::vector<std::string> ids = attempts_in(document);
  Teller teller(client);
  for (const std::string& id : ids) {
    if (teller.stories.size() >= kMostStories) {
      document.introduction += fmt::format(
          "\n\nClick a figure for its attempts (the first {} of {} are on this page); "
          "`sweepctl show ATTEMPT` shows any.",
          kMostStories, ids.size());
      break;
    }
    if (auto told = teller.tell(id); !told) return told;
  }
  document.stories = std::move(teller.stories);
  return {};
}

}  // namespace sweepd
