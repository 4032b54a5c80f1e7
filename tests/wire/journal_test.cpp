// Tests that a journal of any size and content costs no more than its limits allow.
#include "runner/wire/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>

#include "runner/base/gzip_file.h"
#include "runner/base/ids.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class JournalTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& text) const {
    std::ofstream(file_, std::ios::binary | std::ios::app) << text;
  }
  JournalRead read(const JournalLimits& limits = {}) {
    taken_ = 0;
    return read_journal(
        file_, 3, [this](const Event&) { ++taken_; }, limits);
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("journal-" + random_id());
  const fs::path file_ = folder_ / "events.3.ndjson";
  const std::string good_ = R"({"event":"fact","name":"a","text":"1"})"
                            "\n";
  int taken_ = 0;
};

// Most of the file is a hole, which takes no place on the disk.
TEST_F(JournalTest, OfTenGigabytesWithoutALineCostsTwoMebibytes) {
  write(good_);
  fs::resize_file(file_, std::uintmax_t{10} << 30);
  const JournalRead found = read();
  EXPECT_EQ(found.absurd,
            "the journal of rank 3 is not read to its end: events of rank 3, line 2: it is longer "
            "than 1MiB");
  EXPECT_LE(found.bytes, 2 << 20);
  EXPECT_EQ(taken_, 1);
  EXPECT_FALSE(found.unread);
}

TEST_F(JournalTest, ThatIsAGzipBombIsReadUpToItsLimit) {
  write(std::string(8 << 20, '\n'));
  std::atomic<bool> stop = false;
  ASSERT_TRUE(compress_file(file_, stop));
  ASSERT_LT(fs::file_size(compressed(file_)), 64U << 10);
  const JournalRead found = read({.bytes = 3 << 20});
  EXPECT_THAT(found.absurd, HasSubstr("it is longer than 3MiB"));
  EXPECT_LE(found.bytes, 4 << 20);
  EXPECT_EQ(read().absurd, "");
}

TEST_F(JournalTest, ManyBrokenLinesEndIt) {
  write(good_ + "x\ny\n");
  EXPECT_EQ(read({.broken_lines = 2}).absurd, "");
  EXPECT_EQ(read({.broken_lines = 2}).broken_lines, 2);
  write("z\n" + good_);
  const JournalRead found = read({.broken_lines = 2});
  EXPECT_THAT(found.absurd, HasSubstr("more than 2 of its lines are no events"));
  EXPECT_EQ(taken_, 1);
  for (int i = 0; i < 500; ++i) write("x\n");
  EXPECT_EQ(read().absurd, "");
  EXPECT_EQ(taken_, 2);
  EXPECT_EQ(read().broken_lines, 503);
  EXPECT_EQ(read().mistakes.size(), 10U);
  EXPECT_THAT(read().mistakes.front(), StartsWith("events of rank 3, line 2: not valid JSON"));
}

TEST_F(JournalTest, ThatIsNotThereOrTornSaysSo) {
  EXPECT_EQ(read().unread->code, ErrorCode::kNotFound);
  write(good_ + good_);
  std::atomic<bool> stop = false;
  ASSERT_TRUE(compress_file(file_, stop));
  fs::resize_file(compressed(file_), fs::file_size(compressed(file_)) - 6);
  const JournalRead found = read();
  ASSERT_TRUE(found.unread);
  EXPECT_EQ(found.unread->code, ErrorCode::kIo);
  EXPECT_EQ(found.absurd, "");
}

}  // namespace
}  // namespace sweepd
