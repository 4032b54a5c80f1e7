#include "runner/base/log_cap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "runner/base/files.h"
#include "runner/base/ids.h"

namespace sweepd {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr LogCap kSmall{.head_bytes = 1000, .tail_bytes = 500};

class LogCapTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(log_); }
  void append(const std::string& text) const { std::ofstream(log_, std::ios::app) << text; }
  void lines(int first, int end) const {
    std::string text;
    for (int i = first; i < end; ++i) text += "line " + std::to_string(i) + "\n";
    append(text);
  }
  std::string text() const { return read_regular(log_, Links::kRefuse).value(); }

  const std::filesystem::path log_ =
      std::filesystem::path(testing::TempDir()) / ("log-" + random_id());
};

TEST_F(LogCapTest, AShortLogStays) {
  lines(0, 200);
  const std::string before = text();
  EXPECT_EQ(cap_log(log_, kSmall).value(), static_cast<std::int64_t>(before.size()));
  EXPECT_EQ(text(), before);
}

TEST_F(LogCapTest, TheMiddleGoesAtEndsOfLinesAndIsCounted) {
  lines(1000, 2000);  // ten bytes each
  const std::int64_t size = cap_log(log_, kSmall).value();
  const std::string kept = text();
  EXPECT_EQ(size, static_cast<std::int64_t>(kept.size()));
  EXPECT_THAT(kept, StartsWith("line 1000\nline 1001\n"));
  EXPECT_THAT(kept,
              HasSubstr("line 1099\n[sweepd: 8,510 bytes left out here: a log keeps its first "
                        "1KB and its last 500B]\nline 1951\n"));
  EXPECT_THAT(kept, EndsWith("line 1999\n"));
}

TEST_F(LogCapTest, WhatWasLeftOutBeforeIsCountedToo) {
  std::int64_t written = 0;
  for (int i = 0; i < 20; ++i) {
    lines(1000, 1300);
    written += 3000;
    ASSERT_TRUE(cap_log(log_, kSmall));
  }
  const std::string kept = text();
  const std::size_t line = kept.find("[sweepd: ");
  ASSERT_NE(line, std::string::npos);
  EXPECT_EQ(kept.find("[sweepd: ", line + 1), std::string::npos) << "one line, not twenty";
  const std::size_t line_end = kept.find('\n', line) + 1;
  const std::int64_t whole = static_cast<std::int64_t>(kept.size() - (line_end - line));
  std::string digits;
  for (const char c : kept.substr(line + 9, kept.find(" bytes", line) - line - 9)) {
    if (c != ',') digits += c;
  }
  EXPECT_EQ(std::stoll(digits), written - whole);
}

TEST_F(LogCapTest, OneEndlessLineIsCutAnywhere) {
  append(std::string(5000, 'x'));
  ASSERT_TRUE(cap_log(log_, kSmall));
  EXPECT_THAT(text(), StartsWith(std::string(1000, 'x') + "\n[sweepd: 3,500 bytes left out"));
  append(std::string(5000, 'y'));
  ASSERT_TRUE(cap_log(log_, kSmall));
  EXPECT_THAT(text(), StartsWith(std::string(1000, 'x') + "\n[sweepd: 8,500 bytes left out"));
  EXPECT_THAT(text(), EndsWith("]\n" + std::string(500, 'y')));
}

TEST_F(LogCapTest, WhoeverAppendsGoesOnBehindTheEnd) {
  std::ofstream writer(log_, std::ios::app);
  writer << std::string(9000, 'x') << "\n" << std::flush;
  ASSERT_TRUE(cap_log(log_, kSmall));
  writer << "the last word\n" << std::flush;
  EXPECT_THAT(text(), EndsWith("x\nthe last word\n"));
}

TEST_F(LogCapTest, ALinkIsNotFollowed) {
  std::filesystem::create_symlink("/etc/passwd", log_);
  EXPECT_FALSE(cap_log(log_, kSmall));
}

}  // namespace
}  // namespace sweepd
