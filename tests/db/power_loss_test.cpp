// Tests that committed data survives a power loss at any moment, and nothing partial remains. A
// store is used once while every change of its files is recorded; the disk after each of them is
// then rebuilt (SimulatedDisk) and opened.
#include <fmt/format.h>

#include "tests/db/faulty_vfs.h"
#include "tests/db/simulated_disk.h"
#include "tests/db/store_script.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kAverageMomentsAfterAFailure = 2;

bool is_counted(const DiskChange& change) {
  using Kind = DiskChange::Kind;
  return change.kind == Kind::kWrite || change.kind == Kind::kTruncate ||
         change.kind == Kind::kSync || change.kind == Kind::kFailedSync;
}

class PowerLoss : public StoreScriptTest {
 protected:
  // The record of a run of the script.
  struct Notes {
    SimulatedDisk disk;  // before the run
    std::vector<DiskChange> changes;
    std::vector<std::size_t> changes_until;  // how many there were when each step had returned
    std::vector<std::string> states;         // the content before the first step and after each
    // The step that failed, and the content if its writes to the log survive, which is allowed. It
    // differs from that after the repeated step by the random uids.
    std::optional<std::pair<std::size_t, std::string>> failed;
    // After this many changes, another daemon continues with a copy in this folder; "": none does.
    std::pair<std::size_t, fs::path> moved;
  };

  // After a step that the fault made fail, it is tried once more, by the same daemon or by the next
  // one after a kill.
  enum class Then { kRepeat, kKilled };

  Notes run_once(const std::optional<Fault>& fault = std::nullopt, Then then = Then::kRepeat) {
    const fs::path folder = fresh_folder();
    Notes notes{SimulatedDisk(folder), {}, {}, {}, {}, {}};
    FaultyVfs vfs;
    ScriptedStore dead, scripted{database_of(folder), nullptr};
    EXPECT_TRUE(open(scripted));
    notes.states.push_back(content_of(scripted.file, Uids::kShown));
    vfs.set_fault(fault);
    for (const ScriptStep& step : steps_) {
      auto done = step.run(scripted);
      if (!done && fault && then == Then::kKilled && scripted.store) {
        notes.moved = {vfs.changes().size(), folder / "next"};
        copy_database(folder, notes.moved.second);
        dead = std::exchange(scripted, {database_of(notes.moved.second), nullptr});
        EXPECT_TRUE(open(scripted));
        // A failed step may be stored all the same.
        if (content_of(scripted.file, Uids::kShown) != notes.states.back()) done = {};
      }
      if (!done && fault) {
        notes.failed = {notes.changes_until.size(), content_after_a_kill(scripted.file)};
        done = step.run(scripted);
      }
      EXPECT_TRUE(done) << step.name << ": " << done.error().message;
      notes.changes_until.push_back(vfs.changes().size());
      notes.states.push_back(content_of(scripted.file, Uids::kShown));
    }
    scripted.store.reset();
    notes.changes = vfs.changes();
    dead.store.reset();
    fs::remove_all(folder);
    return notes;
  }

  // As a kill leaves it.
  static void copy_database(const fs::path& from, const fs::path& to) {
    fs::create_directories(to / "copies");
    for (const char* name : {"results.db", "results.db-wal"}) {
      if (fs::exists(from / name)) fs::copy_file(from / name, to / name);
    }
  }

  static std::string content_after_a_kill(const fs::path& file) {
    const fs::path copy = file.parent_path() / "killed";
    copy_database(file.parent_path(), copy);
    const std::string content = content_of(database_of(copy), Uids::kShown);
    fs::remove_all(copy);
    return content;
  }

  static std::size_t steps_done(const Notes& notes, std::size_t changes) {
    std::size_t done = 0;
    while (done < notes.changes_until.size() && notes.changes_until[done] <= changes) ++done;
    return done;
  }

  // The power fails after `changes` changes; the next daemon opens the rest.
  void lose_power_after(const Notes& notes, const SimulatedDisk& disk, std::size_t changes,
                        Survivors survivors) {
    const fs::path folder = work_ / "after";
    fs::remove_all(folder);
    fs::create_directories(folder / "copies");
    disk.lose_power(folder, survivors, random_);
    const std::size_t done = steps_done(notes, changes);
    SCOPED_TRACE(
        fmt::format("seed {}, power lost after change {} of {}, survivors {}, in step `{}`", seed_,
                    changes, notes.changes.size(), static_cast<int>(survivors),
                    done < steps_.size() ? steps_[done].name : "end"));
    const std::string left = sound_content_of(database_of(folder), Uids::kShown);
    auto step = step_that_left(notes.states, left, forced_before(done), done + 1);
    if (!step && notes.failed == std::pair{done, left}) step = done + 1;
    ASSERT_TRUE(step) << "what is left is not one of the states in question, but that after "
                      << step_that_left(notes.states, left, 0, steps_.size()).value_or(999)
                      << " steps";
    if (random_() % 4 != 0) return;  // continuing takes longer than all the rest
    ScriptedStore scripted{database_of(folder), nullptr};
    ASSERT_TRUE(open(scripted));
    go_on(scripted, *step);
    scripted.store.reset();
    EXPECT_EQ(sound_content_of(scripted.file, Uids::kHidden), end_);
  }

