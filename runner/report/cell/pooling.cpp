#include "runner/report/cell/pooling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "runner/base/text.h"
#include "runner/report/cell/cell_format.h"

namespace sweepd::report {
namespace {

constexpr std::size_t kMaxValues = 4;  // of one parameter in a message

// An attempt that waits, or that was skipped, adds nothing to a cell, and has no device that a
// table could show.
bool has_run(const ResultRow* row) {
  return row->stats.n > 0 || (!row->pending && row->outcome != Outcome::kSkipped);
}

// "fp32, bf16", "1, 2, 4, 8 ..."
std::string listed(const std::vector<std::string>& values) {
  const std::size_t shown = std::min(values.size(), kMaxValues);
  const std::string list = join({values.begin(), values.begin() + static_cast<int>(shown)}, ", ");
  return shown < values.size() ? list + " ..." : list;
}

// A value as an option of a command line can contain it, or "" if it cannot.
std::string as_word(const std::string& value) {
  if (value.empty() || value.find_first_of(",'\n") != std::string::npos) return "";
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == '/' || c == ':';
  };
  return std::all_of(value.begin(), value.end(), plain) ? value : "'" + value + "'";
}

}  // namespace

OneTrial one_trial(std::span<const ResultRow* const> rows) {
  OneTrial found = OneTrial::kYes;
  for (const ResultRow* row : rows) {
    const ResultRow& first = *rows.front();
    if (row->several_trials || row->trial != first.trial) return OneTrial::kNo;
    if (row->trial.empty() && row->attempt != first.attempt) found = OneTrial::kUnknown;
  }
  return found;
}

UnsaidPooling::UnsaidPooling(const std::vector<std::string>& allowed, bool drawn)
    : allowed_(allowed), drawn_(drawn) {}

bool UnsaidPooling::allows(const std::string& name) const {
  return std::any_of(allowed_.begin(), allowed_.end(),
                     [&](const std::string& each) { return each == name || each == "all"; });
}

void UnsaidPooling::add_cell(const std::vector<const ResultRow*>& all, const Axes& axes) {
  std::vector<const ResultRow*> rows;
  std::copy_if(all.begin(), all.end(), std::back_inserter(rows), has_run);
  if (allows("all") || one_trial(rows) == OneTrial::kYes) return;
  const auto differences = axes.hidden_differences(rows);
  const bool all_allowed =
      std::all_of(differences.begin(), differences.end(),
                  [&](const Axes::Difference& each) { return allows(each.name); });
  const bool known = std::all_of(rows.begin(), rows.end(),
                                 [](const ResultRow* row) { return !row->trial.empty(); });
  if (differences.empty() ? !known : all_allowed) return;
  ++cells_;
  for (const Axes::Difference& difference : differences) {
    if (allows(difference.name)) continue;
    const auto [entry, added] = pooled_.try_emplace(difference.name);
    if (added) {
      names_.push_back(difference.name);
      entry->second.example = as_word(axes.value_at(*rows.front(), difference.name).value_or(""));
    }
    std::vector<std::string>& values = entry->second.values;
    for (const std::string& value : difference.values) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
}

std::string UnsaidPooling::parameters() const {
  std::vector<std::string> texts;
  texts.reserve(names_.size());
  for (const std::string& name : names_) {
    texts.push_back(fmt::format("{} ({})", name, listed(pooled_.at(name).values)));
  }
  return in_words(texts);
}

// One parameter becomes columns, and the others are fixed at the point of a result that exists.
std::string UnsaidPooling::advice() const {
  const std::string& first = names_.front();
  const std::string all = join(names_, ",");
  const bool fixable = std::all_of(names_.begin(), names_.end(), [&](const std::string& name) {
    return !pooled_.at(name).example.empty();
  });
  const char* option = drawn_ ? "--color" : "--columns";
  if (!fixable) {
    return fmt::format("add {1} {0}, or say --pool {0}", all, drawn_ ? option : "--rows");
  }
  const auto fixed = [&](const std::string& name) {
    return fmt::format("--where {}={}", name, pooled_.at(name).example);
  };
  if (names_.size() == 1) {
    return fmt::format("add {2} {0} or {1}, or say --pool {0}", first, fixed(first), option);
  }
  std::string options = fmt::format("{} {}", option, first);
  for (std::size_t i = 1; i < names_.size(); ++i) options += " " + fixed(names_[i]);
  return fmt::format("add {}, or say --pool {}", options, all);
}

std::string UnsaidPooling::refusal() const {
  if (names_.empty()) {
    return "these cells would pool different trials, which differ in the version of the workload "
           "or in a value that few trials have; name a sweep with --sweep, or say --pool all";
  }
  return fmt::format("these {} would pool {}: {}", drawn_ ? "points" : "cells", parameters(),
                     advice());
}

std::string UnsaidPooling::warning() const {
  const std::string cells =
      counted(cells_, drawn_ ? "point" : "cell") + (cells_ == 1 ? " pools " : " pool ");
  if (names_.empty()) return "warning: " + cells + "different trials";
  return fmt::format(
      "warning: {}{}, which the {} neither names nor fixes; name it in {}, fix it in `where`, or "
      "write `pool: [{}]`",
      cells, parameters(), drawn_ ? "plot" : "table",
      drawn_ ? "`x`, `color` or `facet`" : "`rows` or `columns`", join(names_, ", "));
}

}  // namespace sweepd::report
