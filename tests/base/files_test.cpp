#include "runner/base/files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <fstream>

#include "runner/base/ids.h"
#include "tests/full_disk.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path fifo(const std::string& name) const {
    EXPECT_EQ(::mkfifo((folder_ / name).c_str(), 0600), 0);
    return folder_ / name;
  }
  fs::path link(const std::string& name, const fs::path& target) const {
    fs::create_symlink(target, folder_ / name);
    return folder_ / name;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("files-" + random_id());
};

void expect_refused(const Result<std::string>& read, ErrorCode code, const std::string& why) {
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, code);
  EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
}

TEST_F(FilesTest, RegularFilesAreRead) {
  const fs::path file = write("a", "text");
  EXPECT_EQ(*read_regular(file, Links::kRefuse), "text");
  EXPECT_EQ(*read_regular(file, Links::kRefuse, 2), "te");
  EXPECT_EQ(*read_regular(link("to-a", file), Links::kFollow), "text");
  EXPECT_EQ(*read_regular(write("empty", ""), Links::kRefuse), "");
}

// Without O_NONBLOCK the test would hang here: the FIFO has no writer.
TEST_F(FilesTest, WhatIsNoRegularFileIsRefusedByName) {
  constexpr ErrorCode kWrong = ErrorCode::kInvalidArgument;
  expect_refused(read_regular(fifo("pipe"), Links::kFollow), kWrong, "is a FIFO; expected a regu");
  expect_refused(read_regular(folder_, Links::kFollow), kWrong, "is a folder");
  expect_refused(read_regular("/dev/zero", Links::kFollow), kWrong, "is a device");
  expect_refused(read_regular(link("to-b", write("b", "x")), Links::kRefuse), kWrong,
                 "is a symbolic link");
  expect_refused(read_regular(folder_ / "none", Links::kFollow), ErrorCode::kNotFound,
                 "none`: No such file");
}

TEST_F(FilesTest, AFileIsReplacedWholeOrNotAtAll) {
  const fs::path file = write("a", "old");
  {
    const FullDisk disk(4096);
    const auto refused = replace_file(file, std::string(10'000, 'x'));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  }
  EXPECT_EQ(*read_regular(file, Links::kRefuse), "old");
  const auto before = UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(replace_file(file, "new"));
  EXPECT_EQ(*read_regular(file, Links::kRefuse), "new");
  EXPECT_EQ(*read_all(before.get()), "old") << "a reader keeps what it opened";
}

TEST_F(FilesTest, TreesAreCopiedWithoutLinks) {
  const fs::path secret = write("outside", "a secret of this machine");
  const fs::path from = folder_ / "from";
  fs::create_directories(from / "inner");
  write("from/a", "one");
  write("from/inner/b", "two");
  link("from/stolen", secret);
  link("from/inner/everything", "/etc");
  fifo("from/pipe");
  ASSERT_EQ(::chmod((from / "a").c_str(), 0666), 0);
  std::int64_t left_out = 0;
  const fs::path to = folder_ / "to";
  ASSERT_TRUE(copy_tree(from, to, left_out));
  EXPECT_EQ(left_out, 3);
  EXPECT_EQ(*read_regular(to / "a", Links::kRefuse), "one");
  EXPECT_EQ(*read_regular(to / "inner/b", Links::kRefuse), "two");
  EXPECT_FALSE(fs::exists(fs::symlink_status(to / "stolen")));
  EXPECT_FALSE(fs::exists(fs::symlink_status(to / "inner/everything")));
  EXPECT_EQ(fs::status(to / "a").permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(to / "inner").permissions(), fs::perms(0700));
}

TEST_F(FilesTest, ATreeThatIsALinkIsNotCopied) {
  fs::create_directories(folder_ / "real");
  std::int64_t left_out = 0;
  EXPECT_FALSE(copy_tree(link("linked", folder_ / "real"), folder_ / "to", left_out));
  EXPECT_FALSE(fs::exists(folder_ / "to"));
}

}  // namespace
}  // namespace sweepd
