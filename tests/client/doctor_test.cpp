// Tests the findings of `doctor` on the facts of other machines.
#include "runner/client/doctor/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "runner/base/temporary_folder.h"
#include "runner/client/doctor/probe.h"

namespace sweepd {
namespace {

using testing::HasSubstr;

MachineFacts healthy() {
  MachineFacts facts;
  facts.cpu = {"AMD EPYC 9654", 192,  2,    2,         false, {"performance"},
               false,           2400, 3700, "madvise", "",    ""};
  facts.memory = {700_GiB, 690_GiB, {}, {}, {}};
  facts.cuda = {
      1, true, "580.65.06", {{"NVIDIA H200", 139_GiB, "", 0}}, "/opt/lib/libsweep_cuda.so", "13.0"};
  facts.worker = {"/opt/bin/sweep-worker", "sweep-worker 0.1.0 (abc)", "", milliseconds(150), 6};
  facts.state = {
      "/home/me/.local/state/sweepd", true, true, false, 0700, "ext4", 100_GiB, 4096, 524288};
  facts.daemon = {Daemon::kRunning, "0.1.0", "abc", "0.1.0", "abc", "/s/results.db",
                  10_MiB,           true,    {},    "",      {},    "/s/sweepd.log"};
  return facts;
}

TEST(Doctor, IsContentWithAHealthyMachine) {
  const auto findings = examine(healthy());
  EXPECT_EQ(worst(findings), Health::kOk);
  EXPECT_EQ(findings.size(), 21U);
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.health, Health::kOk) << finding.subject << ": " << finding.found;
    EXPECT_EQ(finding.mend, "") << finding.subject;
    EXPECT_NE(finding.found, "") << finding.subject;
  }
}

TEST(Doctor, WithoutAGpuThereIsNothingWrong) {
  MachineFacts facts = healthy();
  facts.cuda = {};
  const auto findings = examine(facts);
  EXPECT_EQ(worst(findings), Health::kOk);
  EXPECT_EQ(findings.size(), 17U) << "no driver, GPU load, GPU clocks, CUDA half";
}

struct WrongMachine {
  const char* subject;
  Health health;
  const char* mend;  // part of it
  std::function<void(MachineFacts&)> make;
};

TEST(Doctor, NamesWhatIsWrongAndWhatMendsIt) {
  const std::vector<WrongMachine> cases{
      {"governor", Health::kWarning, "sudo cpupower frequency-set -g performance",
       [](auto& f) {
         f.cpu.governors = {"performance", "powersave"};
       }},
      {"runs in", Health::kWarning, "", [](auto& f) { f.cpu.hypervisor = "KVM"; }},
      {"huge pages", Health::kWarning, "transparent_hugepage/enabled",
       [](auto& f) { f.cpu.huge_pages = "never"; }},
      {"memory", Health::kWarning, "ps -eo", [](auto& f) { f.memory.available = 1_GiB; }},
      {"swap", Health::kWarning, "swapoff",
       [](auto& f) {
         f.memory.swap_total = 8_GiB;
         f.memory.swap_used = 1_GiB;
       }},
      {"other load", Health::kWarning, "stop them",
       [](auto& f) {
         f.load.busy = {{4711, "cc1plus", 0.9}, {4712, "tail", 0.01}};
       }},
      {"GPU", Health::kProblem, "install the NVIDIA driver",
       [](auto& f) {
         f.cuda.gpus.clear();
         f.cuda.nvml = false;
       }},
      {"driver", Health::kProblem, "580", [](auto& f) { f.cuda.driver = "570.86.15"; }},
      {"GPU load", Health::kWarning, "nvidia-smi", [](auto& f) { f.cuda.gpus[0].processes = 2; }},
      {"GPU clocks", Health::kWarning, "nvidia-smi -q",
       [](auto& f) { f.cuda.gpus[0].throttle_reasons = "hw_slowdown"; }},
      {"CUDA half", Health::kProblem, "tools/build release",
       [](auto& f) { f.cuda.library.clear(); }},
      {"worker", Health::kProblem, "SWEEPD_WORKER",
       [](auto& f) { f.worker.error = "no LibTorch in /opt/lib"; }},
      {"worker", Health::kProblem, "install sweepd again",
       [](auto& f) { f.worker.complaint = "sweep-worker: `parallelism.so` is cut off"; }},
      {"worker", Health::kWarning, "", [](auto& f) { f.worker.describe_time = seconds(9); }},
      {"state folder", Health::kProblem, "chmod u+rwx", [](auto& f) { f.state.writable = false; }},
      {"state folder", Health::kProblem, "SWEEPD_STATE_DIR",
       [](auto& f) {
         f.state.network = true;
         f.state.file_system = "nfs";
       }},
      {"state folder", Health::kWarning, "chmod 700", [](auto& f) { f.state.mode = 0755; }},
      {"disk", Health::kWarning, "du -sh", [](auto& f) { f.state.free = 2_GiB; }},
      {"disk", Health::kProblem, "df -h", [](auto& f) { f.state.free = 100_MiB; }},
      {"open files", Health::kWarning, "ulimit -n 4096", [](auto& f) { f.state.open_files = 256; }},
      {"daemon", Health::kWarning, "sweepctl stop",
       [](auto& f) { f.daemon.client_commit = "def"; }},
      {"daemon", Health::kWarning, "systemctl --user restart sweepd.service",
       [](auto& f) {
         f.daemon.client_commit = "def";
         f.daemon.supervisor = {"sweepd.service", true, true};
       }},
      {"daemon", Health::kProblem, "sweepctl stop --now",
       [](auto& f) { f.daemon.daemon = Daemon::kSilent; }},
      {"cuda:1", Health::kProblem, "sweepctl resume --device cuda:1",
       [](auto& f) {
         f.daemon.out_of_service = {{"cuda:1", "uncorrectable ECC error"}};
       }},
      {"database", Health::kProblem, "sweepctl recover",
       [](auto& f) { f.daemon.problems = {"row 7 missing from index attempt_by_trial"}; }},
      {"database", Health::kProblem, "sweepd.log",
       [](auto& f) { f.daemon.error = "file is not a database"; }},
  };
  for (const WrongMachine& one : cases) {
    MachineFacts facts = healthy();
    one.make(facts);
    int found = 0;
    for (const Finding& finding : examine(facts)) {
      if (finding.health == Health::kOk) continue;
      ++found;
      EXPECT_EQ(finding.subject, one.subject);
      EXPECT_EQ(finding.health, one.health) << one.subject;
      EXPECT_THAT(finding.mend, HasSubstr(one.mend));
      EXPECT_NE(finding.why, "") << one.subject;
    }
    EXPECT_EQ(found, 1) << one.subject;
  }
}

