#include "runner/sweepfile/reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/sweepfile/reference/reference_mapping.h"
#include "runner/sweepfile/yaml/csv.h"
#include "runner/sweepfile/yaml/load.h"

namespace sweepd {
namespace sweepfile {
namespace {

constexpr double kNotStated = std::numeric_limits<double>::quiet_NaN();

bool matches(const std::vector<std::string>& patterns, const std::string& value) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    if (!pattern.ends_with('*')) return pattern == value;
    return value.starts_with(pattern.substr(0, pattern.size() - 1));
  });
}

class RowReader {
 public:
  RowReader(const ReferenceMapping& mapping, const std::vector<std::string>& columns,
            const Catalog& catalog)
      : mapping_(mapping), columns_(columns), catalog_(catalog) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool renamed = std::any_of(mapping.columns.begin(), mapping.columns.end(),
                                       [&](const auto& each) { return each.second == columns[i]; });
      if (!renamed) fields_[columns[i]] = i;
    }
    for (const auto& [field, column] : mapping.columns) fields_[field] = index_of(column);
  }

  // Returns what is wrong with the row, or "".
  std::string read(const CsvRow& csv, ReferenceRow& row) const {
    if (csv.cells.size() != columns_.size()) {
      return fmt::format("{} values in a row; the first row has {} columns", csv.cells.size(),
                         columns_.size());
    }
    std::map<std::string, std::string> texts;
    for (const auto& [field, i] : fields_) {
      if (!csv.cells[i].empty()) texts[field] = csv.cells[i];
    }
    double divide = 1;
    for (const ReferenceRule& rule : mapping_.rules) {
      const bool applies = std::all_of(rule.when.begin(), rule.when.end(), [&](const auto& each) {
        return matches(each.second, csv.cells[index_of(each.first)]);
      });
      if (!applies) continue;
      const auto set = [&texts](const std::string& field, const std::string& text) {
        if (text.empty()) {
          texts.erase(field);
        } else {
          texts[field] = text;
        }
      };
      for (const auto& [field, text] : rule.set) set(field, text);
      for (const auto& [field, column] : rule.copy) set(field, csv.cells[index_of(column)]);
      divide *= rule.divide;
      if (!rule.doubt.empty()) row.doubts.push_back(rule.doubt);
      if (!rule.remark.empty()) row.remarks.push_back(rule.remark);
      row.invalid |= rule.invalid;
    }
    row.line = csv.line;
    return fill(texts, divide, row);
  }

 private:
  std::size_t index_of(const std::string& column) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), column) -
                                    columns_.begin());
  }

  std::string fill(std::map<std::string, std::string>& texts, double divide,
                   ReferenceRow& row) const {
    const std::pair<const char*, std::string*> members[]{
        {"source", &row.source},     {"experiment", &row.experiment}, {"device_name", &row.device},
        {"workload", &row.workload}, {"phase", &row.phase},           {"metric", &row.metric},
        {"unit", &row.unit},         {"outcome", &row.outcome}};
    for (const auto& [name, member] : members) {
      if (const auto found = texts.find(name); found != texts.end()) *member = found->second;
    }
    if (row.source.empty()) return "`source` is empty: expected who published the figure";
    if (row.source == kMeasuredSource) return "source: `measured` is the name of measured results";
    if (row.metric.empty()) return "`metric` is empty";
    if (!outcome_from(row.outcome)) {
      return fmt::format("outcome: `{}` is not one of {}", row.outcome,
                         join(outcome_words(), ", "));
    }
    if (row.phase == "*") {
      if (row.outcome == "done") return "phase: `*` is of a point without a figure";
      row.phase.clear();
    }
    for (auto [name, member] : {std::pair("value", &row.value), std::pair("std", &row.std)}) {
      const auto found = texts.find(name);
      *member = kNotStated;
      if (found == texts.end()) continue;
      const auto number = parse_real(found->second);
      if (!number) return fmt::format("{}: {}", name, number.error().message);
      *member = *number / divide;
    }
    if (row.outcome == "done" && std::isnan(row.value)) return "`value` is empty";
    if (const auto n = texts.find("n"); n != texts.end()) {
      const auto number = parse_integer(n->second);
      if (!number || *number < 1) return fmt::format("n: `{}` is not a number of steps", n->second);
      row.n = *number;
    }
    for (const std::string& field : reference_fields()) texts.erase(field);
    return row.workload.empty() ? "" : set_params(texts, row);
  }

  // Columns that are no parameter of the workload say something that it does not have.
  std::string set_params(const std::map<std::string, std::string>& texts, ReferenceRow& row) const {
    const WorkloadDef* def = catalog_.find(row.workload);
    if (def == nullptr) {
      return fmt::format("workload: `{}` is not one of {}{}", row.workload,
                         join(catalog_.names(), ", "),
                         did_you_mean(row.workload, catalog_.names()));
    }
    for (const auto& [name, text] : texts) {
      if (std::ranges::find(kReferenceDimensions, name) != std::end(kReferenceDimensions)) {
        row.params.emplace_back(name, text);
        continue;
      }
      const ParamDef* param = def->find(name);
      if (param == nullptr) continue;
      const auto value = param->parse(text);
      if (!value) return value.error().message;
      row.params.emplace_back(name, param->text(*value));
    }
    return "";
  }

  const ReferenceMapping& mapping_;
  const std::vector<std::string>& columns_;
  const Catalog& catalog_;
  std::map<std::string, std::size_t> fields_;  // field or parameter -> index of its column
};

Diagnostic at_row(std::string_view file, int line, std::string message) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.line = line;
  diagnostic.column = 1;
  diagnostic.message = std::move(message);
  return diagnostic;
}

}  // namespace
}  // namespace sweepfile

ParsedReference parse_reference(const ReferenceFiles& files, const Catalog& catalog) {
  ParsedReference parsed;
  const auto fail = [&](int line, std::string message) {
    if (parsed.errors.size() >= sweepfile::kMaxDiagnostics) return;
    parsed.errors.push_back(sweepfile::at_row(files.rows_file, line, std::move(message)));
  };
  const sweepfile::CsvText csv = sweepfile::parse_csv(files.rows);
  if (csv.fault_line > 0) fail(csv.fault_line, "a quote is not closed, or text follows it");
  if (csv.rows.size() < 2)
    fail(1, "expected a row with the names of the columns, and rows of figures");
  if (!parsed.errors.empty()) return parsed;
  const std::vector<std::string>& columns = csv.rows.front().cells;

  const sweepfile::SourceText source(files.mapping);
  sweepfile::Reporter report(source, files.mapping_file);
  const auto documents = sweepfile::load_documents(source, report);
  sweepfile::ReferenceMapping mapping;
  if (!documents.empty())
    mapping = sweepfile::read_mapping(report, *documents.front().root, columns);
  parsed.errors = report.take();
  if (!parsed.errors.empty()) return parsed;

  parsed.reference.name = mapping.name;
  parsed.reference.description = mapping.description;
  const sweepfile::RowReader reader(mapping, columns, catalog);
  for (std::size_t i = 1; i < csv.rows.size(); ++i) {
    ReferenceRow row;
    std::string mistake = reader.read(csv.rows[i], row);
    if (mistake.empty()) {
      parsed.reference.rows.push_back(std::move(row));
    } else {
      fail(csv.rows[i].line, std::move(mistake));
    }
  }
  if (!parsed.errors.empty()) parsed.reference = {};
  return parsed;
}

}  // namespace sweepd
