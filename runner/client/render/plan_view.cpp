#include "runner/client/render/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"

namespace sweepd {

namespace {

constexpr std::size_t kShownValues = 10;  // of an axis

// "model=xl context=512"
std::string point_text(const SweepPlan& plan, const std::vector<std::string>& values) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.push_back(plan.axes.at(i).name + "=" + values[i]);
  }
  return parts.empty() ? "the one trial" : join(parts, " ");
}

std::string axis_text(const PlannedAxis& axis, std::int64_t trials) {
  std::vector<std::string> parts;
  // A full grid needs no counts, since all values have the same number of trials.
  const auto first = axis.values.empty() ? 0 : axis.values.front().trials;
  const bool even = std::ranges::all_of(
      axis.values, [&](const PlannedValue& value) { return value.trials == first; });
  for (const PlannedValue& value : axis.values) {
    if (parts.size() == kShownValues) break;
    parts.push_back(even ? value.value : fmt::format("{} ({})", value.value, value.trials));
  }
  std::string line = join(parts, ", ");
  const auto more = axis.distinct - static_cast<std::int64_t>(parts.size());
  if (more > 0) line += fmt::format(", … {} more", with_thousands(more));
  if (even && axis.distinct > 1 && first * axis.distinct == trials) {
    line += fmt::format("  ({} each)", counted(first, "trial"));
  }
  return line;
}

class Lines {
 public:
  void add(std::string_view name, std::string_view text) {
    rows_.emplace_back(name, text);
    width_ = std::max(width_, display_width(name));
  }
  std::string str() const {
    std::string out;
    for (const auto& [name, text] : rows_) {
      const std::string space(width_ - display_width(name), ' ');
      out += fmt::format("  {}{}  {}\n", name, space, text);
    }
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
  std::size_t width_ = 0;
};

std::string head(const SweepPlan& plan) {
  const std::string line = fmt::format("sweep {}: {}, {}, {} ({})\n", plan.name, plan.workload,
                                       counted(plan.trials, "trial"),
                                       counted(plan.attempts, "attempt"), join(plan.passes, ", "));
  return plan.description.empty() ? line : line + hanging(plan.description) + "\n";
}

std::string axes_text(const SweepPlan& plan) {
  Lines lines;
  for (const PlannedAxis& axis : plan.axes) {
    lines.add(axis.name, axis_text(axis, plan.trials));
  }
  return lines.str();
}

std::string left_out(const SweepPlan& plan) {
  Lines lines;
  for (const ExcludedPoints& rule : plan.excluded) {
    lines.add("excluded", fmt::format("{} by line {}: {}", counted(rule.points, "point"), rule.line,
                                      rule.rule));
  }
  if (const auto n = plan.duplicates; n > 0) {
    lines.add("merged", fmt::format("{} the same as another", counted(n, "point")));
  }
  return lines.str();
}

std::string duration_text(const SweepPlan& plan) {
  const PlannedTime& time = plan.time;
  if (plan.to_run == 0) return "";
  if (!time.total) return "unknown: no past attempt can be compared";
  std::string line = "about " + to_human(*time.total);
  std::vector<std::string> from;
  if (const auto n = time.from_same; n > 0) {
    from.push_back(fmt::format("{} from the same trial", with_thousands(n)));
  }
  if (const auto n = time.from_nearest; n > 0) {
    from.push_back(fmt::format("{} from the nearest past trial", with_thousands(n)));
    const double factor = time.farthest_ratio;
    if (factor >= 2)
      from.back() += fmt::format(", whose work differs by a factor of up to {:.3g}", factor);
  }
  if (const auto n = time.unknown; n > 0) {
    from.push_back(fmt::format("{} unknown and not counted", with_thousands(n)));
  }
  return line + fmt::format(" ({}; {} on this host)", join(from, ", "),
                            counted(time.past_results, "past result"));
}

std::string to_run_text(const SweepPlan& plan) {
  std::string line = counted(plan.to_run, "attempt");
  std::vector<std::string> again;
  for (const auto& [outcome, trials] : plan.again) {
    again.push_back(fmt::format("{} ended {}", counted(trials, "trial"), outcome));
  }
  if (!again.empty()) line += fmt::format("; run again because {} before", join(again, ", "));
  if (plan.changes.attempts > 0) line += "; " + changes_text(plan.changes);
  return line;
}

// "3 trials of 16 ranks: 2 nodes x 8 GPUs for 4h; the queue would begin at 2026-11-21 10:04"
std::string ask_text(const PlannedAsk& ask) {
  std::string line =
      fmt::format("{} of {}: ", counted(ask.trials, "trial"), counted(ask.ranks, "rank"));
  if (!ask.problem.empty()) return line + "the cluster gave no answer: " + ask.problem;
  line += ask.asks.empty() ? "one job" : ask.asks;
  if (ask.starts) line += "; the queue would begin at " + local_time(ask.starts->ns);
  return line;
}

std::string work_text(const SweepPlan& plan) {
  Lines lines;
  lines.add("to run", to_run_text(plan));
  if (const auto n = plan.reused; n > 0) {
    lines.add("reused", counted(n, "attempt") + ", measured before");
  }
  if (const auto n = plan.skipped; n > 0) {
    lines.add("left out", counted(n, "attempt") + ": " + plan.skipped_because);
  }
  const auto queued = plan.queued, running = plan.running;
  if (queued + running > 0) {
    const std::string held = plan.held == 0 ? ""
                                            : fmt::format(" ({} paused there, which would start)",
                                                          with_thousands(plan.held));
    lines.add("joined", fmt::format("{} of another sweep: {} queued{}, {} running",
                                    counted(queued + running, "attempt"), with_thousands(queued),
                                    held, with_thousands(running)));
  }
  if (const std::string time = duration_text(plan); !time.empty()) lines.add("time", time);
  for (const PlannedAsk& ask : plan.asks) {
    lines.add("pool " + ask.pool, ask_text(ask));
  }
  if (plan.memory) {
    const SizedTrial& largest = plan.memory->largest;
    std::string line = to_human(largest.resident) + " or more";
    if (largest.memory.value != 0) line += " of " + to_human(largest.memory);
    lines.add("memory", fmt::format("{}, at {}", line, point_text(plan, largest.values)));
  }
  return lines.str();
}

// "3 attempts will likely hit their timeout of 30s: context=4096 is expected to take 2m 10s"
std::string timeouts_text(const SweepPlan& plan, const PlannedTimeouts& late) {
  const std::string whose = late.attempts == 1 ? "its timeout" : "their timeout";
  const std::string limit = to_text(late.timeout);
  std::string line = fmt::format("{} will likely hit {}", counted(late.attempts, "attempt"), whose);
  if (late.all_equal) line += " of " + limit;
  line += fmt::format(": {} is expected to take {}", point_text(plan, late.values),
                      to_human(late.expected));
  if (!late.all_equal) line += " and has " + limit;
  return line;
}

std::string warnings(const SweepPlan& plan) {
  std::string out;
  if (plan.timeouts) {
    out += fmt::format("! {}; raise `timeout`\n", timeouts_text(plan, *plan.timeouts));
  }
  if (const auto& memory = plan.memory; memory && memory->too_large != 0) {
    out += fmt::format("! {} cannot fit and will end oom:\n", counted(memory->too_large, "trial"));
    for (const SizedTrial& trial : memory->examples) {
      out += fmt::format("    {}: {} or more of {}\n", point_text(plan, trial.values),
                         to_human(trial.resident), to_human(trial.memory));
    }
    const auto more = memory->too_large - static_cast<std::int64_t>(memory->examples.size());
    if (more > 0) out += fmt::format("    … {} more\n", with_thousands(more));
  }
  for (const std::string& why : plan.refusals) {
    out += fmt::format("! not all of it can run: {}\n", why);
  }
  for (const std::string& warning : plan.warnings) out += fmt::format("! {}\n", warning);
  if (const std::string& why = plan.work_error; !why.empty()) {
    out += fmt::format("! work and memory are unknown: {}\n", why);
  }
  if (const auto n = plan.looked_at; n < plan.trials) {
    out +=
        fmt::format("  time and memory are estimated from {} of {} trials, spread over the sweep\n",
                    with_thousands(n), with_thousands(plan.trials));
  }
  return out;
}

}  // namespace

