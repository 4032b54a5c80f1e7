// If the machine fails and not the attempts, none of them ends, the reason is shown, and all run
// once the machine works again. The tests run in their own mount namespace, with a small file
// system below `runs`.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "runner/base/unique_fd.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

// Six attempts of trials that no other sweep has.
std::string six(const std::string& sweep) {
  static int warmup = 0;
  return "sweep: " + sweep + "\nworkload: noop\nparams: {warmup: " + std::to_string(++warmup) +
         "}\nmatrix: {steps: [1, 2, 3, 4, 5, 6]}\n";
}

std::string status_of(const Sandbox& box) {
  return box.ctl({"status"}).out;
}

bool is_in_trouble(const Sandbox& box, const std::string& reason) {
  const std::string status = status_of(box);
  return status.find("nothing new starts: attempts cannot start") != std::string::npos &&
         status.find(reason) != std::string::npos;
}

// Submits six attempts, of which none can run before the machine is mended.
void expect_none_ended_and_then_all(const Sandbox& box, const std::string& sweep,
                                    const std::string& reason, const std::function<void()>& mend) {
  SCOPED_TRACE(sweep);
  const std::string attempts =
      "select count(*) from sweep s join sweep_attempt sa on sa.sweep = s.id join attempt a on "
      "a.row = sa.attempt where s.name = '" +
      sweep + "'";
  ASSERT_EQ(box.ctl({"submit", "-"}, six(sweep)).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return is_in_trouble(box, reason); })) << status_of(box);
  EXPECT_EQ(box.sql(attempts + " and a.outcome is not null"), "0");
  mend();
  const Ran watched = box.ctl({"watch", sweep});
  EXPECT_EQ(watched.exit_code, 0) << watched.err;
  EXPECT_EQ(box.sql(attempts + " and a.outcome = 'done'"), "6");
  EXPECT_EQ(box.sql(attempts), "6") << "and nothing was measured twice";
  EXPECT_THAT(status_of(box), testing::Not(HasSubstr("nothing new starts")));
}

TEST(MachineFailure, AWorkerThatIsMovedAwayOrNotWholeCostsNothing) {
  const Sandbox box;
  const fs::path worker = box.folder() / "worker", away = box.folder() / "away";
  fs::create_symlink(TEST_SWEEP_WORKER, worker);
  ::setenv("SWEEPD_WORKER", worker.c_str(), 1);
  box.ctl({"status"});
  fs::rename(worker, away);
  expect_none_ended_and_then_all(box, "moved-away", "No such file or directory",
                                 [&] { fs::rename(away, worker); });
  // Half of the worker is there, as while it is being linked.
  fs::rename(worker, away);
  std::ofstream(worker) << "\177ELF";
  fs::permissions(worker, fs::perms::owner_all);
  expect_none_ended_and_then_all(box, "not-whole", "Exec format error", [&] {
    fs::remove(worker);
    fs::rename(away, worker);
  });
}

class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
      GTEST_SKIP() << "no mount namespace of its own: " << std::strerror(errno);
    }
    fs::create_directories(runs());
  }
  void TearDown() override {
    if (box_.daemon_pid() > 0) box_.ctl({"stop", "--now"});
    ::umount2(runs().c_str(), MNT_DETACH);
  }
  fs::path runs() const { return box_.state() / "runs"; }
  // Mounts it below `runs`, or changes the options of the mount there.
  void mount_runs(const std::string& options, unsigned long flags = 0) const {
    ASSERT_EQ(::mount("none", runs().c_str(), "tmpfs", flags, options.c_str()), 0)
        << std::strerror(errno);
  }
  // How many it uses.
  std::size_t inodes() const {
    struct statvfs info {};
    EXPECT_EQ(::statvfs(runs().c_str(), &info), 0);
    return info.f_files - info.f_ffree;
  }
  // Fills the file system except for this many bytes.
  void fill(std::size_t but_bytes) const {
    const UniqueFd fd(::open((runs() / "filler").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string block(4096, 'x');
    off_t size = 0;
    for (ssize_t n = 0; (n = ::write(fd.get(), block.data(), block.size())) > 0;) size += n;
    ASSERT_GT(size, 1 << 20);
    ASSERT_EQ(::ftruncate(fd.get(), size - static_cast<off_t>(but_bytes)), 0);
  }

  Sandbox box_;
};

TEST_F(SmallDisk, OneThatIsFullReadOnlyOrWithoutInodesCostsNothing) {
  mount_runs("size=4m");
  const auto remove_filler = [&] { fs::remove(runs() / "filler"); };
  fill(0);
  expect_none_ended_and_then_all(box_, "full", "No space left on device", remove_filler);
  // The request and a log fit, but no journal. The worker is the first to notice.
  fill(3 * 4096);
  expect_none_ended_and_then_all(box_, "fills-up", "No space left on device", remove_filler);
  mount_runs("size=4m", MS_REMOUNT | MS_RDONLY);
  expect_none_ended_and_then_all(box_, "read-only", "Read-only file system",
                                 [&] { mount_runs("size=4m", MS_REMOUNT); });
  const std::string used = std::to_string(inodes() + 1);
  mount_runs("size=4m,nr_inodes=" + used, MS_REMOUNT);
  std::ofstream(runs() / "filler").flush();
  expect_none_ended_and_then_all(box_, "no-inodes", "No space left on device",
                                 [&] { mount_runs("size=4m,nr_inodes=1000", MS_REMOUNT); });
}

// No parent receives its exit code.
TEST_F(SmallDisk, OneThatFillsUpWhileNoDaemonRunsCostsNothing) {
  mount_runs("size=4m");
  constexpr auto kSlowSteps = R"(sweep: quick
workload: fault
params: {kind: slow, sleep: 100ms, warmup: 0, steps: 20}
)";
  ASSERT_EQ(box_.ctl({"submit", "-"}, kSlowSteps).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return !box_.worker_pids().empty(); }));
  box_.kill_daemon();
  fill(0);
  ASSERT_TRUE(eventually([&] { return box_.worker_pids().empty(); }));
  fs::remove(runs() / "filler");
  EXPECT_EQ(box_.ctl({"watch", "quick"}).exit_code, 0) << box_.ctl({"show", "quick"}).out;
  EXPECT_EQ(box_.sql("select group_concat(outcome) from attempt"), "done");
}

}  // namespace
}  // namespace sweepd::e2e
