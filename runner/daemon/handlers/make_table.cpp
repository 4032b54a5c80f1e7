#include "runner/daemon/handlers/make_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "runner/base/ids.h"
#include "runner/base/text.h"
#include "runner/daemon/handlers/note_drift.h"
#include "runner/daemon/handlers/table_sources.h"
#include "runner/model/sweep/reference.h"
#include "runner/report/cell/report.h"
#include "runner/report/table/table_caption.h"

namespace sweepd {
namespace {

// Fills in rows and columns if there are none: one row per trial by all varying parameters, and one
// column per phase unless values define the columns. A program's own metrics stand beside the time.
// Scheduling parameters do not describe a result.
void fill_defaults(QuerySpec& query, const WorkloadDef& def) {
  if (!query.table.rows.empty() || !query.table.columns.empty()) return;
  for (const ParamDef& param : def.params) {
    if (param.role == ParamRole::kScheduling) continue;
    query.table.rows.push_back(param.name);
  }
  const TableSpec& table = query.table;
  if (!def.metrics.empty() && table.values.empty() && table.metric.empty() && table.cell.empty()) {
    const auto add = [&query](const std::string& metric) {
      TableSpec::Value& value = query.table.values.emplace_back();
      value.name = value.metric = metric;
    };
    add("time");
    for (const MetricDef& metric : def.metrics) add(metric.name);
    if (!def.phases.empty()) query.table.columns = {"phase"};
  }
  if (query.table.values.empty()) query.table.columns = {"phase"};
  query.only_varying = true;
}

// Whether a fact is derived from times. Types, counts, sums and errors do not depend on the
// machine's load.
bool is_timed(std::string_view fact) {
  for (const std::string_view end : {"_ns", "_us", "_ms", "_s", "_gbps", "_share"}) {
    if (fact.ends_with(end)) return true;
  }
  return fact.starts_with("fit.");
}

// Whether a metric depends on the machine's speed. For a pass the attempts decide.
bool may_drift(const std::string& metric) {
  if (metric.starts_with("figure") || metric == "fact") return false;
  return !metric.starts_with("fact.") || is_timed(metric);
}

// Returns the fact that a row shows; "" if a cell has several.
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

// Removes the verdict's mark from rows that were not timed, because a verdict is about a timing.
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

bool is_time(const std::string& metric) {
  return metric.empty() || metric == "time";
}

bool asks_for(const TableSpec& table, const std::string& name) {
  return std::find(table.rows.begin(), table.rows.end(), name) != table.rows.end() ||
         std::find(table.columns.begin(), table.columns.end(), name) != table.columns.end();
}

// Whether it shows parts of a step without naming a rank.
bool shows_phases(const QuerySpec& read) {
  if (!is_time(read.table.metric)) return false;
  bool phases = asks_for(read.table, "phase"), ranks = asks_for(read.table, "rank");
  for (const TableSpec::Filter& filter : read.table.where) {
    if (filter.name == "phase") phases = filter.values != std::vector<std::string>{"step"};
    ranks |= filter.name == "rank";
  }
  return phases && !ranks;
}

// Notes that times of several ranks are not those of one rank, or not those of ranks that work
// together.
Result<void> note_ranks(Reader& reader, const WorkloadDef& def, const QuerySpec& query,
                        const std::vector<QuerySpec>& reads, Table& table) {
  const bool timed = std::any_of(reads.begin(), reads.end(), [](const QuerySpec& read) {
    const auto of_another = [&](const char* name) { return asks_for(read.table, name); };
    return is_time(read.table.metric) && !of_another("fact") && !of_another("figure") &&
           !of_another("kernel") && !of_another("operator");
  });
  if (!timed || table.rows.empty()) return {};
  const auto ranks = reader.ranks_seen(query);
  if (!ranks) return ranks.error();
  if (!ranks->several) return {};
  if (std::any_of(reads.begin(), reads.end(), shows_phases)) {
    ++table.warnings;
    table.notes.emplace_back(
        "several ranks: each phase shows the rank that was slowest in it, so phases may add up to "
        "more than the step; `rank: slowest` in `where` shows the rank that ended the step last");
  }
  if (ranks->apart) {
    ++table.warnings;
    table.notes.push_back(fmt::format(
        "several ranks: the ranks of `{}` do not work together, each runs the whole step by "
        "itself{}",
        def.name, def.name == "lm_step" ? "; `ddp` trains one model with all of them" : ""));
  }
  return {};
}

std::string measured_later(std::int64_t points, bool newest) {
  const std::string what =
      points == 1 ? "1 point of this sweep was measured again later"
                  : fmt::format("{} points of this sweep were measured again later", points);
  return newest ? fmt::format("{}; the newest results are shown", what)
                : fmt::format("{}; `--newest` shows the newest results", what);
}

// Notes a mix of results from before and after a change of code or machine, and newer results.
Result<void> note_ran_in_sweep(Reader& reader, const WorkloadDef& def, const QuerySpec& query,
                               Table& table) {
  if (query.sweep.empty() || table.rows.empty()) return {};
  const auto ran = reader.ran_in_sweep(query.sweep, def);
  if (!ran) return ran.error();
  const auto note = [&table](std::string text) {
    table.notes.push_back(std::move(text));
    ++table.warnings;
  };
  if (ran->codes > 1) {
    note(fmt::format(
        "results of {} versions of the code of `{}`; submit the sweep again to measure all by one",
        ran->codes, def.name));
  }
  if (ran->machines > 1) {
    note(
        fmt::format("results of one host from before and after it changed: {} values of "
                    "`machine`; submit the sweep again to measure all on one",
                    ran->machines));
  }
  if (ran->older_programs > 0) {
    note(fmt::format(
        "{} of this sweep {} measured before {} changed, as `--reuse any` accepts; "
        "submit the sweep again to re-measure with the current program",
        ran->older_programs == 1 ? "1 trial" : fmt::format("{} trials", ran->older_programs),
        ran->older_programs == 1 ? "was" : "were", join(ran->changed, ", ")));
  }
  if (ran->not_measured_again > 0) {
    note(fmt::format(
        "{} to measure a result again failed, so the figures of before count; why: `sweepctl show "
        "{}`",
        ran->not_measured_again == 1 ? "1 attempt"
                                     : fmt::format("{} attempts", ran->not_measured_again),
        short_id(query.sweep)));
  }
  if (ran->measured_later > 0) note(measured_later(ran->measured_later, query.newest));
  return {};
}

}  // namespace

Result<const WorkloadDef*> workload_of(Reader& reader, const Catalog& catalog, QuerySpec& query) {
  std::string workload = query.workload;
  if (!query.sweep.empty()) {
    const auto sweep = reader.find_sweep(query.sweep);
    if (!sweep) return sweep.error();
    query.sweep = sweep->id;
    workload = sweep->workload;
  }
  const WorkloadDef* def = catalog.find(workload);
  if (def == nullptr && !workload.empty() && query.sweep.empty() && reader.find_sweep(workload)) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("no workload `{0}`; a sweep is named with --sweep {0}", workload)};
  }
  if (def == nullptr) {
    return Error{ErrorCode::kNotFound,
                 workload.empty()
                     ? "name a sweep or a workload"
                     : "no workload `" + workload + "`" + did_you_mean(workload, catalog.names())};
  }
  return def;
}