std::string found_of(const MachineFacts& facts, std::string_view subject) {
  for (const Finding& finding : examine(facts)) {
    if (finding.subject == subject) return finding.found;
  }
  return "";
}

TEST(Doctor, SaysWhetherSystemdRunsTheDaemonAndWhereTheLogIs) {
  MachineFacts facts = healthy();
  EXPECT_EQ(found_of(facts, "daemon"), "0.1.0 (abc), not run by systemd; same as sweepctl");
  EXPECT_EQ(found_of(facts, "log"), "/s/sweepd.log");
  facts.daemon.supervisor = {"sweepd.service", true, true};
  EXPECT_EQ(found_of(facts, "daemon"),
            "0.1.0 (abc), run by systemd as sweepd.service; same as sweepctl");
  EXPECT_EQ(found_of(facts, "log"),
            "the journal (journalctl --user-unit sweepd.service) and /s/sweepd.log");
}

TEST(Doctor, WarnsOfAQuotaBelowTheCores) {
  MachineFacts facts = healthy();
  facts.cpu.affine_cores = 2;
  facts.cpu.quota = 0.3;
  facts.cpu.usable_cores = 1;
  facts.cpu.throttling = {74, 65};
  EXPECT_THAT(found_of(facts, "CPU"), HasSubstr(", 1 usable core,"));
  EXPECT_EQ(found_of(facts, "CPU quota"), "0.3 of 2 cores, used up in 65 of 74 periods");
  EXPECT_EQ(worst(examine(facts)), Health::kWarning);
  facts.cpu.throttling = {};
  EXPECT_EQ(found_of(facts, "CPU quota"), "0.3 of 2 cores");
  facts.cpu.quota = 2;
  EXPECT_EQ(worst(examine(facts)), Health::kOk);
}

TEST(Doctor, SeesTheQuotaOfItsControlGroup) {
  const auto folder = TemporaryFolder::make("doctor");
  ASSERT_TRUE(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    const auto path = folder->path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  write("sys/fs/cgroup/cpu.stat", "nr_periods 10\nnr_throttled 3\n");
  const CpuFacts cpu = probe_cpu(folder->path());
  EXPECT_EQ(cpu.quota, 0.5);
  EXPECT_EQ(cpu.usable_cores, 1);
  EXPECT_GE(cpu.affine_cores, 1);
  EXPECT_EQ(cpu.throttling.periods, 10);
  EXPECT_EQ(cpu.throttling.throttled, 3);
}

TEST(Doctor, TellsWhoIsBusyAndLeavesTheIdleOut) {
  MachineFacts facts = healthy();
  facts.load = {3.2, {{4711, "cc1plus", 0.94}, {4712, "python", 0.5}, {4713, "tail", 0.02}}};
  for (const Finding& finding : examine(facts)) {
    if (finding.subject != "other load") continue;
    EXPECT_EQ(finding.found, "1.4 cores: cc1plus (4711) 0.9, python (4712) 0.5; load average 3.2");
  }
}

}  // namespace
}  // namespace sweepd
