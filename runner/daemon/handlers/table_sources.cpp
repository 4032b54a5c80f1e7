#include "runner/daemon/handlers/table_sources.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/model/vocabulary/result_column.h"
#include "runner/report/cell/report.h"
#include "runner/report/table/merge_sets.h"
#include "runner/report/table/reference_set.h"

namespace sweepd {
namespace {

constexpr const char* kSweep = "sweep";
constexpr const char* kSource = "source";

const TableSpec::Filter* filter_by(const TableSpec& table, const std::string& name) {
  const auto found = std::find_if(table.where.begin(), table.where.end(),
                                  [&](const auto& filter) { return filter.name == name; });
  return found == table.where.end() ? nullptr : &*found;
}

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// Whether a filter by this name lets the value pass.
bool admits(const TableSpec& table, const std::string& name, const std::string& value) {
  const TableSpec::Filter* filter = filter_by(table, name);
  return filter == nullptr || contains(filter->values, value);
}

bool has_column(const TableSpec& table, const std::string& name) {
  return contains(table.rows, name) || contains(table.columns, name);
}

std::vector<std::string> columns_of(const TableSpec& table) {
  std::vector<std::string> names = table.rows;
  names.insert(names.end(), table.columns.begin(), table.columns.end());
  return names;
}

bool knows(const WorkloadDef& def, const std::string& name) {
  return name != kSweep && name != kSource &&
         (def.index_of(name) || contains(result_column_names(), name));
}

}  // namespace

Result<TableSources> TableSources::find(Reader& reader, const Catalog& catalog,
                                        const QuerySpec& query, const WorkloadDef& own) {
  TableSources found;
  const TableSpec::Filter* from = query.sweep.empty() ? nullptr : filter_by(query.table, kSweep);
  if (from == nullptr) {
    found.sources_.push_back({own.name, query.sweep, &own});
    return found;
  }
  found.several_ = true;
  found.catalog_ = &catalog;
  const auto itself = reader.find_sweep(query.sweep);
  if (!itself) return itself.error();
  for (const std::string& name : from->values) {
    // In a sweep's file its own name means the sweep itself, even after a later one of that name.
    const bool is_itself = query.declared && name == itself->name;
    const auto sweep = is_itself ? itself : reader.find_sweep(name);
    if (!sweep && sweep.error().code != ErrorCode::kNotFound) return sweep.error();
    const WorkloadDef* def = catalog.find(sweep ? sweep->workload : name);
    if (def == nullptr) {
      found.missing_.push_back(fmt::format("sweep `{}`", name));
    } else {
      found.sources_.push_back({name, sweep ? sweep->id : SweepId(), def});
    }
  }
  return found;
}

std::vector<std::string> TableSources::dimensions() const {
  std::vector<std::string> names;
  const auto add = [&names](const WorkloadDef& def) {
    for (const std::string& name : def.param_names()) {
      if (!contains(names, name)) names.push_back(name);
    }
  };
  for (const TableSource& source : sources_) add(*source.def);
  // A sweep that never ran may be of any workload.
  if (!missing_.empty()) {
    for (const std::string& workload : catalog_->names()) add(*catalog_->find(workload));
  }
  const auto& common = result_column_names();
  names.insert(names.end(), common.begin(), common.end());
  names.emplace_back(kSource);
  return names;
}

std::vector<MetricDef> TableSources::metrics() const {
  std::vector<MetricDef> all;
  for (const TableSource& source : sources_) {
    all.insert(all.end(), source.def->metrics.begin(), source.def->metrics.end());
  }
  return all;
}

bool TableSources::is_plain(const QuerySpec& read) const {
  return !several_ && filter_by(read.table, kSource) == nullptr && !has_column(read.table, kSource);
}

Result<ResultSet> TableSources::read(Reader& reader, const QuerySpec& read,
                                     const Each& each) const {
  if (is_plain(read)) {
    auto set = reader.results(read, needs_samples(read));
    if (set) each(sources_.front(), *set);
    return set;
  }
  std::vector<ResultSet> sets;
  for (const TableSource& source : sources_) {
    if (!is_wanted(source, read)) continue;
    auto set = read_source(reader, source, read);
    if (!set) return set.error();
    each(source, *set);
    if (several_) add_dimension(*set, kSweep, source.name);
    add_dimension(*set, kSource, std::string(kMeasuredSource));
    for (const std::string& name : columns_of(read.table)) add_dimension(*set, name, "");
    sets.push_back(std::move(*set));
  }
  if (auto added = add_references(reader, read, sets); !added) return added.error();
  if (sets.empty()) sets.push_back(reference_set({}, read, {}));
  auto merged = merge_sets(std::move(sets), columns_of(read.table));
  if (merged) merged->unknown.insert(merged->unknown.end(), missing_.begin(), missing_.end());
  return merged;
}

bool TableSources::is_wanted(const TableSource& source, const QuerySpec& read) const {
  return (!several_ || admits(read.table, kSweep, source.name)) &&
         admits(read.table, kSource, std::string(kMeasuredSource));
}

Result<std::vector<CaptionSource>> TableSources::measured_with(Reader& reader,
                                                               const QuerySpec& read) const {
  std::vector<CaptionSource> all;
  for (const TableSource& source : sources_) {
    if (!is_wanted(source, read)) continue;
    auto found = reader.measured_with(is_plain(read) ? read : of_source(source, read));
    if (!found) return found.error();
    all.push_back({source.def, std::move(*found)});
  }
  return all;
}

// Skips names that only other sources have: a filter by them does not apply to this one.
QuerySpec TableSources::of_source(const TableSource& source, const QuerySpec& read) const {
  QuerySpec own = read;
  own.sweep = source.sweep;
  own.workload = source.sweep.empty() ? source.def->name : "";
  const auto foreign = [&](const auto& each) {
    if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::string>) {
      return !knows(*source.def, each);
    } else {
      return !knows(*source.def, each.name);
    }
  };
  std::erase_if(own.table.rows, foreign);
  std::erase_if(own.table.columns, foreign);
  std::erase_if(own.table.where, foreign);
  return own;
}

Result<ResultSet> TableSources::read_source(Reader& reader, const TableSource& source,
                                            const QuerySpec& read) const {
  QuerySpec own = of_source(source, read);
  // Keeps the reader from pooling attempts, since two sweeps may share them.
  own.table.cell += "{sem}";
  return reader.results(own, needs_samples(read));
}

Result<void> TableSources::add_references(Reader& reader, const QuerySpec& read,
                                          std::vector<ResultSet>& sets) const {
  if (filter_by(read.table, kSource) == nullptr && !has_column(read.table, kSource)) return {};
  const std::string metric = read.table.metric.empty() ? "time" : read.table.metric;
  std::vector<std::string> done;
  for (const TableSource& source : sources_) {
    if (contains(done, source.def->name)) continue;
    done.push_back(source.def->name);
    const auto rows = reader.reference_rows(source.def->name, metric);
    if (!rows) return rows.error();
    SweepValues values;
    if (!source.sweep.empty()) {
      const auto trials = reader.trials_of(source.sweep, *source.def);
      if (!trials) return trials.error();
      for (const SweepTrial& trial : *trials) {
        for (std::size_t p = 0; p < source.def->params.size(); ++p) {
          const ParamDef& param = source.def->params[p];
          values[param.name].insert(param.text(trial.trial.values[p]));
        }
      }
    }
    ResultSet set = reference_set(*rows, read, values);
    if (!set.rows.empty()) sets.push_back(std::move(set));
  }
  return {};
}

}  // namespace sweepd
