// The sources of one table: one sweep, several sweeps or workloads (`from`), and published figures.
#pragma once

#include <string>
#include <vector>

#include "db/query/query.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/report/table/table_caption.h"

namespace sweepd {

struct TableSource {
  std::string name;  // of the sweep, or of the workload if all of its results count
  SweepId sweep;     // "" for a workload
  const WorkloadDef* def = nullptr;
};

class TableSources {
 public:
  // Resolves the names of the query's `sweep` filter, or only its own sweep or workload. An unknown
  // name is kept for a note.
  static Result<TableSources> find(Reader& reader, const Catalog& catalog, const QuerySpec& query,
                                   const WorkloadDef& own);

  const std::vector<TableSource>& all() const { return sources_; }
  // The names that the table may use. The catalog must still exist.
  std::vector<std::string> dimensions() const;
  // The metrics that programs among the sources have declared.
  std::vector<MetricDef> metrics() const;
  // Reads one of report's reads from each source and puts the results into one set. `each` is
  // called with those of every measured source before that.
  using Each = std::function<void(const TableSource&, ResultSet&)>;
  Result<ResultSet> read(Reader& reader, const QuerySpec& read, const Each& each) const;
  // The properties that the measured results of one of these reads share, by source.
  Result<std::vector<CaptionSource>> measured_with(Reader& reader, const QuerySpec& read) const;

 private:
  bool is_wanted(const TableSource& source, const QuerySpec& read) const;
  QuerySpec of_source(const TableSource& source, const QuerySpec& read) const;
  bool is_plain(const QuerySpec& read) const;
  Result<ResultSet> read_source(Reader& reader, const TableSource& source,
                                const QuerySpec& read) const;
  Result<void> add_references(Reader& reader, const QuerySpec& read,
                              std::vector<ResultSet>& sets) const;

  const Catalog* catalog_ = nullptr;  // where the table has `from`
  std::vector<TableSource> sources_;
  std::vector<std::string> missing_;
  bool several_ = false;  // the table has `from`
};

}  // namespace sweepd
