// State that the Reader's queries share. Each public call sees one snapshot of the database.
#pragma once

#include <string>
#include <unordered_map>

#include "db/base/connection.h"
#include "db/base/names.h"
#include "db/base/param_columns.h"
#include "db/query/query.h"
#include "db/query/row_visitor.h"

namespace sweepd {

struct ReaderState {
  ReaderState(const std::filesystem::path& file, const Catalog& catalog_)
      : connection(file, Access::kReadOnly),
        rows(connection),
        names(connection),
        catalog(catalog_) {}

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

// Labels of trials ("model=xl context=512"). Each is read once.
class Labels {
 public:
  explicit Labels(ReaderState& state) : state_(state) {}
  const std::string& of(std::int64_t trial, const std::string& workload);

 private:
  ReaderState& state_;
  std::unordered_map<std::string, ParamTable> tables_;
  std::unordered_map<std::int64_t, std::string> labels_;
};

// "a, b, c and 7 more"
std::string some_of(const std::vector<std::string>& items);

// Call these inside `ask`.
Result<std::int64_t> sweep_row(ReaderState& state, const SweepId& sweep);
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
