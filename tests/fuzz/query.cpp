#include <string>
#include <vector>

#include "runner/base/text.h"
#include "runner/report/cell/divided_metric.h"
#include "runner/report/cell/report.h"
#include "runner/report/render/option_text.h"
#include "runner/wire/json_text.h"
#include "runner/wire/message.h"
#include "runner/wire/query_json.h"
#include "tests/fuzz/target.h"
#include "tests/report/results_builder.h"

namespace sweepd::fuzz {
namespace {

// Some results with each thing that a table may meet.
const ResultSet& results() {
  static const ResultSet made = [] {
    ResultsBuilder builder;
    builder.text("model", {"small", "large"}).numbers("context", {"128", "256"});
    builder.samples({"small", "128"}, {1.5, 2.5, 2});
    builder.samples({"small", "256"}, {4}).verdict = Verdict::kInvalid;
    builder.summary({"large", "128"}, 3, 7, 0.5);
    builder.ended({"large", "256"}, Outcome::kOom);
    builder.pending({"large", "128"});
    return builder.get();
  }();
  return made;
}

void require_shape(const Table& table) {
  for (const auto& row : table.rows) {
    require(row.size() == table.columns.size(), "a row is as long as the table is wide");
  }
  require(table.warnings <= table.notes.size(), "warnings are among the notes");
  for (const Format format : {Format::kMarkdown, Format::kCsv, Format::kJson, Format::kText,
                              Format::kLatex, Format::kHtml}) {
    render(table, format, 80);
  }
  Table again;
  require(from_message(to_message(table), again).ok(), "a table can be read by a client");
  require(to_message(again) == to_message(table), "and is the same");
}

template <class T>
void require_answer(const Result<T>& result) {
  require(result.ok() || !result.error().message.empty(), "a mistake has a message");
}

void as_json(std::string_view text) {
  const nlohmann::json object = parse_json(text);
  if (!object.is_object()) return;
  const auto query = query_from_json(object);
  if (!query) return require(!query.error().message.empty(), "a mistake has a message");
  const nlohmann::json written = to_json(*query);
  const auto again = query_from_json(written);
  require(again.ok() && to_json(*again) == written, "a query is read as it was written");
  const auto checked = validate(query->table, {"model", "context"});
  const TableReads reads = plan_reads(*query);
  require(!reads.uses.empty(), "a table shows something");
  const auto table = pivot(results(), *query);
  if (!table) return require(!table.error().message.empty(), "a mistake has a message");
  if (checked) require_shape(*table);
}

void as_options(std::string_view text) {
  for (const std::string& line : split(text, '\n')) {
    require_answer(parse_cell(line));
    require_answer(parse_metric(line));
    require_answer(filter_from_text("--where", line));
    require_answer(baseline_from_text(line));
    const auto fields = split_option("--value", line, {"name", "cell", "metric", "unit"});
    if (!fields) continue;
    std::string whole;
    for (const auto& [key, value] : *fields) {
      whole += (whole.empty() ? "" : ",") + key + "=" + value;
    }
    require(whole == line, "an option is its fields");
  }
}

}  // namespace

void query(std::string_view bytes) {
  if (bytes.starts_with('{')) return as_json(bytes);
  as_options(bytes);
}

}  // namespace sweepd::fuzz
