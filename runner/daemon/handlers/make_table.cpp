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
// say what the columns are.
void fill_defaults(QuerySpec& query, const WorkloadDef& def) {
  if (!query.table.rows.empty() || !query.table.columns.empty()) return;
  query.table.rows = def.param_names();
  if (query.table.values.empty()) query.table.columns = {"phase"};
  query.only_varying = true;
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
    results.push_back(std::move(*set));
  }
  return pivot(std::move(results), query);
}

}  // namespace sweepd
