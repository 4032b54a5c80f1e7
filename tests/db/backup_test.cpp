// Tests copies of a database that is being written to.
#include "db/upkeep/backup.h"

#include <sys/stat.h>

#include <fstream>

#include "tests/db/fixture.h"
#include "tests/db/syncs.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class BackupTest : public DbTest {
 protected:
  std::vector<std::string> files_beside() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "copies")) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  void SetUp() override {
    DbTest::SetUp();
    fs::create_directory(folder_ / "copies");
    const NewSweep request = sweep("s", {{{"context", "1"}}, {{"context", "2"}}});
    finish(done(submit(request).queued.front().row, 1, 2));
  }
  fs::path copy() const { return folder_ / "copies" / "monday.db"; }
};

TEST_F(BackupTest, HasEveryResultAndIsOneFileOfThisUser) {
  const auto backup = back_up(file(), copy());
  ASSERT_TRUE(backup) << backup.error().message;
  EXPECT_EQ(backup->sweeps, 1);
  EXPECT_EQ(backup->attempts, 2);
  EXPECT_EQ(backup->size.value, static_cast<std::int64_t>(fs::file_size(copy())));
  EXPECT_THAT(files_beside(), testing::ElementsAre("monday.db"));
  struct stat found {};
  ASSERT_EQ(::stat(copy().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600u);
  auto reader = Reader::open(copy(), catalog_);
  ASSERT_TRUE(reader) << reader.error().message;
  const auto found_sweep = (*reader)->find_sweep("s");
  ASSERT_TRUE(found_sweep);
  EXPECT_EQ(found_sweep->counts.of(Outcome::kDone), 1);
}

TEST_F(BackupTest, OfADatabaseBesideWhichNothingCanBeWrittenHasItsLogToo) {
  const fs::path old = folder_ / "old.db";
  fs::copy_file(file(), old);
  fs::copy_file(file().string() + "-wal", old.string() + "-wal");
  // SQLite does not follow a link there, so it cannot make its index, as in a read-only folder.
  fs::create_symlink("/nowhere", old.string() + "-shm");
  const auto backup = back_up(old, copy());
  ASSERT_TRUE(backup) << backup.error().message;
  EXPECT_EQ(backup->attempts, 2);
  EXPECT_THAT(files_beside(), testing::ElementsAre("monday.db"));
}

TEST_F(BackupTest, SurvivesAPowerLossWithItsName) {
  const auto synced = synced_by([&] { ASSERT_TRUE(back_up(file(), copy())); });
  ASSERT_GE(synced.size(), 2U);
  EXPECT_THAT(synced[synced.size() - 2], HasSubstr(".part")) << "first its pages";
  EXPECT_EQ(synced.back(), copy().parent_path().string()) << "then its name";
}

TEST_F(BackupTest, IsOfOneMomentWhileTheStoreWrites) {
  ASSERT_TRUE(back_up(file(), copy()));
  const NewSweep later = sweep("later", {{{"context", "3"}}});
  submit(later);
  auto reader = Reader::open(copy(), catalog_);
  ASSERT_TRUE(reader);
  EXPECT_FALSE((*reader)->find_sweep("later"));
}

TEST_F(BackupTest, ReplacesNothingUnasked) {
  std::ofstream(copy()) << "precious";
  const auto refused = back_up(file(), copy());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("monday.db exists"));
  EXPECT_EQ(fs::file_size(copy()), 8u);
  ASSERT_TRUE(back_up(file(), copy(), Replace::kYes));
  EXPECT_GT(fs::file_size(copy()), 8u);
}

TEST_F(BackupTest, NamesWhatIsWrongWithTheTarget) {
  const auto message = [&](const fs::path& to) {
    const auto backup = back_up(file(), to, Replace::kYes);
    return backup ? std::string("it worked") : backup.error().message;
  };
  EXPECT_THAT(message(folder_ / "nowhere" / "x.db"), HasSubstr("nowhere does not exist"));
  EXPECT_THAT(message(folder_ / "copies"), HasSubstr("is a folder"));
  EXPECT_THAT(message(file()), HasSubstr("is the database itself"));
  EXPECT_THAT(message("/proc/x.db"), HasSubstr("cannot write /proc/"));
}

// SQLite would write its pages into the database of that name, or those of an old log beside it
// into the copy.
TEST_F(BackupTest, IsNoPartOfADatabaseThatIsInUse) {
  const auto message = [&](const fs::path& to, const fs::path& state_folder = {}) {
    const auto backup = back_up(file(), to, Replace::kYes, state_folder);
    return backup ? std::string("it worked") : backup.error().message;
  };
  const auto before = sql("SELECT count(*) FROM sweep");
  for (const char* ending : {"-wal", "-shm", "-journal"}) {
    EXPECT_THAT(message(file().string() + ending), HasSubstr("is one of SQLite's")) << ending;
    EXPECT_THAT(message(copy().string() + ending), HasSubstr("is one of SQLite's")) << ending;
  }
  EXPECT_EQ(sql("SELECT count(*) FROM sweep"), before);
  std::ofstream(copy().string() + "-wal") << "of a daemon that was killed";
  EXPECT_THAT(message(copy()), HasSubstr("monday.db-wal is there, so"));
  fs::remove(copy().string() + "-wal");

  fs::create_directory_symlink(folder_ / "copies", folder_ / "elsewhere");
  for (const fs::path& to :
       {copy(), folder_ / "elsewhere" / "x.db", folder_ / "copies" / ".." / "copies" / "lock"}) {
    EXPECT_THAT(message(to, folder_ / "copies"), HasSubstr("is in the state folder")) << to;
    EXPECT_THAT(message(to, folder_ / "elsewhere"), HasSubstr("is in the state folder")) << to;
  }
  EXPECT_THAT(files_beside(), testing::IsEmpty());
  EXPECT_EQ(message(copy(), folder_ / "cop"), "it worked");
}

// Root's copy to /dev/null would take its name away from the whole machine.
TEST_F(BackupTest, GivesTheNameOfADeviceToNoCopy) {
  ASSERT_EQ(::mkfifo(copy().c_str(), 0600), 0);
  fs::create_symlink(copy(), folder_ / "copies" / "link.db");
  for (const fs::path& to : {copy(), folder_ / "copies" / "link.db"}) {
    const auto backup = back_up(file(), to, Replace::kYes);
    ASSERT_FALSE(backup) << to;
    EXPECT_THAT(backup.error().message, HasSubstr("is neither a file nor a new name"));
  }
  EXPECT_TRUE(fs::is_fifo(copy()));
  EXPECT_TRUE(fs::is_symlink(folder_ / "copies" / "link.db"));
}

TEST_F(BackupTest, KeepsNoCopyOfADamagedDatabase) {
  reader_.reset();
  ASSERT_TRUE(store_->checkpoint());  // else the log still has every page
  store_.reset();
  std::filesystem::remove(file().string() + "-wal");
  {
    // All but the first page, which identifies it as a database.
    std::fstream damaged(file(), std::ios::in | std::ios::out | std::ios::binary);
    damaged.seekp(4096);
    damaged << std::string(fs::file_size(file()) - 4096, 'x');
  }
  const auto backup = back_up(file(), copy());
  ASSERT_FALSE(backup);
  EXPECT_THAT(backup.error().message, HasSubstr("malformed"));
  EXPECT_THAT(files_beside(), testing::IsEmpty());
}

}  // namespace
}  // namespace sweepd
