// A script of a daemon's calls to its store, one a step, and the content of the database after each
// step. It runs on a disk that fails, or whose power fails; afterwards the database has
// to be at one of its steps, and the script can continue from there.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/db/fixture.h"

namespace sweepd {

// A daemon's store. `store` is null after it could not be opened.
struct ScriptedStore {
  std::filesystem::path file;
  std::unique_ptr<Store> store;
};

struct ScriptStep {
  std::string name;
  std::function<Result<void>(ScriptedStore&)> run;
  bool forced = true;  // false: reaches the disk with the next step that is
};

class StoreScriptTest : public DbTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  // A new folder with the database before the first step, in one file.
  std::filesystem::path fresh_folder();
  static std::filesystem::path database_of(const std::filesystem::path& folder) {
    return folder / "results.db";
  }

  Result<void> open(ScriptedStore& scripted) const;
  // Runs the steps from `first` on; stops at the first that fails and names it.
  void go_on(ScriptedStore& scripted, std::size_t first) const;

  enum class Uids { kShown, kHidden };  // those of attempts are random
  // Every row of every table, as text.
  static std::string content_of(const std::filesystem::path& file, Uids uids);
  // The same, and fails if the file is damaged or contradicts itself.
  static std::string sound_content_of(const std::filesystem::path& file, Uids uids);
  // The last of the steps that leaves `content`, among `from` to `to`. 0 is before the first step,
  // 1 after the first; nothing if there is none. `states` has one element more than there are
  // steps.
  static std::optional<std::size_t> step_that_left(const std::vector<std::string>& states,
                                                   const std::string& content, std::size_t from,
                                                   std::size_t to);
  // After `done` steps, the ones before the result are certainly on the disk.
  std::size_t forced_before(std::size_t done) const;

  // Whether a moment is tried: one in SWEEPD_FAULT_ONE_IN is, by default one in 32; tools/nightly
  // tries them all.
  bool is_in_sample();

  int long_log_ = 0;         // pages; 0: as many as usual
  std::uint64_t seed_ = 0;   // printed; SWEEPD_FAULT_SEED sets it
  std::uint64_t tried_ = 0;  // moments of the sample; printed at the end
  std::mt19937_64 random_;
  std::vector<ScriptStep> steps_;
  std::filesystem::path work_;  // in memory: synced data need not survive here

 private:
  // Each adds a step.
  void add(std::string name, std::function<Result<void>(Store&)> call, bool forced = true);
  void add_submit(const NewSweep& request);
  void add_start(std::int64_t row);
  void add_finish(const AttemptRecord& record, std::size_t from = 0);
  void add_checkpoint();
  void add_restart();
  void add_backup();

  void make_first_steps();
  void make_later_steps();
  int folders_ = 0;
};

}  // namespace sweepd
