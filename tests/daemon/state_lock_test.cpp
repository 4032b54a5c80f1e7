#include "runner/daemon/state_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "runner/base/ids.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

class StateLockTest : public testing::Test {
 protected:
  ~StateLockTest() override { std::filesystem::remove_all(state_.path().parent_path()); }

  // Its parent does not exist either.
  StateFolder state_{std::filesystem::temp_directory_path() / ("sweepd-lock-" + random_id()) /
                     "state"};
};

TEST_F(StateLockTest, MakesTheFolderForItsOwnerAlone) {
  const auto lock = lock_state_folder(state_);
  ASSERT_TRUE(lock) << lock.error().message;
  struct stat info {};
  ASSERT_EQ(::stat(state_.path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  EXPECT_TRUE(std::filesystem::is_directory(state_.runs()));
}

TEST_F(StateLockTest, ClosesAFolderThatWasOpenToOthers) {
  std::filesystem::create_directories(state_.path());
  ::chmod(state_.path().c_str(), 0755);
  ASSERT_TRUE(lock_state_folder(state_));
  struct stat info {};
  ::stat(state_.path().c_str(), &info);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(StateLockTest, ASecondOneIsToldWhoHoldsIt) {
  const auto first = lock_state_folder(state_);
  ASSERT_TRUE(first);
  const auto second = lock_state_folder(state_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(second.error().message, HasSubstr("pid " + std::to_string(::getpid()) + ";"));
  EXPECT_THAT(second.error().message, HasSubstr(state_.path().string()));
}

TEST_F(StateLockTest, TheLockGoesWithItsHolderAndAnOldPidIsOverwritten) {
  {
    const auto first = lock_state_folder(state_);
    ASSERT_TRUE(first);
  }
  std::ofstream(state_.lock()) << "123456789012345 of a daemon that died\n";
  ASSERT_TRUE(lock_state_folder(state_));
  std::string text;
  std::getline(std::ifstream(state_.lock()), text);
  EXPECT_EQ(text, std::to_string(::getpid()));
}

// The next daemon is often started before a killed one is completely gone.
TEST_F(StateLockTest, AHolderThatIsEndingIsWaitedFor) {
  auto ending = lock_state_folder(state_);
  ASSERT_TRUE(ending);
  std::ofstream(state_.lock()) << "123456789012345\n";  // no such process exists any more
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ending->reset();
  });
  const auto next = lock_state_folder(state_);
  end.join();
  EXPECT_TRUE(next) << next.error().message;
}

TEST_F(StateLockTest, AFileInTheWayIsNamed) {
  std::filesystem::create_directories(state_.path().parent_path());
  std::ofstream(state_.path()) << "not a folder";
  const auto lock = lock_state_folder(state_);
  ASSERT_FALSE(lock);
  EXPECT_EQ(lock.error().code, ErrorCode::kIo);
  EXPECT_THAT(lock.error().message, HasSubstr(state_.path().string()));
}

}  // namespace
}  // namespace sweepd
