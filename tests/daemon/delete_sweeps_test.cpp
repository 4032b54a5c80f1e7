// Tests that the next daemon completes the deletion of a daemon that died during it.
#include "runner/daemon/planning/delete_sweeps.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "runner/wire/deletion.h"
#include "runner/wire/submission.h"
#include "tests/db/fixture.h"
#include "tests/fault_seed.h"
#include "tests/killed_child.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::IsEmpty;

class DeleteSweeps : public DbTest {
 protected:
  void SetUp() override {
    DbTest::SetUp();
    gone_ = store_one("gone", "2");
    kept_ = store_one("kept", "4");
    reader_.reset();
    store_.reset();
    fs::copy(folder_, whole_, fs::copy_options::recursive);
  }
  void TearDown() override {
    fs::remove_all(whole_);
    DbTest::TearDown();
  }

  struct Stored {
    SweepId sweep;
    AttemptId attempt;
  };
  Stored store_one(const std::string& name, const std::string& context) {
    const NewSweep request = sweep(name, {{{"context", context}}});
    const SubmitReceipt receipt = submit(request);
    EXPECT_TRUE(store_->cancel_sweep(request.id, WallTime{2'000'000'000}));
    const AttemptId attempt = receipt.queued.at(0).id;
    fs::create_directories(runs() / attempt);
    std::ofstream(runs() / attempt / "request.json") << "{}";
    Submission submission;
    submission.id = request.id;
    EXPECT_TRUE(write_submission(sweeps(), submission));
    settle_submission(sweeps(), request.id, /*is_stored=*/true);
    return {request.id, attempt};
  }

  fs::path runs() const { return folder_ / "runs"; }
  fs::path sweeps() const { return folder_ / "sweeps"; }
  std::unique_ptr<Store> open() const {
    auto store = Store::open(file(), catalog_, host_named("alpha"));
    EXPECT_TRUE(store);
    return store ? std::move(*store) : nullptr;
  }
  void begin_again() const {
    fs::remove_all(folder_);
    fs::copy(whole_, folder_, fs::copy_options::recursive);
  }
  static void remove(const std::vector<fs::path>& all, const std::vector<AttemptId>& attempts,
                     const fs::path& file) {
    RemovedFolders removed;
    for (const fs::path& folder : all) remove_folders(folder, attempts, removed);
    end_deletion(removed, file);
  }
  void remove(const DeletedRows& rows) const { remove({runs()}, rows.receipt.attempts, rows.file); }
  // As the next daemon does it.
  void settle(Store& store) const {
    const auto unfinished = unfinished_deletions(store, sweeps());
    ASSERT_TRUE(unfinished);
    for (const Unfinished& one : *unfinished) remove({runs()}, one.attempts, one.file);
  }
  static bool has(Store& store, const SweepId& sweep) {
    return std::ranges::binary_search(store.sweep_ids().value(), sweep);
  }
  bool is_named() const {
    const auto pending = pending_deletions(sweeps());
    return std::ranges::any_of(pending, [this](const PendingDeletion& deletion) {
      return std::ranges::count(deletion.attempts, gone_.attempt) == 1;
    });
  }

  Stored gone_, kept_;
  const fs::path whole_ = fs::temp_directory_path() / ("sweepd-whole-" + random_id());
};

TEST_F(DeleteSweeps, LeavesNothing) {
  const auto store = open();
  const auto deleted = delete_sweeps(*store, sweeps(), {gone_.sweep});
  ASSERT_TRUE(deleted);
  EXPECT_TRUE(is_named());
  remove(*deleted);
  EXPECT_FALSE(fs::exists(runs() / gone_.attempt));
  EXPECT_TRUE(fs::exists(runs() / kept_.attempt));
  EXPECT_THAT(pending_deletions(sweeps()), IsEmpty());
}

TEST_F(DeleteSweeps, WhoDiesBeforeTheFoldersGoLeavesThemToTheNext) {
  ASSERT_TRUE(delete_sweeps(*open(), sweeps(), {gone_.sweep}));
  EXPECT_TRUE(fs::exists(runs() / gone_.attempt));
  settle(*open());
  EXPECT_FALSE(fs::exists(runs() / gone_.attempt));
  EXPECT_TRUE(fs::exists(runs() / kept_.attempt));
  EXPECT_THAT(pending_deletions(sweeps()), IsEmpty());
}

TEST_F(DeleteSweeps, WhoDiesBeforeTheRowsGoDeletesNothing) {
  ASSERT_TRUE(write_deletion(sweeps(), {{}, {gone_.sweep}, {gone_.attempt}}));
  settle(*open());
  EXPECT_TRUE(fs::exists(runs() / gone_.attempt));
  EXPECT_THAT(pending_deletions(sweeps()), IsEmpty());
}

TEST_F(DeleteSweeps, WhatCannotGoIsLeftToTheNext) {
  const auto store = open();
  const auto deleted = delete_sweeps(*store, sweeps(), {gone_.sweep});
  ASSERT_TRUE(deleted);
  // The shared folder of a cluster that is not mounted.
  remove({runs(), folder_ / "none"}, deleted->receipt.attempts, deleted->file);
  EXPECT_TRUE(is_named());
}

// Moments of the deletion, without the opening of the database before it.
TEST_F(DeleteSweeps, KilledAtAnySystemCallNothingOfItComesBack) {
  const auto only_open = [this] { open(); };
  const auto all = [this] {
    const auto store = open();
    if (auto deleted = delete_sweeps(*store, sweeps(), {gone_.sweep})) remove(*deleted);
    ::_exit(0);
  };
  const TracedRun opened = run_traced(only_open);
  if (opened.ended == Ended::kUntraceable) GTEST_SKIP() << "no process may be traced here";
  begin_again();
  const auto last = 2 * static_cast<int>(run_traced(all).calls.size());
  std::mt19937_64 random(fault_seed());
  int rows_gone = 0;
  for (int i = 0; i < 60; ++i) {
    begin_again();
    const int first = std::min(last - 1, static_cast<int>(opened.calls.size()));
    const int stop = first + static_cast<int>(random() % static_cast<std::size_t>(last - first));
    run_traced(all, stop);
    const auto store = open();
    const bool is_stored = has(*store, gone_.sweep);
    const bool has_folder = fs::exists(runs() / gone_.attempt);
    EXPECT_TRUE(is_stored ? has_folder : !has_folder || is_named()) << "stop " << stop;
    settle(*store);
    EXPECT_EQ(fs::exists(runs() / gone_.attempt), is_stored) << "stop " << stop;
    EXPECT_TRUE(fs::exists(runs() / kept_.attempt)) << "stop " << stop;
    EXPECT_THAT(pending_deletions(sweeps()), IsEmpty()) << "stop " << stop;
    rows_gone += is_stored ? 0 : 1;
  }
  EXPECT_GT(rows_gone, 0);
}

}  // namespace
}  // namespace sweepd
