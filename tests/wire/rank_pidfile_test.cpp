#include "runner/wire/rank_pidfile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>

#include "runner/base/host.h"
#include "runner/base/proc.h"
#include "runner/base/unique_fd.h"

namespace sweepd {
namespace {

constexpr const char* kBoot = "01234567-89ab-cdef-0123-456789abcdef";

TEST(PidfileRecord, IsReadAsItIsWritten) {
  const auto record = parse_pidfile(fmt::format("4242 987654 {}\n", kBoot));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->pid, 4242);
  EXPECT_EQ(record->start_ticks, 987654U);
  EXPECT_EQ(record->boot_id, kBoot);
}

TEST(PidfileRecord, OfNoRankIsNone) {
  for (const std::string pid : {"0", "1", "-1", "-4242", "99999999999", "x", "", " 7", "+7"}) {
    EXPECT_FALSE(parse_pidfile(fmt::format("{} 987654 {}\n", pid, kBoot))) << pid;
  }
}

TEST(PidfileRecord, ThatIsCutOffIsNone) {
  const std::string whole = fmt::format("4242 987654 {}\n", kBoot);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(parse_pidfile(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_pidfile("4242 99\n")) << "as older versions wrote it";
  EXPECT_FALSE(parse_pidfile(whole + whole));
  EXPECT_FALSE(parse_pidfile(std::string(64, '\0')));
}

class Place : public testing::Test {
 protected:
  Place() {
    std::string name = (std::filesystem::temp_directory_path() / "sweepd-place-XXXXXX").string();
    fd_.reset(::mkstemp(name.data()));
    path_ = name;
  }
  ~Place() override { std::filesystem::remove(path_); }

  // Runs `act` in its own process and returns its exit code.
  static int in_child(const std::function<int()>& act) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(act());
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }
  // Returns 0 if no process holds it.
  pid_t holder() const {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    ::fcntl(fd_.get(), F_GETLK, &lock);
    return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
  }

  UniqueFd fd_;
  std::filesystem::path path_;
};

TEST_F(Place, SaysWhoTookIt) {
  ASSERT_EQ(take_pidfile(fd_.get()), 0);
  const auto record = parse_pidfile(read_small_file(path_));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->pid, ::getpid());
  EXPECT_EQ(record->start_ticks, process_start_time(::getpid()));
  EXPECT_EQ(record->boot_id, this_boot_id());
}

TEST_F(Place, IsForOneProcessAndKnownToTheKernel) {
  const pid_t here = ::getpid();
  ASSERT_EQ(take_pidfile(fd_.get()), 0);
  EXPECT_EQ(in_child([&] { return holder() == here ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([&] { return take_pidfile(fd_.get()); }), EAGAIN);
}

// Otherwise a program that a worker starts could be mistaken for the worker.
TEST_F(Place, IsNotInheritedByAForkAndGoesWithItsHolder) {
  const int in_grandchild = in_child([&] {
    if (take_pidfile(fd_.get()) != 0) return 2;
    const pid_t rank = ::getpid();
    return in_child([&] { return holder() == rank ? 0 : 1; });
  });
  EXPECT_EQ(in_grandchild, 0) << "the lock is the rank's, not its child's";
  EXPECT_EQ(holder(), 0);
}

TEST_F(Place, ThatWasGivenUpCannotBeTaken) {
  std::filesystem::remove(path_);
  EXPECT_EQ(take_pidfile(fd_.get()), ESTALE);
}

TEST(PidfileRecord, SaysWhetherTheRankHadNoJournal) {
  const std::string record = fmt::format("4242 987654 {}", kBoot);
  EXPECT_FALSE(parse_pidfile(record + "\n")->without_journal);
  const auto marked = parse_pidfile(record + "!");
  ASSERT_TRUE(marked);
  EXPECT_TRUE(marked->without_journal);
  EXPECT_EQ(marked->pid, 4242);
}

}  // namespace
}  // namespace sweepd
