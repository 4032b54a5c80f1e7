// What the attempts behind a query have in common.
#include "runner/model/measured_with.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/base/param_columns.h"
#include "db/query/plan.h"
#include "db/query/selection_sql.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostListedValues =
    3;                            // of more values only the least and the largest are read
constexpr int kBeforeParams = 4;  // of the first statement, before the parameters

constexpr const char* kDeviceJoins =
    "LEFT JOIN attempt_device with_ad ON with_ad.attempt = a.row AND with_ad.rank = 0 "
    "LEFT JOIN device with_d ON with_d.id = with_ad.device ";
constexpr const char* kProgramJoin = "JOIN environment with_e ON with_e.id = a.environment ";

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
    std::string columns;
    for (const std::size_t param : read_) {
      columns += fmt::format(", min({0}), max({0})", column_of(param));
    }
    Query query(state_.connection,
                sql("min(iif(a.outcome = 'done', a.ended_ns, NULL)), max(iif(a.outcome = 'done', "
                    "a.ended_ns, NULL)), min(with_d.name), max(with_d.name)" +
                        columns,
                    kDeviceJoins));
    bind(query);
    MeasuredWith found;
    if (!query.next()) return found;
    if (!query.is_null(0)) found.first = WallTime{query.integer(0)};
    if (!query.is_null(1)) found.last = WallTime{query.integer(1)};
    if (!query.is_null(2) && query.text(2) == query.text(3)) {
      found.devices = {query.text(2)};
    } else if (!query.is_null(2)) {
      found.devices = texts("with_d.name", kDeviceJoins);
    }
    if (found.first) {
      found.programs =
          texts("iif(with_e.version <> '', with_e.version, with_e.build_commit)", kProgramJoin);
    }
    read_params(query, found);
    return found;
  }

 private:
  std::string column_of(std::size_t param) const {
    return "p." + sql_name(plan_.def->params[param].name);
  }

  std::string sql(const std::string& columns, const std::string& joins,
                  const std::string& rest = "") const {
    return fmt::format("SELECT {} {}{}", columns, chosen_attempts(plan_, joins), rest);
  }
  void bind(Query& query) const {
    if (plan_.sweep) query.bind(*plan_.sweep);
  }

  // The texts of what is done, where there are any.
  std::vector<std::string> texts(const std::string& column, const std::string& joins) {
    Query query(state_.connection,
                sql("DISTINCT " + column, joins,
                    fmt::format("AND a.outcome = 'done' AND {} <> '' ORDER BY 1", column)));
    bind(query);
    std::vector<std::string> all;
    while (query.next()) all.push_back(query.text(0));
    return all;
  }

  // Rows and columns show their values, so it is enough to know whether they differ.
  bool is_shown(const std::string& name) const {
    const auto is_in = [&](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    return is_in(table_.rows) || is_in(table_.columns);
  }

  void read_params(const Query& query, MeasuredWith& found) {
    int column = kBeforeParams;
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
    Query query(state_.connection, sql("DISTINCT " + column_of(param), "",
                                       fmt::format("ORDER BY 1 LIMIT {}", kMostListedValues + 1)));
    bind(query);
    std::vector<Value> values;
    while (query.next()) {
      values.push_back(read_value(query, 0, plan_.def->params[param].type));
    }
    if (values.size() > kMostListedValues) return false;
    one.values = std::move(values);
    return true;
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