namespace {

// Adds the notes on the table's sources, each once. Its warnings come before those of single cells,
// so that a short list has them.
Result<void> note_source(Reader& reader, const TableSource& source, const QuerySpec& query,
                         const std::vector<QuerySpec>& reads, Table& table) {
  QuerySpec own = query;
  own.sweep = source.sweep;
  own.workload = source.sweep.empty() ? source.def->name : "";
  Table noted;
  noted.rows = table.rows;
  if (auto ok = note_ranks(reader, *source.def, own, reads, noted); !ok) return ok;
  if (auto ok = note_ran_in_sweep(reader, *source.def, own, noted); !ok) return ok;
  const std::size_t plain = noted.notes.size() - noted.warnings;
  const std::size_t of_cells = table.warnings;
  for (std::size_t i = 0; i < noted.notes.size(); ++i) {
    std::string& note = noted.notes[i];
    if (std::find(table.notes.begin(), table.notes.end(), note) != table.notes.end()) continue;
    if (i < plain) {
      table.notes.insert(table.notes.end() - static_cast<std::ptrdiff_t>(table.warnings), note);
    } else {
      table.notes.insert(table.notes.end() - static_cast<std::ptrdiff_t>(of_cells),
                         std::move(note));
      ++table.warnings;
    }
  }
  return {};
}

}  // namespace

