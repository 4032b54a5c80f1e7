#include "db/query/planning/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "db/query/planning/own_results.h"
#include "runner/base/text.h"
#include "runner/model/vocabulary/result_column.h"

namespace sweepd {
namespace {

constexpr std::size_t kShortestPrefix = 4;

constexpr std::array kIdentities{ResultColumn::kCode, ResultColumn::kMachine, ResultColumn::kBuild,
                                 ResultColumn::kTorch, ResultColumn::kDriver};

std::string_view column_of(ResultColumn identity) {
  switch (identity) {
    case ResultColumn::kCode:
      return "code";
    case ResultColumn::kMachine:
      return "machine";
    case ResultColumn::kBuild:
      return "build_commit";
    default:
      return "torch_version";
  }
}

std::vector<std::string> stored_values(ReaderState& state, ResultColumn column) {
  Query query(state.connection,
              column == ResultColumn::kDriver
                  ? "SELECT DISTINCT driver FROM attempt_device WHERE driver <> '' ORDER BY 1"
                  : fmt::format("SELECT DISTINCT {0} FROM environment WHERE {0} <> '' ORDER BY 1",
                                column_of(column)));
  std::vector<std::string> values;
  while (query.next()) values.push_back(query.text(0));
  return values;
}

// Whether attempt `n` is done and newer than `a`.
constexpr const char* kIsNewer = "n.outcome = 'done' AND (n.ended_ns, n.row) > (a.ended_ns, a.row)";

// The values that are equal to the text, else those that it abbreviates.
template <class Abbreviates>
std::vector<std::string> meant_by(const std::string& text, const std::vector<std::string>& stored,
                                  Abbreviates abbreviates) {
  std::vector<std::string> found;
  for (const std::string& value : stored) {
    if (value == text) return {value};
    if (text.size() >= kShortestPrefix && abbreviates(value)) found.push_back(value);
  }
  return found;
}

// Whether the text is in `code` at the beginning of a word or after its colon.
bool begins_part_of(const std::string& code, const std::string& text) {
  for (std::size_t at = code.find(text); at != std::string::npos; at = code.find(text, at + 1)) {
    if (at == 0 || code[at - 1] == ' ' || code[at - 1] == ':') return true;
  }
  return false;
}

// Elsewhere the device is a property of a host's newest result, as its verdict is.
bool chooses_device(const QueryPlan& plan) {
  const PlannedFilter* filter = plan.filter(ResultColumn::kDeviceName);
  return filter != nullptr && filter->values.size() == 1;
}

}  // namespace

bool is_identity(ResultColumn column) {
  return std::find(kIdentities.begin(), kIdentities.end(), column) != kIdentities.end();
}

std::vector<ResultColumn> identities_in(const QueryPlan& plan) {
  std::vector<ResultColumn> named;
  if (chooses_device(plan)) named.push_back(ResultColumn::kDeviceName);
  for (const ResultColumn column : kIdentities) {
    if (plan.filter(column) != nullptr || plan.has_dimension(column)) named.push_back(column);
  }
  return named;
}

std::string identity_expression(ResultColumn column, std::string_view attempt,
                                std::string_view environment) {
  if (column == ResultColumn::kDeviceName) {
    return fmt::format(
        "coalesce((SELECT y.name FROM attempt_device x JOIN device y ON y.id = x.device WHERE "
        "x.attempt = {}.row AND x.rank = 0), '')",
        attempt);
  }
  if (column != ResultColumn::kDriver) {
    return fmt::format("coalesce({}.{}, '')", environment, column_of(column));
  }
  return fmt::format(
      "coalesce((SELECT x.driver FROM attempt_device x WHERE x.attempt = {}.row AND x.rank = 0), "
      "'')",
      attempt);
}

bool asks_for_others(const QueryPlan& plan) {
  return std::ranges::any_of(plan.filters, [&plan](const PlannedFilter& filter) {
    const auto* column = std::get_if<ResultColumn>(&filter.column);
    return column != nullptr && (*column == ResultColumn::kHost || is_identity(*column) ||
                                 (*column == ResultColumn::kDeviceName && chooses_device(plan)));
  });
}

std::string counts_among(const std::vector<ResultColumn>& identities, std::string_view sweep) {
  if (identities.empty() && sweep.empty()) return "a.is_current = 1";
  std::string same;
  for (const ResultColumn column : identities) {
    same += fmt::format(" AND {} = {}", identity_expression(column, "n", "m"),
                        identity_expression(column, "a", "e"));
  }
  // Only the current one of those that are not done can count.
  const std::string others = fmt::format(
      "{} AND NOT EXISTS (SELECT 1 FROM attempt n LEFT JOIN environment m ON m.id = n.environment "
      "WHERE n.trial = a.trial AND n.pass = a.pass AND n.repeat = a.repeat AND n.host = a.host AND "
      "{}{})",
      sweep.empty() ? "a.outcome = 'done'" : "(a.outcome = 'done' OR a.is_current = 1)",
      sweep.empty() ? std::string(kIsNewer)
                    : fmt::format("({} OR ({}))", counts_for_sweep("n", sweep), kIsNewer),
      same);
  return fmt::format("({} OR ({}))",
                     sweep.empty() ? "a.is_current = 1" : counts_for_sweep("a", sweep), others);
}

Result<void> check_identities(const QueryPlan& plan) {
  for (const ResultColumn column : identities_in(plan)) {
    const PlannedFilter* filter = plan.filter(column);
    if (filter == nullptr || filter->values.size() < 2 || plan.has_dimension(column)) continue;
    const std::string_view name = name_of(column);
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("where: {} values of `{}` would be pooled in each cell; name `{}` in "
                             "rows or columns, or give one value",
                             filter->values.size(), name, name)};
  }
  return {};
}

Result<Value> parse_identity(ReaderState& state, ResultColumn column, const std::string& name,
                             const std::string& text) {
  const auto stored = stored_values(state, column);
  if (stored.empty()) return Value(text);
  const auto found =
      meant_by(text, stored, [&text](const std::string& value) { return value.starts_with(text); });
  if (found.size() == 1) return Value(found.front());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: {} `{}`; there are {}{}", name,
                           found.empty() ? "no result has" : "several results begin with", text,
                           some_of(found.empty() ? stored : found), did_you_mean(text, stored))};
}

Result<Value> parse_computed(ReaderState& state, const WorkloadDef& def, std::size_t param,
                             const std::string& text) {
  const std::string& name = def.params[param].name;
  Query query(state.connection, fmt::format("SELECT DISTINCT {0} FROM {1} ORDER BY {0}",
                                            sql_name(name), sql_name(params_table(def.name))));
  std::vector<std::string> stored;
  while (query.next()) stored.push_back(query.text(0));
  const auto found = meant_by(
      text, stored, [&text](const std::string& value) { return begins_part_of(value, text); });
  if (found.empty()) return def.params[param].parse(text);
  if (found.size() == 1) return Value(found.front());
  return Error{ErrorCode::kInvalidArgument,
               fmt::format("{}: several programs have `{}`: {}", name, text, some_of(found))};
}

}  // namespace sweepd
