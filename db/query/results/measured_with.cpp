// Reads the properties that the attempts behind a query share.
#include "runner/model/measurement/measured_with.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "db/base/param_columns.h"
#include "db/query/planning/plan.h"
#include "db/query/planning/selection_sql.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// Returns only the smallest and the largest of more values.
constexpr std::size_t kMostListedValues = 3;

class MeasuredWithReader {
 public:
  MeasuredWithReader(ReaderState& state, const QueryPlan& plan, const TableSpec& table)
      : state_(state), plan_(plan), table_(table) {}

  MeasuredWith read() {
    for (const std::size_t param : stored_params(*plan_.def)) {
      const ParamDef& def = plan_.def->params[param];
      const bool named = std::ranges::any_of(
          table_.where, [&](const TableSpec::Filter& filter) { return filter.name == def.name; });
      if (!def.computed && (named || def.in_caption != InCaption::kNever)) read_.push_back(param);
    }
    MeasuredWith found;
    read_attempts(found);
    read_params(found);
    return found;
  }

 private:
  // One look at the attempts: there are few devices and environments. GROUP BY would sort them all.
  void read_attempts(MeasuredWith& found) {
    Query query(state_.connection,
                fmt::format("SELECT with_ad.device, a.environment, a.ended_ns {}AND a.outcome = "
                            "'done'",
                            chosen_attempts(plan_,
                                            "LEFT JOIN attempt_device with_ad ON with_ad.attempt "
                                            "= a.row AND with_ad.rank = 0 ")));
    if (plan_.sweep) query.bind(*plan_.sweep);
    std::set<std::int64_t> devices, environments;
    while (query.next()) {
      if (!query.is_null(0)) devices.insert(query.integer(0));
      if (!query.is_null(1)) environments.insert(query.integer(1));
      const std::int64_t ended = query.integer(2);
      found.first = WallTime{found.first ? std::min(found.first->ns, ended) : ended};
      found.last = WallTime{found.last ? std::max(found.last->ns, ended) : ended};
    }
    found.devices = texts_of("SELECT name FROM device WHERE id = ?", devices);
    found.programs =
        texts_of("SELECT iif(version <> '', version, build_commit) FROM environment WHERE id = ?",
                 environments);
  }

  std::vector<std::string> texts_of(const char* sql, const std::set<std::int64_t>& ids) {
    std::set<std::string> texts;
    for (const std::int64_t id : ids) {
      Query query(state_.connection, sql);
      query.bind(id);
      if (query.next() && !query.text(0).empty()) texts.insert(query.text(0));
    }
    return {texts.begin(), texts.end()};
  }

  // Rows and columns show their values, so it is enough to know whether they differ.
  bool is_shown(const std::string& name) const {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return is_in(table_.rows) || is_in(table_.columns);
  }

  // A parameter belongs to the trial, so the attempts need no second look.
  void read_params(MeasuredWith& found) {
    if (read_.empty()) return;
    std::string columns;
    for (const std::size_t param : read_) {
      columns +=
          fmt::format("{0}min({1}), max({1})", columns.empty() ? "" : ", ", column_of(param));
    }
    Query query(state_.connection,
                fmt::format("SELECT {} {}", columns, trials_with_attempts(plan_)));
    if (!query.next()) return;
    int column = 0;
    for (const std::size_t param : read_) {
      const ParamDef& def = plan_.def->params[param];
      const bool known = !query.is_null(column);
      MeasuredWith::Param& one = found.params.emplace_back();
      one.index = param;
      if (known) {
        one.values = {read_value(query, column, def.type), read_value(query, column + 1, def.type)};
      }
      column += 2;
      if (!known || one.values.front() == one.values.back()) {
        one.values.resize(known ? 1 : 0);
        continue;
      }
      one.several = is_shown(def.name) || !list_values(param, one);
    }
  }

  bool list_values(std::size_t param, MeasuredWith::Param& one) {
    Query query(state_.connection, fmt::format("SELECT DISTINCT {} {} LIMIT {}", column_of(param),
                                               trials_with_attempts(plan_), kMostListedValues + 1));
    std::vector<Value> values;
    while (query.next()) {
      values.push_back(read_value(query, 0, plan_.def->params[param].type));
    }
    if (values.size() > kMostListedValues) return false;
    std::ranges::sort(values);
    one.values = std::move(values);
    return true;
  }

  std::string column_of(std::size_t param) const {
    return "p." + sql_name(plan_.def->params[param].name);
  }

  ReaderState& state_;
  const QueryPlan& plan_;
  const TableSpec& table_;
  std::vector<std::size_t> read_;  // indices of parameters
};

}  // namespace

Result<MeasuredWith> Reader::measured_with(const QuerySpec& query) {
  return state_->ask("reading what results have in common", [&]() -> Result<MeasuredWith> {
    const auto plan = plan_results(*state_, query);
    if (!plan) return plan.error();
    return MeasuredWithReader(*state_, *plan, query.table).read();
  });
}

}  // namespace sweepd
