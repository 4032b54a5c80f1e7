#include "runner/sweepfile/yaml/reports.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runner/base/files.h"
#include "runner/model/vocabulary/metric_name.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

constexpr const char* kReportsFile = "reports_file";
constexpr const char* kReportsMap = "reports_map";

void set_reports_part(Reporter& report, Draft& draft, const char* name, const Node& key,
                      std::optional<std::string> text) {
  const auto param = draft.def->index_of(name);
  if (!param) return;
  const auto [claim, added] = draft.claims.try_emplace(*param, Claim{"reports", key.mark});
  if (!added) {
    report.error(key.mark, fmt::format("reports: `{}` has a value under `{}` too", name,
                                       claim->second.section));
  } else if (text) {
    draft.sweep.params.push_back({*param, Value(std::move(*text))});
  } else {
    claim->second.broken = true;
  }
}

std::optional<std::string> read_file_name(Reporter& report, const Node& node) {
  auto text = read_text(report, "reports: file", node);
  if (!text) return std::nullopt;
  if (leads_below(*text)) return text;
  report.error(node.mark, fmt::format("reports: file: `{}`; expected a file below the program's "
                                      "working folder, such as out/results.csv",
                                      shown(*text)));
  return std::nullopt;
}

std::string mistake_in_ours(const std::string& ours) {
  if (ours == "step" || ours == "warmup") return "";
  const auto figure = parse_figure_name(ours);
  if (figure) return "";
  return fmt::format("reports: map: `{}`: {}; expected step, warmup or METRIC[.PHASE][:UNIT]",
                     shown(ours), figure.error().message);
}

// One `OURS = THEIRS` a line.
std::optional<std::string> read_reports_map(Reporter& report, const Node& node) {
  if (!expect_map(report, "reports: map", node)) return std::nullopt;
  std::string lines;
  bool sound = true;
  std::map<std::string, std::string> taken;  // THEIRS and OURS
  for (const auto& [key, value] : node.entries) {
    std::string mistake = mistake_in_ours(key->text);
    if (!mistake.empty()) report.error(key->mark, mistake);
    const auto theirs = read_text(report, "reports: map: " + shown(key->text), *value);
    sound = sound && mistake.empty() && theirs;
    if (!theirs) continue;
    const auto [other, added] = taken.try_emplace(*theirs, key->text);
    if (theirs->empty()) {
      report.error(value->mark,
                   fmt::format("reports: map: `{}` names no column and no key", shown(key->text)));
    } else if (!added) {
      report.error(value->mark, fmt::format("reports: map: `{}` is `{}` already", shown(*theirs),
                                            shown(other->second)));
    }
    sound = sound && added && !theirs->empty();
    lines += key->text + " = " + *theirs + "\n";
  }
  return sound ? std::optional(std::move(lines)) : std::nullopt;
}

}  // namespace

bool is_reports_param(const WorkloadDef& def, std::size_t param) {
  return def.params[param].name == "reports" && def.index_of(kReportsFile).has_value();
}

void read_reports(Reporter& report, Draft& draft, std::size_t param, const Node& section) {
  std::string format;
  const ParamDef& def = draft.def->params[param];
  const auto read_format = [&](const Node&, const Node& value) {
    auto read = read_value(report, def, value, "");
    draft.claims[param].broken = !read;
    if (!read) return;
    format = def.text(*read);
    draft.sweep.params.push_back({param, std::move(*read)});
  };
  const auto read_name = [&](const Node& key, const Node& value) {
    set_reports_part(report, draft, kReportsFile, key, read_file_name(report, value));
  };
  const auto read_names = [&](const Node& key, const Node& value) {
    set_reports_part(report, draft, kReportsMap, key, read_reports_map(report, value));
  };
  const std::size_t before = report.count();
  read_fields(report, "reports", section,
              {{"format", read_format}, {"file", read_name}, {"map", read_names}});
  if (report.count() > before) return;
  if (format.empty()) {
    report.error(section.mark, "reports: `format` is missing", "such as `format: csv`");
    return;
  }
  const Node::Entry* map = entry_in(section, "map");
  const bool is_mapped = format == "csv" || format == "ndjson";
  if (map != nullptr && !is_mapped) {
    report.error(map->key->mark,
                 fmt::format("reports: `map` is for csv and ndjson, and the format is {}", format));
  }
  const Node::Entry* file = entry_in(section, "file");
  if (file != nullptr && (format == "samples" || format == "nothing")) {
    report.error(file->key->mark, fmt::format("reports: `{}` is no format of a file", format));
  }
}

}  // namespace sweepd::sweepfile
