#include "runner/report/notes/drift_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runner/base/text.h"
#include "runner/model/sweep/sentinel.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostDriftNotes = 3;

struct Sides {
  std::size_t before = 0, between = 0, after = 0;
};

Sides sides_of(const MachineShift& shift, const std::vector<AttemptSpan>& attempts) {
  Sides sides;
  for (const AttemptSpan& attempt : attempts) {
    if (std::ranges::find(attempt.devices, shift.device) == attempt.devices.end()) continue;
    if (attempt.ended <= shift.last_old) {
      ++sides.before;
    } else if (attempt.started >= shift.first_new) {
      ++sides.after;
    } else {
      ++sides.between;
    }
  }
  return sides;
}

bool has_both(const Sides& all) {
  return (all.before > 0) + (all.between > 0) + (all.after > 0) > 1;
}

// "2026-11-23 14:05"
std::string minute_of(WallTime time) {
  std::string text = to_text(time).substr(0, 16);
  text[10] = ' ';
  return text;
}

std::string when(const MachineShift& shift) {
  const std::string from = minute_of(shift.last_old), to = minute_of(shift.first_new);
  if (from == to) return fmt::format("at {} UTC", to);
  const bool one_day = from.substr(0, 10) == to.substr(0, 10);
  return fmt::format("between {} and {} UTC", from, one_day ? to.substr(11) : to);
}

std::string how(const MachineShift& shift) {
  const double percent = 100 * (shift.ratio - 1);
  return fmt::format("{:.0f} % {}", std::abs(percent), percent > 0 ? "slower" : "faster");
}

std::string counts(const Sides& sides, const std::string& name) {
  std::string text = fmt::format("{} of {} ran before", sides.before, name);
  if (sides.between > 0) text += fmt::format(", {} in between", sides.between);
  return text + fmt::format(", {} after", sides.after);
}

}  // namespace

std::vector<MachineShift> machine_shifts(const std::vector<SentinelSeries>& all) {
  std::vector<MachineShift> shifts;
  for (const SentinelSeries& series : all) {
    std::vector<double> medians;
    for (const SentinelSeries::Run& run : series.runs) medians.push_back(run.median);
    for (const stats::Shift& shift : stats::find_shifts(medians)) {
      shifts.push_back({series.device, shift.ratio, series.runs[shift.at - 1].ended,
                        series.runs[shift.at].started, series.runs.size()});
    }
  }
  std::ranges::stable_sort(shifts, {}, &MachineShift::first_new);
  return shifts;
}

std::vector<std::string> drift_notes(const std::vector<MachineShift>& shifts,
                                     const std::vector<DriftGroup>& groups) {
  std::vector<const MachineShift*> noted;
  for (const MachineShift& shift : shifts) {
    Sides all;
    for (const DriftGroup& group : groups) {
      const Sides own = sides_of(shift, group.attempts);
      all.before += own.before;
      all.between += own.between;
      all.after += own.after;
    }
    if (has_both(all)) noted.push_back(&shift);
  }
  const auto size = [](const MachineShift* shift) { return std::abs(std::log(shift->ratio)); };
  std::ranges::stable_sort(noted, std::greater(), size);
  if (noted.size() > kMostDriftNotes) noted.resize(kMostDriftNotes);
  std::ranges::stable_sort(noted, {}, &MachineShift::first_new);
  std::vector<std::string> notes;
  for (const MachineShift* shift : noted) {
    std::vector<std::string> each;
    for (const DriftGroup& group : groups) {
      each.push_back(counts(sides_of(*shift, group.attempts), group.name));
    }
    notes.push_back(fmt::format("the machine became {} {}, by the sentinel (`{}`, {} runs): {}",
                                how(*shift), when(*shift), kSentinelWorkload, shift->runs,
                                join(each, "; ")));
  }
  return notes;
}

}  // namespace sweepd
