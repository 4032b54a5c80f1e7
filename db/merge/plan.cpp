#include "db/merge/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "runner/base/text.h"

namespace sweepd {
namespace {

// A table that refers to several identities belongs to the first of these.
constexpr std::array<std::string_view, 6> kOwners{"attempt", "trial",       "sweep",
                                                  "device",  "environment", "host"};

constexpr std::string_view kNotificationTable = "notification";
constexpr std::string_view kCountTable = "sweep_count";

struct ColumnReference {
  std::string table, column;
};

struct RawTable {
  std::vector<std::string> columns;
  std::vector<std::string> key;         // primary
  bool has_integer_key = false;         // one column, INTEGER
  std::vector<std::string> unique_key;  // of a UNIQUE constraint
  std::map<std::string, ColumnReference> references;
  bool is_identity() const { return has_integer_key && !unique_key.empty(); }
};
using Schema = std::map<std::string, RawTable>;

std::vector<std::string> names_of(Connection& connection, const std::string& sql) {
  std::vector<std::string> names;
  for (Query query(connection, sql); query.next();) names.push_back(query.text(0));
  return names;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

RawTable read_table(Connection& connection, const std::string& name) {
  const std::string in_main = fmt::format("({}, 'main')", quoted(name));
  RawTable table;
  const auto theirs = names_of(
      connection, fmt::format("SELECT name FROM pragma_table_info({}, 'other')", quoted(name)));
  std::string key_type;
  for (Query info(connection, "SELECT name, type, pk FROM pragma_table_info" + in_main);
       info.next();) {
    if (std::find(theirs.begin(), theirs.end(), info.text(0)) == theirs.end()) continue;
    table.columns.push_back(info.text(0));
    if (info.integer(2) == 0) continue;
    table.key.push_back(info.text(0));
    key_type = info.text(1);
  }
  table.has_integer_key = table.key.size() == 1 && key_type == "INTEGER";
  const auto unique =
      names_of(connection, "SELECT name FROM pragma_index_list" + in_main + " WHERE origin = 'u'");
  if (!unique.empty()) {
    table.unique_key =
        names_of(connection,
                 fmt::format("SELECT name FROM pragma_index_info({}, 'main')", quoted(unique[0])));
  }
  for (Query keys(connection,
                  "SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list" + in_main);
       keys.next();) {
    table.references[keys.text(0)] = {keys.text(1), keys.text(2)};
  }
  return table;
}

// Returns the identity whose id this column holds; "" if there is none.
std::string identity_of(const Schema& schema, const std::string& table, const std::string& column) {
  const RawTable& raw = schema.at(table);
  const auto found = raw.references.find(column);
  if (found == raw.references.end()) return "";
  const auto& [target, target_column] = found->second;
  if (!schema.contains(target)) return "";
  const RawTable& parent = schema.at(target);
  if (!parent.is_identity()) return "";
  return target_column.empty() || parent.key.front() == target_column ? target : "";
}

MergeTable describe(const Schema& schema, const std::string& name, const RawTable& raw) {
  MergeTable table;
  table.name = name;
  if (raw.is_identity()) {
    table.id = raw.key.front();
    table.key = raw.unique_key;
  }
  for (const std::string& column : raw.columns) {
    if (column != table.id) table.columns.push_back({column, identity_of(schema, name, column)});
  }
  if (raw.is_identity()) return table;
  for (const std::string_view owner : kOwners) {
    for (const MergeColumn& column : table.columns) {
      if (column.identity != owner || !table.owner.empty()) continue;
      table.owner = owner;
      table.owner_column = column.name;
    }
  }
  return table;
}

// A table with only a numeric key, or without an owner, cannot be merged: its rows cannot be
// matched or assigned.
Result<void> check(const MergeTable& table, const RawTable& raw) {
  if (raw.is_identity()) return {};
  const bool own_number = raw.has_integer_key && raw.key.front() != table.owner_column;
  if (!table.owner.empty() && !own_number) return {};
  return Error{ErrorCode::kInternal,
               fmt::format("table `{}` cannot be merged: it needs a foreign key to what it "
                           "describes in its primary key, or a UNIQUE key beside its id",
                           table.name)};
}

// Orders the identities so that each comes after those it refers to. The schema's references have
// no cycles.
void order(std::vector<MergeTable>& identities) {
  std::vector<MergeTable> ordered;
  std::set<std::string> placed;
  while (ordered.size() < identities.size()) {
    const std::size_t before = ordered.size();
    for (const MergeTable& table : identities) {
      const bool ready =
          std::all_of(table.columns.begin(), table.columns.end(), [&](const MergeColumn& column) {
            return column.identity.empty() || column.identity == table.name ||
                   placed.contains(column.identity);
          });
      if (!ready || !placed.insert(table.name).second) continue;
      ordered.push_back(table);
    }
    if (ordered.size() == before) break;
  }
  identities = std::move(ordered);
}

std::string merged_columns(const MergeTable& table) {
  std::vector<std::string> names;
  for (const MergeColumn& column : table.columns) names.push_back(sql_name(column.name));
  return join(names, ", ");
}

}  // namespace

const MergeTable& MergePlan::identity(std::string_view table) const {
  return *std::find_if(identities.begin(), identities.end(),
                       [&](const MergeTable& entry) { return entry.name == table; });
}

std::vector<const MergeTable*> MergePlan::owned_by(std::string_view table) const {
  std::vector<const MergeTable*> owned;
  for (const MergeTable& entry : others) {
    if (entry.owner == table) owned.push_back(&entry);
  }
  return owned;
}

Result<MergePlan> read_merge_plan(Connection& connection) {
  Schema schema;
  for (const std::string& name : names_of(
           connection,
           "SELECT m.name FROM main.sqlite_schema m JOIN other.sqlite_schema o ON o.name = m.name "
           "AND o.type = 'table' WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'")) {
    schema[name] = read_table(connection, name);
  }
  MergePlan plan;
  for (const auto& [name, raw] : schema) {
    if (name == kPeakTable || name == kProgramTable) continue;
    if (name.starts_with(kReferenceTables)) continue;
    // Another machine's commands must not run here.
    if (name == kNotificationTable) continue;
    if (name == kCountTable) continue;  // triggers write it
    MergeTable table = describe(schema, name, raw);
    if (auto fits = check(table, raw); !fits) return fits.error();
    (raw.is_identity() ? plan.identities : plan.others).push_back(std::move(table));
  }
  order(plan.identities);
  return plan;
}

std::string translated(const MergePlan& plan, const MergeColumn& column) {
  std::string theirs = "o." + sql_name(column.name);
  if (column.identity.empty()) return theirs;
  if (is_large(column.identity)) {
    const MergeTable& target = plan.identity(column.identity);
    return fmt::format(
        "(SELECT m.{0} FROM main.{1} m WHERE m.{2} = (SELECT k.{2} FROM other.{1} k WHERE k.{0} = "
        "{3}))",
        sql_name(target.id), sql_name(target.name), sql_name(target.key.front()), theirs);
  }
  return fmt::format("(SELECT new FROM temp.{} WHERE old = {})",
                     sql_name("merge_" + column.identity), theirs);
}

std::string same_key(const MergePlan& plan, const MergeTable& table) {
  std::vector<std::string> equal;
  for (const std::string& key : table.key) {
    const auto column = std::find_if(table.columns.begin(), table.columns.end(),
                                     [&](const MergeColumn& c) { return c.name == key; });
    equal.push_back(fmt::format("m.{} = {}", sql_name(key), translated(plan, *column)));
  }
  return join(equal, " AND ");
}

std::string insert_identity(const MergePlan& plan, const MergeTable& table,
                            const std::string& source, const std::string& where) {
  std::vector<std::string> values;
  for (const MergeColumn& column : table.columns) {
    // The current attempts are determined again once all rows are here.
    const bool mark = table.name == "attempt" && column.name == "is_current";
    // Pauses of sweeps and devices apply only on the machine where they were made.
    const bool pause =
        column.name == "paused_ns" || column.name == "fault" || column.name == "fault_attempt";
    values.push_back(mark ? "0" : pause ? "NULL" : translated(plan, column));
  }
  return fmt::format(
      "INSERT INTO main.{} ({}) SELECT {} FROM {} WHERE {} ORDER BY o.{} ON CONFLICT DO NOTHING",
      sql_name(table.name), merged_columns(table), join(values, ", "), source, where,
      sql_name(table.id));
}

std::string insert_owned(const MergePlan& plan, const MergeTable& table, const std::string& where) {
  std::vector<std::string> values;
  for (const MergeColumn& column : table.columns) {
    values.push_back(column.name == table.owner_column ? "b.new" : translated(plan, column));
  }
  // CROSS JOIN fixes the order of the loops: first the batch, then its rows by their index.
  return fmt::format(
      "INSERT INTO main.{0} ({1}) SELECT {2} FROM temp.merge_batch b CROSS JOIN other.{0} o ON "
      "o.{3} = b.old WHERE {4} ON CONFLICT DO NOTHING",
      sql_name(table.name), merged_columns(table), join(values, ", "), sql_name(table.owner_column),
      where);
}

}  // namespace sweepd
