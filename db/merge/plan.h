// The plan for copying rows from one database to another, read from the schema.
//
// Integer ids are valid only in their file. A table with an integer id and a UNIQUE key
// beside it (`host.uid`, `trial.key`, `name.text`) is an *identity*: rows of the two files are the
// same when their keys are equal. Every column that refers to an identity is translated. Every
// other table belongs to the identity whose rows it describes: the attempt if it refers to one,
// else the trial, the sweep, or another identity.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "db/base/connection.h"

namespace sweepd {

// This table is not part of the plan: the merge keeps the larger of two rates.
inline constexpr std::string_view kPeakTable = "device_peak";
// Nor is this one: declarations of one program are combined (params.h).
inline constexpr std::string_view kProgramTable = "program";

// Nor are published figures: they can be imported anywhere from their file.
inline constexpr std::string_view kReferenceTables = "reference";

struct MergeColumn {
  std::string name;
  std::string identity;  // table whose id it holds; "" for a plain value
};

struct MergeTable {
  std::string name;
  std::string id;                // of an identity: its integer key, not among `columns`
  std::vector<std::string> key;  // of an identity: the columns that are equal in both files
  std::string owner;             // of the others: the identity it belongs to
  std::string owner_column;      // of the others: the column that refers to that identity's row
  std::vector<MergeColumn> columns;
};

struct MergePlan {
  std::vector<MergeTable> identities;  // each comes after those it refers to
  std::vector<MergeTable> others;

  const MergeTable& identity(std::string_view table) const;
  std::vector<const MergeTable*> owned_by(std::string_view table) const;
};

// True for an identity with too many rows for one batch, and for a table of ids in memory. Its rows
// are looked up by key instead.
constexpr bool is_large(std::string_view identity) {
  return identity == "trial" || identity == "attempt";
}

// Covers the tables of `main` that `other` has too, with the columns that both have. Error
// (kInternal): names a table that no rule fits, which is a mistake in the schema. Throws
// SQLite::Exception.
Result<MergePlan> read_merge_plan(Connection& connection);

// Parts of statements. `o` is a row of the other file, `b` a row of temp.merge_batch (old, new).
std::string insert_identity(const MergePlan& plan, const MergeTable& table,
                            const std::string& source, const std::string& where);
std::string insert_owned(const MergePlan& plan, const MergeTable& table, const std::string& where);
// Returns "m.key = o.key AND ...". A key that is itself an id is translated.
std::string same_key(const MergePlan& plan, const MergeTable& table);
// Returns an expression for the id in our file that corresponds to the id in `column` of the
// other's row.
std::string translated(const MergePlan& plan, const MergeColumn& column);

}  // namespace sweepd
