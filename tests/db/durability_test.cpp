// Tests the store's promises under failures below it: a full disk, a killed process, readers
// beside the writer.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

#include "db/base/connection.h"
#include "db/query/state.h"
#include "db/store/state.h"
#include "tests/db/fixture.h"
#include "tests/db/syncs.h"

namespace sweepd {
namespace {

using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

// While it lives, no file of this process grows beyond `bytes`; write() fails as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uintmax_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &old_);
    rlimit limit = old_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  void (*old_handler_)(int);
  rlimit old_{};
};

// Counts how often a call of the store forced something to the disk.
int syncs_of(const std::function<void()>& call) {
  return static_cast<int>(synced_by(call).size());
}

TEST_F(DbTest, WhatIsAnsweredIsForcedToTheDiskButForAStart) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
  std::vector<OpenAttempt> queued;
  EXPECT_THAT(syncs_of([&] { queued = submit(request).queued; }), Ge(1));
  const auto start = [&] {
    EXPECT_TRUE(store_->mark_started(queued[0].row, now_wall(), Lease{{{{0}, "", -1}}}));
  };
  // The next call is forced as always, and the start reaches the disk with it.
  EXPECT_EQ(syncs_of(start), 0);
  EXPECT_THAT(syncs_of([&] { EXPECT_TRUE(store_->mark_queued(queued[0].row)); }), Ge(1));
  EXPECT_EQ(syncs_of(start), 0);
  EXPECT_THAT(syncs_of([&] { finish(done(queued[0].row, 10, 20)); }), Ge(1));
  EXPECT_THAT(syncs_of([&] { EXPECT_TRUE(store_->cancel_sweep(request.id, now_wall())); }), Ge(1));
  EXPECT_THAT(syncs_of([&] { EXPECT_TRUE(store_->retry_sweep(request.id, {}, now_wall())); }),
              Ge(1));
}

TEST_F(DbTest, AWriteThatTheDiskRefusesIsAnErrorAndNothingIsLost) {
  const auto queued = submit(sweep("s", {{{"context", "1"}}, {{"context", "2"}}})).queued;
  finish(done(queued[0].row, 10, 20));
  AttemptRecord large = done(queued[1].row, 10, 20);
  for (std::int64_t step = 3; step < 20'000; ++step) {
    large.samples.push_back({0, step, "step", "time", 1.0, false});
  }
  {
    const FileSizeLimit limit(std::filesystem::file_size(file().string() + "-wal") + 65'536);
    const auto refused = store_->finish(large);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, HasSubstr("storing attempt 2"));
  }
  EXPECT_THAT(sql("SELECT coalesce(outcome, '-') FROM attempt ORDER BY row"),
              ElementsAre("done", "-"));
  EXPECT_THAT(sql("SELECT count(*) FROM sample"), ElementsAre("9"));
  // There is space again, so the same record can be stored.
  finish(large);
  EXPECT_THAT(sql("SELECT count(*) FROM sample WHERE attempt = 2"), ElementsAre("20006"));
  EXPECT_THAT(sql("PRAGMA integrity_check"), ElementsAre("ok"));
}

TEST_F(DbTest, AFullDatabaseIsAnErrorAndTheTransactionIsGone) {
  store_.reset();
  StoreState state(file(), catalog_);
  const auto pages = state.connection.database().execAndGet("PRAGMA page_count").getInt64();
  state.connection.execute("PRAGMA max_page_count = " + std::to_string(pages + 2));
  const auto fill = [&](int rows) {
    return state.transact("filling", [&]() -> Result<void> {
      for (int i = 0; i < rows; ++i) state.names.id(std::string(1000, 'x') + std::to_string(i));
      return {};
    });
  };
  const auto full = fill(1000);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().code, ErrorCode::kIo);
  EXPECT_THAT(full.error().message, HasSubstr("full; nothing was changed"));
  EXPECT_THAT(sql("SELECT count(*) FROM name"), ElementsAre("0"));
  EXPECT_TRUE(fill(1));  // a record that fits can still be stored, under an existing id
  EXPECT_THAT(sql("SELECT count(*) FROM name"), ElementsAre("1"));
}

TEST_F(DbTest, AProcessThatDiesInATransactionLeavesNoTrace) {
  submit(sweep("s", {{{"context", "1"}}}));
  reader_.reset();
  store_.reset();  // a connection must not cross a fork
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Connection connection(file(), Access::kReadWrite);
    connection.execute("BEGIN IMMEDIATE");
    connection.execute("UPDATE attempt SET outcome = 'done', ended_ns = 1");
    connection.execute("INSERT INTO name (text) VALUES ('half')");
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  reopen();
  EXPECT_EQ(store_->open_attempts().value().size(), 1u);
  EXPECT_THAT(sql("SELECT count(*) FROM name"), ElementsAre("0"));
}

TEST_F(DbTest, WhatWasAnsweredSurvivesAKill) {
  const auto request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
  reader_.reset();
  store_.reset();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto store = Store::open(file(), catalog_, host_named("alpha"));
    if (!store) _exit(2);
    const auto receipt = (*store)->submit(request, def());
    if (!receipt || !(*store)->finish(done(receipt->queued[0].row, 10, 20))) _exit(3);
    _exit(0);  // no destructor, no checkpoint
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  reopen();
  const auto progress = reader_->progress(request.id);
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->of(Outcome::kDone), 1);
  EXPECT_EQ(progress->queued, 1);
}

TEST_F(DbTest, AReaderSeesWhatTheWriterCommittedSince) {
  const auto request = sweep("s", {{{"context", "1"}}});
  EXPECT_TRUE(reader_->sweeps(10).value().empty());
  const auto queued = submit(request).queued;
  EXPECT_EQ(reader_->progress(request.id).value().queued, 1);
  finish(done(queued.front().row, 1, 1));
  EXPECT_EQ(reader_->progress(request.id).value().of(Outcome::kDone), 1);
}

TEST_F(DbTest, AReaderCannotWrite) {
  ReaderState state(file(), catalog_);
  EXPECT_THROW(state.connection.execute("DELETE FROM host"), SQLite::Exception);
}

TEST_F(DbTest, ReadersAndTheWriterDoNotStopEachOther) {
  constexpr int kTrials = 60;
  std::vector<Settings> points;
  for (int i = 1; i <= kTrials; ++i) points.push_back({{"context", std::to_string(i)}});
  const auto request = sweep("s", points);
  const auto queued = submit(request).queued;
  std::atomic<bool> writing{true};
  std::atomic<int> bad{0}, asked{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      auto reader = Reader::open(file(), catalog_);
      if (!reader) {
        ++bad;
        return;
      }
      QuerySpec query;
      query.sweep = request.id;
      query.table.rows = {"context"};
      query.table.columns = {"phase"};
      std::int64_t last = 0;
      while (writing) {
        const auto progress = (*reader)->progress(request.id);
        const auto results = (*reader)->results(query, true);
        // Always all trials, never fewer done than before.
        if (!progress || !results || progress->total != kTrials ||
            progress->of(Outcome::kDone) < last)
          ++bad;
        if (results && results->dimensions[0].values.size() != kTrials) ++bad;
        if (progress) last = progress->of(Outcome::kDone);
        ++asked;
      }
    });
  }
  for (const OpenAttempt& attempt : queued) finish(done(attempt.row, 1, 2));
  while (asked < 3 && bad == 0) std::this_thread::yield();
  writing = false;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(bad, 0);
  EXPECT_GE(asked, 3);
}

}  // namespace
}  // namespace sweepd
