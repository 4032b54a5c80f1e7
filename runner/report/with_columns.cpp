#include "runner/report/with_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/text.h"
#include "runner/base/units.h"

namespace sweepd::report {
namespace {

const std::vector<std::string> kWords{"n", "attempts", "verdict", "outcome", "attempt"};

Cell count_cell(std::int64_t count) {
  return {with_thousands(count), static_cast<double>(count)};
}

std::int64_t attempts_with_figure(const Group& group) {
  std::set<std::string> ids;
  std::int64_t pooled = 0;
  for (const ResultRow* row : group.rows) {
    if (row->stats.n == 0) continue;
    if (row->attempts > 1) {
      pooled += row->attempts;
    } else {
      ids.insert(row->attempt);
    }
  }
  return pooled + static_cast<std::int64_t>(ids.size());
}

std::string outcomes(const Group& group) {
  std::vector<std::string> words;
  for (const ResultRow* row : group.rows) {
    const std::string word(row->pending ? "pending" : name_of(row->outcome));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  return join(words, "/");
}

// The attempts behind a cell, as many as a user may want to see.
std::string attempts_in(const Group& group) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> ids;
  for (const ResultRow* row : group.rows) {
    if (row->attempt.empty()) continue;
    if (std::find(ids.begin(), ids.end(), row->attempt) == ids.end()) ids.push_back(row->attempt);
    if (ids.size() > kMost) break;
  }
  if (ids.size() > kMost) ids.back() = "…";
  return join(ids, " ");
}

}  // namespace

Result<void> check_with(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) continue;
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("with: `{}` is not one of {}{}", word, join(kWords, ", "),
                             did_you_mean(word, kWords))};
  }
  return {};
}

Column with_header(const Column& figure, const std::string& word) {
  const bool counts = word == "n" || word == "attempts";
  return {figure.name + " " + word, "", counts ? Align::kRight : Align::kLeft};
}

Cell with_cell(const Group* group, const std::string& word) {
  if (group == nullptr) return {};
  if (word == "n") return count_cell(group->pooled.stats.n);
  if (word == "attempts") return count_cell(attempts_with_figure(*group));
  if (word == "attempt") return {attempts_in(*group), {}};
  if (word == "outcome") return {outcomes(*group), {}};
  if (group->pooled.stats.n == 0) return {};
  return {std::string(name_of(group->pooled.verdict)), {}};
}

}  // namespace sweepd::report
