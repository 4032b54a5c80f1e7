// Tests that a file that is no sound export of nsys is refused with the reason, and runs nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/trace/nsys_database.h"

namespace sweepd::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kKernels =
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid);";

TEST(HostileNsysTest, FilesOfOtherKinds) {
  const NsysDatabase database;
  const std::filesystem::path file = database.folder() / "report.nsys-rep";
  const auto error = [&] { return read_nsys(file).error().message; };
  EXPECT_THAT(error(), HasSubstr("report.nsys-rep"));
  std::ofstream(file) << "NVIDIA Tegra Profiler Report";
  EXPECT_THAT(error(), AllOf(HasSubstr("it begins with `NVIDIA Tegra Pro`"),
                             HasSubstr("nsys export --type sqlite")));
  std::ofstream(file).close();
  EXPECT_THAT(error(), HasSubstr("it begins with ``"));
  EXPECT_FALSE(read_nsys(database.folder()));
}

TEST(HostileNsysTest, OtherDatabases) {
  EXPECT_THAT(
      NsysDatabase().error_of("CREATE TABLE song (title)"),
      AllOf(HasSubstr("expected a table `CUPTI_ACTIVITY_KIND_KERNEL`"), HasSubstr("found `song`")));
  EXPECT_THAT(NsysDatabase().error_of("PRAGMA user_version = 1"), HasSubstr("found no table"));
  EXPECT_THAT(NsysDatabase().error_of(kKernels), HasSubstr("no kernel, copy, call or range"));
}

TEST(HostileNsysTest, ColumnsThatEveryVersionHas) {
  EXPECT_THAT(
      NsysDatabase().error_of("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (begin, end, deviceId)"),
      AllOf(HasSubstr("export.sqlite"),
            HasSubstr("`CUPTI_ACTIVITY_KIND_KERNEL` has no column `start`"),
            HasSubstr("found `begin`, `end`, `deviceId`")));
}

TEST(HostileNsysTest, ValuesOfOtherTypes) {
  const auto error_of = [](const std::string& start) {
    return NsysDatabase().error_of(std::string(kKernels) +
                                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1), (" +
                                   start + ", 9, 0, 1)");
  };
  EXPECT_THAT(error_of("'soon'"), HasSubstr("row 2, column `start`: expected an integer, found "
                                            "the text `soon`"));
  EXPECT_THAT(error_of("NULL"), HasSubstr("found NULL"));
  EXPECT_THAT(error_of("x'00'"), HasSubstr("found a blob"));
  EXPECT_THAT(error_of("1.5"), HasSubstr("found the number 1.5"));
  EXPECT_THAT(error_of("-9223372036854775807"), HasSubstr("expected an integer below 2^61"));
  EXPECT_THAT(error_of("3"), IsEmpty());
}

// A view could compute for ever, and a virtual table runs code.
TEST(HostileNsysTest, AViewInPlaceOfATable) {
  const NsysDatabase database;
  const std::string endless =
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
      "SELECT x AS start, x AS end, 0 AS deviceId, 1 AS globalPid FROM n";
  EXPECT_THAT(database.error_of("CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS " + endless),
              HasSubstr("`CUPTI_ACTIVITY_KIND_KERNEL` is a view in it; expected a table"));
  EXPECT_THAT(database.error_of(std::string(kKernels) + "CREATE VIEW StringIds AS " + endless),
              HasSubstr("`StringIds` is a view in it"));
  EXPECT_THAT(
      database.error_of("CREATE VIRTUAL TABLE NVTX_EVENTS USING fts5(start, end, globalTid)"),
      HasSubstr("`NVTX_EVENTS` is a virtual table in it"));
}

TEST(HostileNsysTest, TriggersAndGeneratedColumnsDoNotMatter) {
  const auto timelines = NsysDatabase().read(std::string(kKernels) + R"(
    ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD COLUMN streamId AS (length(hex(zeroblob(1000))));
    CREATE TRIGGER t AFTER INSERT ON CUPTI_ACTIVITY_KIND_KERNEL BEGIN SELECT 1; END;
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1);
  )");
  ASSERT_TRUE(timelines) << timelines.error().message;
  EXPECT_EQ(timelines->front().work.front().stream, 0);
}

TEST(HostileNsysTest, TheFileIsNotChangedAndNothingIsWrittenBesideIt) {
  const NsysDatabase database;
  const auto file = database.write(std::string(kKernels) +
                                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1)");
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA journal_mode = WAL");
  const auto changed = std::filesystem::last_write_time(file);
  ASSERT_TRUE(read_nsys(file));
  EXPECT_EQ(std::filesystem::last_write_time(file), changed);
  EXPECT_FALSE(std::filesystem::exists(file.string() + "-shm"));
  std::ofstream(file.string() + "-wal") << "changes";
  EXPECT_THAT(read_nsys(file).error().message, HasSubstr("wal_checkpoint"));
}

TEST(HostileNsysTest, ANameWithCharactersOfUris) {
  const NsysDatabase database;
  const auto file = database.write(std::string(kKernels) +
                                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 1)");
  const auto odd = database.folder() / "50% of #1?mode=rw.sqlite";
  std::filesystem::rename(file, odd);
  EXPECT_TRUE(read_nsys(odd));
}

// Every page may be damaged. Nothing may crash, and no damage is hidden behind an empty message.
TEST(HostileNsysTest, ADamagedFile) {
  const NsysDatabase database;
  std::string rows;
  for (int i = 0; i < 300; ++i) rows += i == 0 ? "(1, 2, 0, 1)" : ", (3, 4, 0, 1)";
  const auto file = database.write(std::string(kKernels) +
                                   "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES " + rows);
  const auto size = std::filesystem::file_size(file);
  int refused = 0;
  for (std::uintmax_t at = 16; at < size; at += 97) {
    const auto copy = database.folder() / "damaged.sqlite";
    std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream bytes(copy, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekp(static_cast<std::streamoff>(at));
      bytes.write("\xff\xff\xff\xff", 4);
    }
    const auto timelines = read_nsys(copy);
    if (timelines) continue;
    ++refused;
    EXPECT_THAT(timelines.error().message, HasSubstr("damaged.sqlite"));
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace sweepd::trace
