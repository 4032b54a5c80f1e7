// How rows go from one database to another, read from the schema.
//
// Integer ids are a file's own. A table with an integer id and a UNIQUE key beside it (`host.uid`,
// `trial.key`, `name.text`) is an *identity*: its rows are the same in both files when the keys
// are. Every column that refers to an identity, directly or through another table's foreign key, is
// translated. Every other table belongs to the identity whose rows it describes: to the attempt
// when it refers to one, else to the trial, the sweep, or what else it refers to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/connection.h"

namespace sweepd {

// Not of the plan: of each rate the larger stays, whoever measured it.
inline constexpr std::string_view kPeakTable = "device_peak";

struct MergeColumn {
  std::string name;
  std::string identity;  // table whose id it holds; "" for a plain value
};

struct MergeTable {
  std::string name;
  std::string id;                // of an identity: its integer key, not among `columns`
  std::vector<std::string> key;  // of an identity: the columns that are equal in both files
  std::string owner;             // of the others: the identity it belongs to ...
  std::string owner_column;      // ... and the column that says which row
  std::vector<MergeColumn> columns;
};

struct MergePlan {
  std::vector<MergeTable> identities;  // each behind those it refers to
  std::vector<MergeTable> others;

  const MergeTable& identity(std::string_view table) const;
  std::vector<const MergeTable*> owned_by(std::string_view table) const;
};

// Too many for one batch, and for a table of ids in memory: their keys are looked up instead.
constexpr bool is_large(std::string_view identity) {
  return identity == "trial" || identity == "attempt";
}

// Of the tables of `main` that `other` has too, with the columns that both have. Errors
// (kInternal): a table that no rule fits, named; it is a mistake of the schema. Throws
// SQLite::Exception.
Result<MergePlan> read_merge_plan(Connection& connection);

// Parts of statements. `o` is the other file's row, `b` the row of temp.merge_batch (old, new).
std::string insert_identity(const MergePlan& plan, const MergeTable& table,
                            const std::string& source, const std::string& where);
std::string insert_owned(const MergePlan& plan, const MergeTable& table, const std::string& where);
// "m.key = o.key AND ...", translated where a key is an id itself.
std::string same_key(const MergePlan& plan, const MergeTable& table);
// The id in our file for the id that `column` of the other's row holds.
std::string translated(const MergePlan& plan, const MergeColumn& column);

}  // namespace sweepd
