#include "runner/daemon/handlers/make_table.h"

#include "runner/base/text.h"
#include "runner/report/report.h"

namespace sweepd {
namespace {

Result<const WorkloadDef*> workload_of(Reader& reader, const Catalog& catalog, QuerySpec& query) {
  if (!query.sweep.empty()) {
    const auto sweep = reader.find_sweep(query.sweep);
    if (!sweep) return sweep.error();
    query.sweep = sweep->id;
    query.workload = sweep->workload;
  }
  const WorkloadDef* def = catalog.find(query.workload);
  if (def == nullptr) {
    return Error{ErrorCode::kNotFound, query.workload.empty()
                                           ? "name a sweep or a workload"
                                           : "no workload `" + query.workload + "`" +
                                                 did_you_mean(query.workload, catalog.names())};
  }
  return def;
}

// Without rows and columns: one row a trial by whatever varies, one column a phase, unless values
// say what the columns are. How a trial was scheduled says nothing of its result.
void fill_defaults(QuerySpec& query, const WorkloadDef& def) {
  if (!query.table.rows.empty() || !query.table.columns.empty()) return;
  for (const ParamDef& param : def.params) {
    if (param.role == ParamRole::kIdentity) query.table.rows.push_back(param.name);
  }
  if (query.table.values.empty()) query.table.columns = {"phase"};
  query.only_varying = true;
}

// Does a fact follow from times? Types, counts, sums and errors are what they are however busy the
// machine was.
bool is_timed(std::string_view fact) {
  for (const std::string_view end : {"_ns", "_us", "_ms", "_s", "_gbps", "_share"}) {
    if (fact.ends_with(end)) return true;
  }
  return fact.starts_with("fit.");
}

// The fact that a row is of; "" where a cell holds several.
std::string fact_of(const ResultSet& set, const ResultRow& row, const std::string& metric) {
  if (metric != "fact") return metric.substr(std::string_view("fact.").size());
  for (std::size_t d = 0; d < set.dimensions.size() && d < row.at.size(); ++d) {
    const Dimension& dimension = set.dimensions[d];
    if (dimension.name == "fact" && row.at[d] < dimension.values.size()) {
      return dimension.values[row.at[d]];
    }
  }
  return "";
}

// A verdict is about a timing. What was not timed keeps no mark of it.
void unmark_untimed(ResultSet& set, const std::string& metric) {
  const bool figure = metric == "figure" || metric.starts_with("figure.");
  const bool fact = metric == "fact" || metric.starts_with("fact.");
  if (!figure && !fact) return;
  for (ResultRow& row : set.rows) {
    if (row.verdict == Verdict::kValid) continue;  // its note says why it is not done
    if (fact && is_timed(fact_of(set, row, metric))) continue;
    row.verdict = Verdict::kValid;
    row.note.clear();
  }
}

}  // namespace

Result<Table> make_table(Reader& reader, const Catalog& catalog, QuerySpec query) {
  const auto def = workload_of(reader, catalog, query);
  if (!def) return def.error();
  fill_defaults(query, **def);
  std::vector<std::string> dimensions = (*def)->param_names();
  const auto& common = common_dimensions();
  dimensions.insert(dimensions.end(), common.begin(), common.end());
  if (const auto valid = validate(query.table, dimensions); !valid) return valid.error();
  std::vector<ResultSet> results;
  for (const QuerySpec& read : plan_reads(query).reads) {
    auto set = reader.results(read, needs_samples(read));
    if (!set) return set.error();
    unmark_untimed(*set, read.table.metric);
    results.push_back(std::move(*set));
  }
  return pivot(std::move(results), query);
}

}  // namespace sweepd
