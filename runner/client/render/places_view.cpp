#include "runner/client/render/places_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"

namespace sweepd {
namespace {

// ": Resources (job 17)"
std::string reason_text(const GivenAttempt& given) {
  const std::string& why = given.reason.empty() ? given.state : given.reason;
  std::string text = why.empty() ? "" : ": " + why;
  if (!given.job.empty()) text += fmt::format(" (job {})", given.job);
  return text;
}

std::string gib_text(double gib) {
  return gib < 10 ? fmt::format("{:.1f}", gib) : fmt::format("{:.0f}", gib);
}

std::string job_line(const PoolAllocation& job) {
  std::string line = fmt::format("job {}: {}", job.id, job.state);
  if (!job.nodes.empty()) line += " on " + job.nodes;
  if (job.nodes.empty() && !job.reason.empty()) line += ", " + job.reason;
  if (job.nodes.empty() && job.starts) {
    line += ", expected to start at " + local_time(job.starts->ns);
  }
  if (!job.nodes.empty() && job.ends) line += ", until " + local_time(job.ends->ns);
  return line;
}

}  // namespace

std::string moment_text(const RunningAttempt& run) {
  if (run.step < 0) return run.phase.empty() ? "starting" : run.phase;
  const std::string step = fmt::format("step {}", run.step);
  return run.phase.empty() ? step : run.phase + " " + step;
}

std::string waits_text(const GivenAttempt& given) {
  return fmt::format("waits in pool {}{}", given.pool, reason_text(given));
}

std::string where_text(const RunningAttempt& run) {
  if (run.pool == kLocalPool) return "";
  std::string text = run.nodes.empty() ? "" : " on " + run.nodes;
  text += fmt::format("{} pool {}", text.empty() ? " in" : " of", run.pool);
  return run.job.empty() ? text : text + fmt::format(" (job {})", run.job);
}

std::vector<std::string> waiting_lines(const std::vector<GivenAttempt>& given) {
  std::vector<std::pair<std::string, std::int64_t>> groups;  // in the order of the first of each
  for (const GivenAttempt& one : given) {
    const std::string text = fmt::format("in pool {}{}", one.pool, reason_text(one));
    const auto known = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.first == text; });
    known == groups.end() ? void(groups.emplace_back(text, 1)) : void(++known->second);
  }
  std::vector<std::string> lines;
  for (const auto& [text, n] : groups) {
    lines.push_back(fmt::format("{} {} {}", with_thousands(n), n == 1 ? "waits" : "wait", text));
  }
  return lines;
}

Table nodes_table(const PoolStatus& pool) {
  Table table;
  table.title = "Pool " + pool.name;
  table.columns = {{"nodes", "", Align::kRight},     {"names", "", Align::kLeft},
                   {"state", "", Align::kLeft},      {"cores", "", Align::kRight},
                   {"GPUs", "", Align::kRight},      {"GPU", "", Align::kLeft},
                   {"memory", "GiB", Align::kRight}, {"why", "", Align::kLeft}};
  const auto number = [](std::int64_t n) {
    return Cell{n == 0 ? "" : with_thousands(n), static_cast<double>(n)};
  };
  for (const PoolNodes& nodes : pool.nodes) {
    const double gib = static_cast<double>(nodes.memory.value) / 0x1p30;
    const std::string state =
        nodes.usable ? nodes.state : fmt::format("{} (not usable)", nodes.state);
    table.rows.push_back({number(nodes.count),
                          {nodes.names, {}},
                          {state, {}},
                          number(nodes.cores),
                          number(nodes.gpus),
                          {nodes.gpu, {}},
                          gib > 0 ? Cell{gib_text(gib), gib} : Cell{"", {}},
                          {nodes.reason, {}}});
  }
  for (const PoolAllocation& job : pool.allocations) table.notes.push_back(job_line(job));
  if (!pool.trouble.empty()) {
    table.notes.push_back(pool.trouble);
    table.warnings = 1;
  }
  if (!pool.problem.empty()) {
    table.notes.push_back("its state is unknown: " + pool.problem);
    table.warnings = 1;
  }
  return table;
}

std::string fault_text(const std::string& fault, const std::string& attempt, WallTime since) {
  return fmt::format("{} (attempt {}, {})", fault, short_id(attempt), local_time(since.ns));
}

}  // namespace sweepd
