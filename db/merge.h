// Brings the results of another machine's database into ours: hosts, devices, environments, sweeps,
// trials by key, attempts by uid. What is there already is left alone, so merging twice adds
// nothing and a merge that was cut off is finished by doing it again. Attempts that still wait or
// run there are left out: whoever runs them brings them when they have ended.
//
// The tables, their order and the columns to translate are read from the schema (merge/plan.h), so
// a table that a migration adds comes along by its foreign keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "db/store.h"

namespace sweepd {

struct MergeCount {
  std::int64_t brought = 0;
  std::int64_t present = 0;  // were there already
};

struct MergeReceipt {
  MergeCount sweeps, trials, attempts;
  std::int64_t samples = 0;     // brought
  std::int64_t open = 0;        // waiting or running there: left out
  std::set<std::string> hosts;  // names of the hosts whose attempts were brought
};

class Merger {
 public:
  // What can be done to a DatabaseCopy before the writer is needed. Any thread.
  static Result<void> prepare(const std::filesystem::path& copy);

  // `copy` is a prepared DatabaseCopy's file. One merger of a store at a time; both outlive it.
  static Result<std::unique_ptr<Merger>> begin(Store& store, const std::filesystem::path& copy);
  ~Merger();

  // One batch in one transaction, complete in itself, of about 50 ms; the store may be used for
  // other things in between. False once all is there.
  Result<bool> step();
  const MergeReceipt& receipt() const;

 private:
  struct State;
  explicit Merger(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a merge would bring, without writing. Any thread.
Result<MergeReceipt> preview_merge(const std::filesystem::path& database,
                                   const std::filesystem::path& copy);

}  // namespace sweepd
