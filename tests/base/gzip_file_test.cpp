// Tests that a compressed file reads as the file that it was, and that nothing is lost on the way.
#include "runner/base/gzip_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <fstream>

#include "runner/base/ids.h"
#include "tests/full_disk.h"
#include "tests/killed_child.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class GzipFileTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    write(file_, text_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string many_lines() {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += "line " + std::to_string(i) + "\n";
    return text;  // more than two pieces of a MiB
  }
  static void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  }
  static std::string content_of(const fs::path& file) {
    return *read_regular(file, Links::kRefuse);
  }
  Result<Compression> compress() const { return compress_file(file_, stop_); }
  std::string read_whole() const {
    auto file = GzipFile::open(file_, Links::kRefuse);
    if (!file) return file.error().message;
    std::string text;
    while (true) {
      const auto piece = file->read(100'000);
      if (!piece) return text + piece.error().message;
      if (piece->empty()) return text;
      text += *piece;
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("kept-" + random_id());
  const fs::path file_ = folder_ / "events.0.ndjson";
  const std::string text_ = many_lines();
  std::atomic<bool> stop_ = false;
};

TEST_F(GzipFileTest, ReadsAsItWas) {
  EXPECT_EQ(read_whole(), text_);
  EXPECT_EQ(plain_or_gzip(file_), file_);
  ASSERT_EQ(::chmod(file_.c_str(), 0640), 0);
  ASSERT_TRUE(compress());
  EXPECT_THAT(names(), testing::ElementsAre("events.0.ndjson.gz"));
  EXPECT_EQ(plain_or_gzip(file_), compressed(file_));
  EXPECT_EQ(read_whole(), text_);
  EXPECT_LT(fs::file_size(compressed(file_)), text_.size() / 3);
  EXPECT_EQ(fs::status(compressed(file_)).permissions(), fs::perms(0640));
}

TEST_F(GzipFileTest, ItsEndIsTheSame) {
  const auto tail = [this](std::int64_t bytes) {
    auto file = GzipFile::open(file_, Links::kRefuse);
    EXPECT_TRUE(file) << file.error().message;
    return *file->read_tail(bytes);
  };
  const GzipFile::Tail before = tail(1'500'000), all = tail(1 << 30);
  ASSERT_TRUE(compress());
  EXPECT_EQ(tail(1'500'000).text, before.text);
  EXPECT_EQ(tail(1'500'000).skipped_bytes, before.skipped_bytes);
  EXPECT_EQ(tail(1 << 30).text, all.text);
  EXPECT_EQ(tail(1 << 30).skipped_bytes, 0);
}

// A few kilobytes may become terabytes.
TEST_F(GzipFileTest, TheEndOfAGzipBombIsNotLookedFor) {
  write(file_, std::string(8 << 20, 'x'));
  ASSERT_TRUE(compress());
  auto file = GzipFile::open(file_, Links::kRefuse);
  ASSERT_TRUE(file);
  const auto tail = file->read_tail(100, 3 << 20);
  ASSERT_FALSE(tail);
  EXPECT_EQ(tail.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(tail.error().message, HasSubstr("has more than 3MiB when it is not compressed"));
  EXPECT_EQ(file->read(1)->size(), 1U);  // it stopped before the end
}

TEST_F(GzipFileTest, ZcatReadsItToo) {
  ASSERT_TRUE(compress());
  FILE* pipe = ::popen(("gzip -dc " + compressed(file_).string()).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  EXPECT_EQ(*read_all(::fileno(pipe)), text_);
  EXPECT_EQ(::pclose(pipe), 0);
}

TEST_F(GzipFileTest, AnEmptyOneStaysEmpty) {
  write(file_, "");
  ASSERT_TRUE(compress());
  EXPECT_EQ(read_whole(), "");
  EXPECT_TRUE(fs::exists(compressed(file_)));
}

TEST_F(GzipFileTest, NeitherIsAnErrorThatNamesTheOriginal) {
  const auto file = GzipFile::open(folder_ / "log.0.txt", Links::kRefuse);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(file.error().message, HasSubstr("log.0.txt`"));
}

// As a killed compressor leaves them.
TEST_F(GzipFileTest, OfTwoTheOriginalCounts) {
  ASSERT_TRUE(compress());
  write(compressed(file_), "torn");
  write(file_, "whole");
  EXPECT_EQ(read_whole(), "whole");
  ASSERT_TRUE(compress());
  EXPECT_EQ(read_whole(), "whole");
}

TEST_F(GzipFileTest, ATornOneGivesWhatItHasAndAnError) {
  ASSERT_TRUE(compress());
  fs::resize_file(compressed(file_), fs::file_size(compressed(file_)) / 2);
  const std::string read = read_whole();
  EXPECT_EQ(read.substr(0, 1'000'000), text_.substr(0, 1'000'000));
  EXPECT_THAT(read, HasSubstr("cannot read `" + compressed(file_).string()));
}

TEST_F(GzipFileTest, WhatGzipDidNotWriteIsRefused) {
  fs::remove(file_);
  write(compressed(file_), text_);
  EXPECT_THAT(read_whole(), HasSubstr("is not compressed with gzip"));
  fs::remove(compressed(file_));
  fs::create_symlink("/etc/passwd", compressed(file_));
  EXPECT_THAT(read_whole(), HasSubstr("is a symbolic link"));
}

TEST_F(GzipFileTest, ByItsContentTheNameDoesNotMatter) {
  const auto read = [](const fs::path& file) {
    auto opened = GzipFile::open_by_content(file, Links::kRefuse);
    return opened ? *opened->read(INT64_MAX) : opened.error().message;
  };
  EXPECT_EQ(read(file_), text_);
  ASSERT_TRUE(compress());
  EXPECT_THAT(read(file_), HasSubstr("events.0.ndjson`")) << "another file's name is not tried";
  EXPECT_EQ(read(compressed(file_)), text_);
  fs::rename(compressed(file_), file_);
  EXPECT_EQ(read(file_), text_);
  write(file_, "\x1f");
  EXPECT_EQ(read(file_), "\x1f");
}

TEST_F(GzipFileTest, ALinkIsNotCompressed) {
  const fs::path secret = folder_ / "secret";
  fs::rename(file_, secret);
  fs::create_symlink(secret, file_);
  EXPECT_FALSE(compress());
  EXPECT_THAT(names(), testing::ElementsAre("events.0.ndjson", "secret"));
}

TEST_F(GzipFileTest, StopsAndLeavesTheOriginal) {
  stop_ = true;
  EXPECT_EQ(*compress(), Compression::kStopped);
  EXPECT_THAT(names(), testing::ElementsAre("events.0.ndjson"));
}

TEST_F(GzipFileTest, AFullDiskLeavesTheOriginal) {
  for (const rlim_t room : {0, 4096, 200'000}) {
    const FullDisk disk(room);
    const auto refused = compress();
    ASSERT_FALSE(refused) << room;
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
    EXPECT_THAT(refused.error().message, HasSubstr("events.0.ndjson.gz"));
  }
  EXPECT_THAT(names(), testing::ElementsAre("events.0.ndjson"));
  EXPECT_EQ(read_whole(), text_);
}

// A power loss keeps only synced data: first the content of the new file, then its name; only then
// is the original removed.
TEST_F(GzipFileTest, ThePowerMayFailAtAnyMoment) {
  const TracedRun run = run_traced([this] { static_cast<void>(compress()); });
  if (run.ended == Ended::kUntraceable) GTEST_SKIP() << "no process may be traced here";
  std::string order;
  for (const std::uint64_t call : run.calls) {
    if (call == SYS_fsync) order += "sync ";
    if (call == SYS_rename || call == SYS_renameat || call == SYS_renameat2) order += "rename ";
    if (call == SYS_unlink || call == SYS_unlinkat) order += "remove ";
  }
  EXPECT_EQ(order, "remove sync rename sync remove ");  // the first: an earlier call's leftovers
  EXPECT_EQ(read_whole(), text_);
}

TEST_F(GzipFileTest, KilledAtAnySystemCallItReadsAsItWas) {
  const std::string text = text_.substr(0, 200'000);
  for (int stop = 0;; ++stop) {
    fs::remove(compressed(file_));
    write(file_, text);
    const Ended ended = run_traced([this] { static_cast<void>(compress()); }, stop).ended;
    if (ended == Ended::kUntraceable) GTEST_SKIP() << "no process may be traced here";
    ASSERT_EQ(read_whole(), text) << "killed at stop " << stop;
    if (ended == Ended::kByItself) break;
    ASSERT_LT(stop, 1000);
  }
  // The next call finishes a killed one's work.
  write(compressed(file_).string() + ".new", "half");
  write(file_, text);
  ASSERT_TRUE(compress());
  EXPECT_THAT(names(), testing::ElementsAre("events.0.ndjson.gz"));
  EXPECT_EQ(read_whole(), text);
}

}  // namespace
}  // namespace sweepd
