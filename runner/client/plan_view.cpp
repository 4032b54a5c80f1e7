#include "runner/client/plan_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/output.h"

namespace sweepd {

using nlohmann::json;

namespace {

constexpr std::size_t kShownValues = 10;  // of an axis

std::int64_t integer(const json& object, const char* name) {
  return object.at(name).get<std::int64_t>();
}

std::string text_of(const json& object, const char* name) {
  return object.at(name).get<std::string>();
}

std::string memory_text(const json& bytes) {
  return to_human(Bytes{bytes.get<std::int64_t>()});
}

std::string time_text(const json& ns) {
  return to_human(Duration{ns.get<std::int64_t>()});
}

// "model=xl context=512"
std::string point_text(const json& plan, const json& values) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    parts.push_back(text_of(plan["axes"][i], "name") + "=" + values[i].get<std::string>());
  }
  return parts.empty() ? "the one trial" : join(parts, " ");
}

std::string axis_text(const json& axis, std::int64_t trials) {
  std::vector<std::string> parts;
  const json& values = axis["values"];
  // A full grid needs no counts, since all values have the same number of trials.
  const auto first = values.empty() ? 0 : integer(values[0], "trials");
  const bool even = std::all_of(values.begin(), values.end(),
                                [&](const json& v) { return integer(v, "trials") == first; });
  for (const json& value : values) {
    if (parts.size() == kShownValues) break;
    const std::string text = text_of(value, "value");
    parts.push_back(even ? text : fmt::format("{} ({})", text, integer(value, "trials")));
  }
  std::string line = join(parts, ", ");
  const auto more = integer(axis, "distinct") - static_cast<std::int64_t>(parts.size());
  if (more > 0) line += fmt::format(", … {} more", with_thousands(more));
  if (even && integer(axis, "distinct") > 1 && first * integer(axis, "distinct") == trials) {
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

std::string head(const json& plan) {
  std::vector<std::string> passes;
  for (const json& pass : plan["passes"]) passes.push_back(pass.get<std::string>());
  std::string line =
      fmt::format("sweep {}: {}, {}, {} ({})\n", text_of(plan, "name"), text_of(plan, "workload"),
                  counted(integer(plan, "trials"), "trial"),
                  counted(integer(plan, "attempts"), "attempt"), join(passes, ", "));
  const std::string description = text_of(plan, "description");
  return description.empty() ? line : line + description + "\n";
}

std::string axes_text(const json& plan) {
  Lines lines;
  for (const json& axis : plan["axes"]) {
    lines.add(text_of(axis, "name"), axis_text(axis, integer(plan, "trials")));
  }
  return lines.str();
}

std::string left_out(const json& plan) {
  Lines lines;
  for (const json& rule : plan["excluded"]) {
    const std::string what =
        fmt::format("{} by line {}: {}", counted(integer(rule, "points"), "point"),
                    integer(rule, "line"), text_of(rule, "rule"));
    lines.add("excluded", what);
  }
  if (const auto n = integer(plan, "duplicates"); n > 0) {
    lines.add("merged", fmt::format("{} the same as another", counted(n, "point")));
  }
  return lines.str();
}

std::string duration_text(const json& plan) {
  const json& time = plan["time"];
  if (integer(plan, "to_run") == 0) return "";
  if (time["total_ns"].is_null()) return "unknown: no past attempt can be compared";
  std::string line = "about " + time_text(time["total_ns"]);
  std::vector<std::string> from;
  if (const auto n = integer(time, "from_same"); n > 0) {
    from.push_back(fmt::format("{} from the same trial", with_thousands(n)));
  }
  if (const auto n = integer(time, "from_nearest"); n > 0) {
    from.push_back(fmt::format("{} from the nearest past trial", with_thousands(n)));
    const double factor = time["farthest_ratio"].get<double>();
    if (factor >= 2)
      from.back() += fmt::format(", whose work differs by a factor of up to {:.3g}", factor);
  }
  if (const auto n = integer(time, "unknown"); n > 0) {
    from.push_back(fmt::format("{} unknown and not counted", with_thousands(n)));
  }
  return line + fmt::format(" ({}; {} on this host)", join(from, ", "),
                            counted(integer(time, "past_results"), "past result"));
}

std::string to_run_text(const json& plan) {
  std::string line = counted(integer(plan, "to_run"), "attempt");
  std::vector<std::string> again;
  for (const auto& [outcome, trials] : plan["again"].items()) {
    again.push_back(
        fmt::format("{} ended {}", counted(trials.get<std::int64_t>(), "trial"), outcome));
  }
  if (!again.empty()) line += fmt::format("; run again because {} before", join(again, ", "));
  return line;
}

std::string work_text(const json& plan) {
  Lines lines;
  lines.add("to run", to_run_text(plan));
  if (const auto n = integer(plan, "reused"); n > 0) {
    lines.add("reused", counted(n, "attempt") + ", measured before");
  }
  const auto queued = integer(plan, "queued"), running = integer(plan, "running");
  if (queued + running > 0) {
    lines.add("joined", fmt::format("{} of another sweep: {} queued, {} running",
                                    counted(queued + running, "attempt"), with_thousands(queued),
                                    with_thousands(running)));
  }
  if (const std::string time = duration_text(plan); !time.empty()) lines.add("time", time);
  if (const json& memory = plan["memory"]; !memory.is_null()) {
    const json& largest = memory["largest"];
    std::string line = memory_text(largest["resident_bytes"]) + " or more";
    if (largest["memory_bytes"] != 0) line += " of " + memory_text(largest["memory_bytes"]);
    lines.add("memory", fmt::format("{}, at {}", line, point_text(plan, largest["values"])));
  }
  return lines.str();
}

std::string warnings(const json& plan) {
  std::string out;
  if (const json& memory = plan["memory"]; !memory.is_null() && memory["too_large"] != 0) {
    out += fmt::format("! {} cannot fit and will end oom:\n",
                       counted(integer(memory, "too_large"), "trial"));
    for (const json& trial : memory["examples"]) {
      out += fmt::format("    {}: {} or more of {}\n", point_text(plan, trial["values"]),
                         memory_text(trial["resident_bytes"]), memory_text(trial["memory_bytes"]));
    }
    const auto more =
        integer(memory, "too_large") - static_cast<std::int64_t>(memory["examples"].size());
    if (more > 0) out += fmt::format("    … {} more\n", with_thousands(more));
  }
  for (const json& why : plan["refusals"]) {
    out += fmt::format("! this machine cannot run all: {}\n", why.get<std::string>());
  }
  if (const std::string why = text_of(plan, "work_error"); !why.empty()) {
    out += fmt::format("! work and memory are unknown: {}\n", why);
  }
  if (const auto n = integer(plan, "looked_at"); n < integer(plan, "trials")) {
    out +=
        fmt::format("  time and memory are estimated from {} of {} trials, spread over the sweep\n",
                    with_thousands(n), with_thousands(integer(plan, "trials")));
  }
  return out;
}

}  // namespace

std::string plan_text(const json& plan) {
  std::string out = head(plan);
  for (const std::string& part :
       {axes_text(plan), left_out(plan), work_text(plan), warnings(plan)}) {
    if (!part.empty()) out += "\n" + part;
  }
  return out;
}

Table trials_table(const json& plan) {
  Table table;
  table.title = text_of(plan, "name");
  for (const json& axis : plan["axes"])
    table.columns.push_back({text_of(axis, "name"), "", Align::kLeft});
  table.columns.push_back({"state", "", Align::kLeft});
  table.columns.push_back({"to run", "", Align::kRight});
  table.columns.push_back({"time", "", Align::kRight});
  table.columns.push_back({"memory", "", Align::kRight});
  for (const json& trial : plan["rows"]) {
    std::vector<Cell> row;
    for (const json& value : trial["values"]) row.push_back({value.get<std::string>(), {}});
    std::string state = text_of(trial, "state");
    if (trial.contains("last")) state += fmt::format(" (was {})", text_of(trial, "last"));
    if (!trial["fits"].get<bool>()) state += ", does not fit";
    row.push_back({state, {}});
    const auto to_run = integer(trial, "to_run");
    row.push_back({with_thousands(to_run), static_cast<double>(to_run)});
    const bool timed = trial.contains("time_ns"), sized = trial.contains("resident_bytes");
    row.push_back(timed ? Cell{"~ " + time_text(trial["time_ns"]),
                               Duration{integer(trial, "time_ns")}.seconds()}
                        : Cell{to_run > 0 ? "?" : "", {}});
    row.push_back(sized ? Cell{"≥ " + memory_text(trial["resident_bytes"]),
                               static_cast<double>(integer(trial, "resident_bytes"))}
                        : Cell{"", {}});
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace sweepd