  // When the step that failed has been repeated, and at a few other moments after the failure.
  void lose_power_after_failure(const Notes& notes) {
    SimulatedDisk disk = notes.disk;
    std::optional<std::size_t> repeated;
    for (std::size_t changes = 1; changes <= notes.changes.size(); ++changes) {
      const auto& [moved_after, folder] = notes.moved;
      if (!folder.empty() && changes == moved_after + 1) disk.rename_to(folder);
      const DiskChange& last = notes.changes[changes - 1];
      disk.apply(last);
      if (last.kind == DiskChange::Kind::kFailedSync) {
        const std::size_t failed = steps_done(notes, changes);
        repeated = failed < steps_.size() ? notes.changes_until[failed] : notes.changes.size();
      }
      if (!repeated) continue;
      const bool other = random_() % notes.changes.size() < kAverageMomentsAfterAFailure;
      if (other) lose_power_after(notes, disk, changes, kSurvivors[random_() % 4]);
      if (changes == *repeated) lose_power_after(notes, disk, changes, Survivors::kNone);
      if (HasFailure()) return;
    }
  }

  void at_any_write() {
    const Notes notes = run_once();
    ASSERT_GT(notes.changes.size(), 300U);
    SimulatedDisk disk = notes.disk;
    for (std::size_t changes = 0; changes <= notes.changes.size(); ++changes) {
      if (changes > 0) disk.apply(notes.changes[changes - 1]);
      if (is_in_sample()) lose_power_after(notes, disk, changes, kSurvivors[random_() % 4]);
      if (HasFailure()) return;
    }
  }
  // They are few, and most of them leave no hole, so a sample of them might see nothing.
  enum class Syncs { kAll, kSample };
  void after_failed_syncs(Syncs syncs) {
    std::int64_t write = 0;
    for (const DiskChange& change : run_once().changes) {
      if (is_counted(change)) ++write;
      if (change.kind != DiskChange::Kind::kSync) continue;
      if (!is_in_sample() && syncs == Syncs::kSample) continue;
      const Fault fault{write, Fault::Error::kBroken, Fault::Lasting::kOnce};
      for (const Then then : {Then::kRepeat, Then::kKilled}) {
        lose_power_after_failure(run_once(fault, then));
        if (HasFailure()) return;
      }
    }
  }

  void SetUp() override {
    StoreScriptTest::SetUp();
    ScriptedStore scripted{database_of(fresh_folder()), nullptr};
    ASSERT_TRUE(open(scripted));
    go_on(scripted, 0);
    scripted.store.reset();
    end_ = content_of(scripted.file, Uids::kHidden);
  }

  static constexpr int kFewPages = 12;
  std::string end_;  // the content after the last step
};

TEST_F(PowerLoss, AtAnyWriteLeavesWhatWasAnsweredAndNothingHalf) {
  at_any_write();
}

TEST_F(PowerLoss, AtAnyWriteWhileTheLogBeginsAnewAgainAndAgain) {
  long_log_ = kFewPages;
  at_any_write();
}

// The kernel drops the pages that it could not write, and the next sync succeeds without them.
TEST_F(PowerLoss, AfterASyncThatFailedLeavesWhatWasAnsweredLater) {
  after_failed_syncs(Syncs::kAll);
}

TEST_F(PowerLoss, AfterASyncThatFailedWhileTheLogBeganAnew) {
  long_log_ = kFewPages;
  after_failed_syncs(Syncs::kSample);
}

TEST_F(PowerLoss, WhileTheDatabaseIsMadeLeavesOneThatCanBeMade) {
  const fs::path folder = work_ / "new";
  fs::create_directories(folder);
  SimulatedDisk disk(folder);
  std::vector<DiskChange> made;
  {
    FaultyVfs vfs;
    ScriptedStore scripted{database_of(folder), nullptr};
    ASSERT_TRUE(open(scripted));
    scripted.store.reset();
    made = vfs.changes();
  }
  const std::string whole = content_of(database_of(folder), Uids::kShown);
  for (const DiskChange& change : made) {
    disk.apply(change);
    if (!is_in_sample()) continue;
    const fs::path left = work_ / "left";
    fs::remove_all(left);
    fs::create_directories(left);
    disk.lose_power(left, kSurvivors[random_() % 4], random_);
    ScriptedStore scripted{database_of(left), nullptr};
    const auto opened = open(scripted);
    ASSERT_TRUE(opened) << "seed " << seed_ << ": " << opened.error().message;
    EXPECT_EQ(sound_content_of(scripted.file, Uids::kShown), whole) << "seed " << seed_;
  }
}

}  // namespace
}  // namespace sweepd