std::string plan_text(const SweepPlan& plan) {
  std::string out = head(plan);
  for (const std::string& part :
       {axes_text(plan), left_out(plan), work_text(plan), warnings(plan)}) {
    if (!part.empty()) out += "\n" + part;
  }
  return out;
}

Table trials_table(const SweepPlan& plan) {
  Table table;
  table.title = plan.name;
  for (const PlannedAxis& axis : plan.axes) {
    table.columns.push_back({axis.name, "", Align::kLeft});
  }
  table.columns.push_back({"state", "", Align::kLeft});
  table.columns.push_back({"to run", "", Align::kRight});
  table.columns.push_back({"time", "", Align::kRight});
  table.columns.push_back({"memory", "", Align::kRight});
  for (const PlannedTrial& trial : plan.rows) {
    std::vector<Cell> row;
    for (const std::string& value : trial.values) row.push_back({value, {}});
    std::string state = trial.state;
    if (trial.last) state += fmt::format(" (was {})", *trial.last);
    if (!trial.fits) state += ", does not fit";
    if (trial.times_out) state += ", likely to hit its timeout";
    row.push_back({state, {}});
    row.push_back({with_thousands(trial.to_run), static_cast<double>(trial.to_run)});
    row.push_back(trial.time ? Cell{"~ " + to_human(*trial.time), trial.time->seconds()}
                             : Cell{trial.to_run > 0 ? "?" : "", {}});
    row.push_back(trial.resident ? Cell{"≥ " + to_human(*trial.resident),
                                        static_cast<double>(trial.resident->value)}
                                 : Cell{"", {}});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string changes_text(const Changes& changes) {
  constexpr std::size_t kDay = 10, kMinute = 16;  // characters of 2026-11-20T10:05:00Z
  std::string text = fmt::format("{} again, because {} changed", with_thousands(changes.attempts),
                                 join(changes.what, ", "));
  if (!changes.how.empty()) text += fmt::format(" ({})", join(changes.how, ", "));
  if (changes.since) {
    const std::string time = to_text(*changes.since);
    text += fmt::format(" after {} {} UTC", time.substr(0, kDay),
                        time.substr(kDay + 1, kMinute - kDay - 1));
  }
  return text;
}

}  // namespace sweepd
