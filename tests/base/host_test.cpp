#include "runner/base/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "runner/base/cgroup.h"
#include "runner/base/proc.h"

namespace sweepd {
namespace {

TEST(ProcStat, CountsFieldsFromTheLastParenthesis) {
  const std::string tail = " 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 1000 200 1 2\n";
  for (const std::string name : {"sh", "a b", "x) R 1", "((", ")"}) {
    const auto stat = parse_proc_stat("42 (" + name + ") S" + tail);
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->state, 'S') << name;
    EXPECT_EQ(stat->start_ticks, 987654U) << name;
    EXPECT_EQ(stat->bytes, 1000U) << name;
  }
}

TEST(ProcStat, KnowsWhereTheEnvironmentIs) {
  const auto own = read_proc_stat(::getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->environment_end - own->environment_begin,
            read_small_file("/proc/self/environ").size());
  EXPECT_EQ(parse_proc_stat("42 (a) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9 1000 200")
                ->environment_end,
            0U);
}

TEST(ProcStat, RefusesWhatIsCutShort) {
  for (const std::string_view text : {"", "42", "42 (sh", "42 (sh)", "42 (sh) ", "42 (sh) S 1 2 3",
                                      "42 (sh) S 1 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 x"}) {
    EXPECT_FALSE(parse_proc_stat(text)) << text;
  }
}

TEST(ProcField, TakesTheFirstLineWithTheKey) {
  constexpr std::string_view kText = "processor\t: 0\nmodel name\t: EPYC 7\nmodel name\t: other\n";
  EXPECT_EQ(proc_field(kText, "model name"), "EPYC 7");
  EXPECT_EQ(proc_field(kText, "model"), "");
  EXPECT_EQ(proc_field("MemTotal:       16384 kB", "MemTotal"), "16384 kB");
  EXPECT_EQ(proc_field("", "x"), "");
  EXPECT_EQ(proc_field("no colon here\n\n", "x"), "");
}

TEST(ShellField, TakesQuotesOff) {
  constexpr std::string_view kText =
      "NAME=\"Debian\"\nID=debian\nPRETTY_NAME='Debian 12'\nODD=\"x\n";
  EXPECT_EQ(shell_field(kText, "NAME"), "Debian");
  EXPECT_EQ(shell_field(kText, "ID"), "debian");
  EXPECT_EQ(shell_field(kText, "PRETTY_NAME"), "Debian 12");
  EXPECT_EQ(shell_field(kText, "ODD"), "\"x");
  EXPECT_EQ(shell_field(kText, "MISSING"), "");
}

TEST(ReadSmallFile, IsEmptyForWhatCannotBeRead) {
  EXPECT_EQ(read_small_file("/nowhere/at/all"), "");
  EXPECT_EQ(read_small_file("/proc"), "");
  EXPECT_FALSE(read_small_file("/proc/meminfo").empty());
}

TEST(Host, SaysWhoThisMachineIs) {
  const HostInfo host = read_host();
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_EQ(host.hostname, name.data());
  EXPECT_THAT(host.id, testing::MatchesRegex("[0-9a-f]{32}"));
  EXPECT_EQ(host.id, read_host().id);
  EXPECT_FALSE(host.cpu_model.empty());
  EXPECT_EQ(host.cores, cores_within_quota(static_cast<std::int64_t>(usable_cores().size()),
                                           cgroup_cpu_quota()));
  EXPECT_GE(host.sockets, 1);
  EXPECT_THAT(host.kernel, testing::StartsWith("Linux "));
  // In some containers /proc/meminfo shows less than the kernel's own count.
  EXPECT_GT(host.memory.value, 0);
  EXPECT_LE(host.memory.value, ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE));
}

TEST(UsableCores, FollowTheAffinityMask) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const std::vector<int> all = usable_cores();
  ASSERT_FALSE(all.empty());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(all.back()), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), std::vector<int>{all.back()});
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(ResidentSet, GrowsWithTouchedMemory) {
  const Bytes before = resident_set();
  EXPECT_GT(before.value, 0);
  const std::string touched(64 << 20, 'x');
  EXPECT_GE(resident_set().value - before.value, (60 << 20)) << touched.size();
}

TEST(LoadAverage, IsWhatTheKernelSays) {
  EXPECT_GE(load_average(), 0);
}

TEST(ProcessStartTime, NamesAProcessForGood) {
  const std::uint64_t own = process_start_time(::getpid());
  EXPECT_GT(own, 0U);
  EXPECT_EQ(own, process_start_time(::getpid()));
  EXPECT_EQ(process_start_time(0x3ffffff), 0U);  // beyond the kernel's largest pid, 2^22
}

TEST(ProcessStartTime, KnowsAZombieUntilItIsReaped) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  ASSERT_TRUE(read_proc_stat(child));
  EXPECT_EQ(read_proc_stat(child)->state, 'Z');
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(read_proc_stat(child));
}

}  // namespace
}  // namespace sweepd
