// Tests that compacting an attempt's folder loses nothing, also after a crash or a disk error.
#include "runner/daemon/attempts/compact_folder.h"

#include <gmock/gmock.h>

#include <map>

#include "runner/base/ids.h"
#include "tests/daemon/attempt_files.h"
#include "tests/full_disk.h"
#include "tests/killed_child.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

// Of each file its content as it was written, by the name that it had.
using Contents = std::map<std::string, std::string>;

class CompactFolderTest : public testing::Test {
 protected:
  void SetUp() override { fill(); }
  void TearDown() override { fs::remove_all(path_); }

  // Two ranks: their journals and logs, small files, and a program's files.
  void fill() {
    fs::remove_all(path_);
    fs::create_directories(path_);
    for (int rank = 0; rank < 2; ++rank) {
      std::string lines;
      for (int i = 0; i < 500; ++i) lines += "{\"step\":" + std::to_string(i * (rank + 3)) + "}\n";
      write_text(folder_.events(rank), lines);
      write_text(folder_.log(rank), rank == 0 ? "short\n" : lines + "the last line\n");
      write_phase(folder_, rank, "forward");
      write_text(folder_.pid(rank), "1 2 of-another-boot\n");
    }
    write_text(folder_.request(), std::string(9000, 'r'));
    write_text(path_ / "result.txt", std::string(9000, 'o'));
    write_text(path_ / "events.csv", std::string(9000, 'c'));
    kept_ = contents();
  }
  Result<Compression> compact() const { return compact_folder(path_, stop_); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path_))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
  // Without the files about processes.
  Contents contents() const {
    Contents all;
    for (std::string name : names()) {
      if (AttemptFolder::is_of_process(name) || name.ends_with(".new")) continue;
      if (name.ends_with(".gz")) name.resize(name.size() - 3);
      auto file = GzipFile::open(path_ / name, Links::kRefuse);
      const auto text = file ? file->read(1 << 20) : Result<std::string>(file.error());
      all[name] = text ? *text : text.error().message;
    }
    return all;
  }

  const fs::path path_ = fs::path(testing::TempDir()) / random_id();
  const AttemptFolder folder_{path_};
  Contents kept_;
  std::atomic<bool> stop_ = false;
};

TEST_F(CompactFolderTest, CompressesRecordsAndLeavesTheRest) {
  const auto before = look_at_folder(path_);
  EXPECT_FALSE(before->compact);
  EXPECT_EQ(*compact(), Compression::kDone);
  EXPECT_THAT(names(), ElementsAre("events.0.ndjson.gz", "events.1.ndjson.gz", "events.csv",
                                   "log.0.txt", "log.1.txt.gz", "request.json", "result.txt"));
  EXPECT_EQ(contents(), kept_);
  const auto after = look_at_folder(path_);
  EXPECT_TRUE(after->compact);
  EXPECT_LT(after->size, before->size);
  EXPECT_EQ(*compact(), Compression::kDone);  // again
  EXPECT_EQ(contents(), kept_);
}

TEST_F(CompactFolderTest, StopsWhenItIsTold) {
  stop_ = true;
  EXPECT_EQ(*compact(), Compression::kStopped);
  EXPECT_THAT(names(), IsSupersetOf({"events.0.ndjson", "pid.0", "status.1"}));
  EXPECT_EQ(contents(), kept_);
}

TEST_F(CompactFolderTest, OneThatIsGoneIsNotFound) {
  fs::remove_all(path_);
  EXPECT_EQ(compact().error().code, ErrorCode::kNotFound);
  EXPECT_EQ(look_at_folder(path_).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(CompactFolderTest, AFullDiskLosesNothing) {
  {
    const FullDisk disk(100);
    const auto refused = compact();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  }
  EXPECT_EQ(contents(), kept_);
  EXPECT_THAT(names(), Not(testing::Contains(testing::EndsWith(".new"))));
  EXPECT_EQ(*compact(), Compression::kDone);
  EXPECT_EQ(contents(), kept_);
}

TEST_F(CompactFolderTest, KilledAtAnySystemCallItLosesNothing) {
  for (int stop = 0;; ++stop) {
    fill();
    const Ended ended = run_traced([this] { static_cast<void>(compact()); }, stop).ended;
    if (ended == Ended::kUntraceable) GTEST_SKIP() << "no process may be traced here";
    ASSERT_EQ(contents(), kept_) << "killed at stop " << stop;
    ASSERT_TRUE(compact()) << stop;
    ASSERT_EQ(contents(), kept_) << "killed at stop " << stop << ", then compacted";
    ASSERT_TRUE(look_at_folder(path_)->compact) << stop;
    if (ended == Ended::kByItself) break;
    ASSERT_LT(stop, 2000);
  }
}

}  // namespace
}  // namespace sweepd
