// State that the Reader's queries share. Each public call sees one snapshot of the database.
#pragma once

#include <sqlite3.h>

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "db/base/connection.h"
#include "db/base/names.h"
#include "db/base/param_columns.h"
#include "db/base/sweep_axes.h"
#include "db/query/query.h"
#include "db/query/row_visitor.h"

namespace sweepd {

struct ReaderState {
  ReaderState(const std::filesystem::path& file, const Catalog& catalog_)
      : connection(file, Access::kReadOnly),
        rows(connection),
        names(connection),
        catalog(catalog_) {
    // A question needs this one database. Only a merge attaches another, on its own connection.
    sqlite3_limit(connection.database().getHandle(), SQLITE_LIMIT_ATTACHED, 0);
  }

  Connection connection;
  RowVisitor rows;
  Names names;
  Catalog catalog;

  // Runs `body` (returning a Result) within the time limit and on one snapshot.
  template <class Body>
  auto ask(const std::string& what, Body body) -> decltype(body()) {
    return guarded(connection, what, [&]() -> decltype(body()) {
      connection.start_timer();
      SQLite::Transaction snapshot(connection.database());
      return body();
    });
  }
};

struct Reader::State : ReaderState {
  using ReaderState::ReaderState;
};

// Labels of trials ("model=xl context=512"), which name the axes of a sweep. Each is read once.
class Labels {
 public:
  // `sweep` is a row. Without it the axes are those of the first sweep that wants the attempt.
  explicit Labels(ReaderState& state, std::optional<std::int64_t> sweep = std::nullopt)
      : state_(state), sweep_(sweep) {}
  const std::string& of(std::int64_t attempt, std::int64_t trial, const std::string& pool,
                        const std::string& workload);

 private:
  std::int64_t sweep_of(std::int64_t attempt);  // 0: none
  const SweepAxes& axes_of_sweep(std::int64_t sweep, const WorkloadDef& def);

  ReaderState& state_;
  std::optional<std::int64_t> sweep_;
  std::unordered_map<std::string, ParamTable> tables_;
  std::unordered_map<std::int64_t, SweepAxes> axes_;  // by sweep
  // By sweep, trial and pool.
  std::map<std::tuple<std::int64_t, std::int64_t, std::string>, std::string> labels_;
};

// "a, b, c and 7 more"
std::string some_of(const std::vector<std::string>& items);

// Call these inside `ask`.
Result<std::int64_t> sweep_row(ReaderState& state, const SweepId& sweep);
Result<SweepRow> find_sweep(ReaderState& state, const std::string& who);  // Reader::find_sweep
Result<AttemptRow> attempt_row(ReaderState& state, std::int64_t row);
// The only trial whose key begins with the prefix. `id` is its row.
struct TrialRef {
  std::int64_t id = 0;
  TrialKey key;
  std::string workload;
  std::int64_t version = 0;
};
Result<TrialRef> trial_by_prefix(ReaderState& state, const std::string& prefix);

}  // namespace sweepd
