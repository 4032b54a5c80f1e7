// Adds the results of another machine's database to ours: hosts, devices, environments, sweeps,
// trials by key, attempts by uid. Existing rows stay unchanged, so a second merge adds nothing, and
// running an interrupted merge again finishes it. Attempts that are queued or running there are
// skipped: a later merge brings them once they have ended.
//
// The tables, their order and the columns to translate are read from the schema (merge/plan.h), so
// a table that a migration adds is merged by its foreign keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "db/store/store.h"
#include "runner/model/attempt/merge_receipt.h"

namespace sweepd {

class Merger {
 public:
  // Prepares a DatabaseCopy as far as possible without the writer. Any thread.
  static Result<void> prepare(const std::filesystem::path& copy);

  // `copy` is the file of a prepared DatabaseCopy. A store has one merger at a time; the store and
  // the file outlive it.
  static Result<std::unique_ptr<Merger>> begin(Store& store, const std::filesystem::path& copy);
  ~Merger();

  // Merges one complete batch in one transaction of about 50 ms. Between calls the store may serve
  // other work. Returns false once everything is merged.
  Result<bool> step();
  const MergeReceipt& receipt() const;

 private:
  struct State;
  explicit Merger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Counts what a merge would bring, without writing. Any thread.
Result<MergeReceipt> preview_merge(const std::filesystem::path& database,
                                   const std::filesystem::path& copy);

}  // namespace sweepd
