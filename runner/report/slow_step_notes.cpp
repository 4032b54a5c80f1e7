#include "runner/report/slow_step_notes.h"

#include <fmt/format.h>

#include <algorithm>

namespace sweepd::report {
namespace {

constexpr std::int64_t kFewestSteps = 5;
constexpr double kMoved = 1.1;  // mean by median

}  // namespace

void SlowStepNotes::add_cell(const std::string& name, const ResultSet& results,
                             const std::vector<const ResultRow*>& rows) {
  if (results.metric != "time" && results.metric != "host_time") return;
  double ratio = 0;  // stays so if no attempt has enough steps, or the reader pooled them
  for (const ResultRow* row : rows) {
    const bool counts = row->outcome == Outcome::kDone && row->stats.n >= kFewestSteps;
    if (counts && row->stats.median > 0)
      ratio = std::max(ratio, row->stats.mean / row->stats.median);
  }
  if (ratio == 0) return;
  ++cells_;
  if (ratio <= kMoved) return;
  ++moved_;
  if (ratio <= largest_) return;
  largest_ = ratio;
  largest_in_ = name;
}

std::vector<std::string> SlowStepNotes::lines() const {
  if (moved_ == 0) return {};
  const std::string where = cells_ > 1 ? fmt::format("in {} of {} cells ", moved_, cells_) : "";
  const std::string most = largest_in_.empty() ? "" : fmt::format(" ({})", largest_in_);
  return {fmt::format(
      "{}a few slow steps raise the mean by more than a tenth above the median, by {:.0f} % at "
      "most{}; `{{median}}` shows the usual step",
      where, (largest_ - 1) * 100, most)};
}

}  // namespace sweepd::report