namespace {

// The properties that the shown figures share, without their baselines. A table of very many
// attempts, which take too long to read again, has no caption.
Result<void> add_caption(Reader& reader, const TableSources& sources, const QuerySpec& query,
                         const TableReads& plan, Table& table) {
  std::set<std::size_t> shown;
  for (const TableReads::Use& use : plan.uses) shown.insert(use.results);
  std::vector<CaptionSource> all;
  for (const std::size_t read : shown) {
    auto found = sources.measured_with(reader, plan.reads[read]);
    if (!found && found.error().code == ErrorCode::kResourceExhausted) return {};
    if (!found) return found.error();
    for (CaptionSource& source : *found) all.push_back(std::move(source));
  }
  set_caption(table, all, query);
  return {};
}

// Figures of formulas beside published ones are not measured.
void name_formulas(const QuerySpec& query, std::vector<ResultSet>& results) {
  const bool compares = std::ranges::any_of(
      query.table.baseline, [](const auto& filter) { return filter.name == "source"; });
  if (compares || !shows_formulas(query.table)) return;
  for (ResultSet& set : results) {
    for (Dimension& dimension : set.dimensions) {
      if (dimension.name != "source") continue;
      std::ranges::replace(dimension.values, std::string(kMeasuredSource),
                           std::string("by formula"));
    }
  }
}

}  // namespace

Result<Table> make_table(Reader& reader, const Catalog& catalog, QuerySpec query) {
  const auto def = workload_of(reader, catalog, query);
  if (!def) return def.error();
  fill_defaults(query, **def);
  const auto sources = TableSources::find(reader, catalog, query, **def);
  if (!sources) return sources.error();
  if (const auto valid = validate(query.table, sources->dimensions(), sources->metrics()); !valid) {
    return valid.error();
  }
  DriftNotes drift;
  if (!query.sweep.empty()) {
    auto read = DriftNotes::read(reader);
    if (!read) return read.error();
    drift = std::move(*read);
  }
  std::vector<ResultSet> results;
  const TableReads plan = plan_reads(query);
  const std::vector<QuerySpec>& reads = plan.reads;
  for (const QuerySpec& read : reads) {
    const auto each = [&](const TableSource& source, ResultSet& set) {
      unmark_untimed(set, read.table.metric);
      if (may_drift(read.table.metric)) drift.add("the table's attempts", source.sweep, set);
    };
    auto set = sources->read(reader, read, each);
    if (!set) return set.error();
    results.push_back(std::move(*set));
  }
  name_formulas(query, results);
  Table captioned;
  if (auto added = add_caption(reader, *sources, query, plan, captioned); !added) {
    return added.error();
  }
  for (const auto& constant : captioned.constants) query.said.push_back(constant.name);
  auto table = pivot(std::move(results), query);
  if (!table) return table;
  if (!table->rows.empty()) {
    table->caption = std::move(captioned.caption);
    table->constants = std::move(captioned.constants);
  }
  for (const TableSource& source : sources->all()) {
    if (auto noted = note_source(reader, source, query, reads, *table); !noted)
      return noted.error();
  }
  if (const auto noted = drift.write(reader, *table); !noted) return noted.error();
  return table;
}

}  // namespace sweepd
