#include "runner/client/doctor/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/base/text.h"
#include "runner/client/doctor/gpu_findings.h"

namespace sweepd {
namespace {

constexpr Bytes kLittleDisk = 5_GiB, kNoDisk = {500 << 20};
constexpr Bytes kLittleMemory = 4_GiB;
constexpr double kBusyCores = 0.1;
constexpr std::int64_t kFewOpenFiles = 1024;
constexpr Duration kSlowStart = seconds(3);

Finding cpu(const CpuFacts& cpu) {
  std::string found = fmt::format("{}, {} usable core{}", cpu.model, cpu.usable_cores,
                                  cpu.usable_cores == 1 ? "" : "s");
  if (cpu.sockets > 1) found += fmt::format(", {} sockets", cpu.sockets);
  if (cpu.numa_nodes > 1) found += fmt::format(", {} NUMA nodes", cpu.numa_nodes);
  if (cpu.smt && *cpu.smt) found += ", two hardware threads a core";
  if (cpu.mhz) found += fmt::format(", {} MHz now", *cpu.mhz);
  return ok("CPU", found);
}

Finding quota(const CpuFacts& cpu) {
  std::string found = fmt::format("{:.3g} of {} core{}", *cpu.quota, cpu.affine_cores,
                                  cpu.affine_cores == 1 ? "" : "s");
  const CpuThrottling& throttling = cpu.throttling;
  if (throttling.throttled > 0) {
    found += fmt::format(", used up in {} of {} periods", throttling.throttled, throttling.periods);
  }
  if (*cpu.quota >= static_cast<double>(cpu.affine_cores)) return ok("CPU quota", found);
  return {
      "CPU quota", Health::kWarning, found,
      fmt::format("This is the limit of the control group. All attempts together get {} core{}; "
                  "timings during which the quota is used up are marked `suspect`.",
                  cpu.usable_cores, cpu.usable_cores == 1 ? "" : "s"),
      "raise it: `--cpus` of docker, `resources.limits.cpu` of Kubernetes, `CPUQuota=` of "
      "systemd"};
}

Finding governor(const CpuFacts& cpu) {
  if (cpu.governors.empty()) {
    return ok("governor", cpu.hypervisor.empty() ? "the kernel offers none"
                                                 : "left to the host (" + cpu.hypervisor + ")");
  }
  const std::string all = join(cpu.governors, ", ");
  if (cpu.governors == std::vector<std::string>{"performance"}) return ok("governor", all);
  return {"governor", Health::kWarning, all,
          "Clocks that rise with the load make the first steps slower than the rest.",
          "sudo cpupower frequency-set -g performance"};
}

Finding turbo(const CpuFacts& cpu) {
  if (!cpu.turbo) return ok("turbo", "unknown");
  if (!*cpu.turbo) return ok("turbo", "off");
  return ok("turbo", "on: CPU timings depend on temperature and on how many cores work");
}

Finding memory(const MemoryFacts& memory) {
  std::string found =
      fmt::format("{} of {} free", to_human(memory.available), to_human(memory.total));
  if (memory.cgroup_limit) {
    found += fmt::format(", limited to {} here", to_human(*memory.cgroup_limit));
  }
  if (memory.available < kLittleMemory) {
    return {"memory", Health::kWarning, found,
            "Larger models will end `oom`: the small one with fp32 AdamW takes about 2 GiB before "
            "activations.",
            "ps -eo pid,rss,comm --sort=-rss | head"};
  }
  return ok("memory", found);
}

Finding swap(const MemoryFacts& memory) {
  if (memory.swap_used.value == 0) {
    return ok("swap", memory.swap_total.value == 0 ? "none" : "none in use");
  }
  return {"swap", Health::kWarning, to_human(memory.swap_used) + " in use",
          "Pages that are swapped in during a step are part of its time.",
          "sudo swapoff -a && sudo swapon -a"};
}

Finding load(const LoadFacts& load) {
  std::vector<std::string> names;
  double cores = 0;
  for (const BusyProcess& process : load.busy) {
    if (process.cores < kBusyCores) continue;
    cores += process.cores;
    names.push_back(fmt::format("{} ({}) {:.1f}", process.name, process.pid, process.cores));
  }
  const std::string average = fmt::format("load average {:.1f}", load.load_average);
  if (names.empty()) return ok("other load", "none, " + average);
  constexpr std::size_t kShown = 4;
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return {"other load", Health::kWarning,
          fmt::format("{:.1f} cores: {}{}; {}", cores, join(names, ", "),
                      more > 0 ? fmt::format(" and {} more", more) : "", average),
          "They take cores and caches from measurements; such timings are marked `suspect`.",
          "stop them, or wait"};
}

Finding huge_pages(const CpuFacts& cpu) {
  if (cpu.huge_pages.empty()) return ok("huge pages", "unknown");
  if (cpu.huge_pages != "never") return ok("huge pages", "transparent: " + cpu.huge_pages);
  return {"huge pages", Health::kWarning, "transparent: never",
          "Large matrices in 4 KiB pages miss the TLB more often, and CPU timings come out higher.",
          "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Finding worker(const WorkerFacts& worker) {
  if (worker.error.empty()) {
    const std::string found = fmt::format("{}, {} workloads, starts in {}", worker.version,
                                          worker.workloads, to_human(worker.describe_time));
    if (!worker.complaint.empty()) {
      return {"worker", Health::kProblem, found + "; " + worker.complaint,
              "Sweeps of the workloads in it are refused.", "install sweepd again"};
    }
    if (worker.describe_time < kSlowStart) return ok("worker", found);
    return {"worker", Health::kWarning, found,
            "Every attempt pays for a start; the first from a cold disk takes longer.",
            "sweepctl doctor"};
  }
  return {"worker", Health::kProblem, worker.path + ": " + worker.error,
          "sweepd cannot measure without it.",
          "tools/build release sweep-worker, or set SWEEPD_WORKER"};
}

Finding state_folder(const StateFacts& state) {
  if (!state.exists) return ok("state folder", state.folder + ", made at the first start");
  if (!state.writable) {
    return {"state folder", Health::kProblem, state.folder + " cannot be written",
            "The daemon keeps results, logs and its socket there.",
            "chmod u+rwx " + state.folder + ", or use --state-dir"};
  }
  if (state.network) {
    return {"state folder", Health::kProblem,
            fmt::format("{} is on {}", state.folder, state.file_system),
            "SQLite's write-ahead log needs shared memory, which a network file system does not "
            "have: the database can be damaged.",
            "sweepctl --state-dir /a/local/folder, or set SWEEPD_STATE_DIR"};
  }
  if (state.mode && (*state.mode & 077) != 0) {
    return {"state folder", Health::kWarning,
            fmt::format("{} has mode {:o}", state.folder, *state.mode),
            "Others can read the results; the daemon sets 700 when it starts.",
            "chmod 700 " + state.folder};
  }
  return ok("state folder", state.folder);
}

Finding disk(const StateFacts& state) {
  const std::string found = to_human(state.free) + " free";
  if (state.free < kNoDisk) {
    return {"disk", Health::kProblem, found,
            "No new attempt starts while results cannot be stored.", "df -h " + state.folder};
  }
  if (state.free < kLittleDisk) {
    return {"disk", Health::kWarning, found,
            "Traces and memory snapshots of large models are large.",
            "du -sh " + state.folder + "/runs"};
  }
  return ok("disk", found);
}

Finding open_files(const StateFacts& state) {
  if (state.open_files < 0) return ok("open files", "no limit");
  const std::string found = fmt::format("{} a process", state.open_files);
  if (state.open_files >= kFewOpenFiles) return ok("open files", found);
  return {"open files", Health::kWarning, found,
          "The daemon holds a few for every rank and client.",
          fmt::format("ulimit -n {}", state.open_files_hard < 0
                                          ? 4096
                                          : std::min<std::int64_t>(4096, state.open_files_hard))};
}

std::string by(const DaemonFacts& daemon) {
  const std::string& unit = daemon.supervisor.unit;
  return unit.empty() ? "not run by systemd" : "run by systemd as " + unit;
}

std::string restart_command(const DaemonFacts& daemon) {
  const Supervisor& supervisor = daemon.supervisor;
  return std::string(supervisor.of_user ? "systemctl --user" : "sudo systemctl") + " restart " +
         supervisor.unit;
}

Finding daemon(const DaemonFacts& daemon) {
  switch (daemon.daemon) {
    case Daemon::kNone:
      return ok("daemon", "none runs; the next command that needs one starts it");
    case Daemon::kSilent:
      return {"daemon", Health::kProblem, "it accepts connections, but does not answer",
              "Every command would wait for it.", "sweepctl stop --now"};
    case Daemon::kRunning:
      break;
  }
  const std::string found = fmt::format("{} ({}), {}", daemon.version, daemon.commit, by(daemon));
  if (daemon.version == daemon.client_version && daemon.commit == daemon.client_commit) {
    return ok("daemon", found + "; same as sweepctl");
  }
  return {
      "daemon", Health::kWarning,
      fmt::format("{}; sweepctl is {} ({})", found, daemon.client_version, daemon.client_commit),
      "A daemon of another build lacks newer requests.",
      daemon.supervisor.unit.empty() ? "sweepctl stop && sweepctl status"
                                     : restart_command(daemon)};
}

Finding out_of_service(const DaemonFacts::OutOfService& device) {
  const std::string index = device.device.substr(device.device.find(':') + 1);
  return {device.device, Health::kProblem, "out of service: " + device.fault,
          "Nothing new starts on it. The error is the GPU's, so other programs meet it too.",
          fmt::format("nvidia-smi -q -i {0}, then sudo nvidia-smi --gpu-reset -i {0} or a restart "
                      "of the machine, then sweepctl resume --device {1}",
                      index, device.device)};
}

Finding log(const DaemonFacts& daemon) {
  if (!daemon.supervisor.journal) return ok("log", daemon.log);
  return ok("log",
            fmt::format("the journal ({}) and {}", journal_command(daemon.supervisor), daemon.log));
}

Finding database(const DaemonFacts& daemon) {
  if (daemon.database.empty()) return ok("database", "none yet");
  const std::string size = to_human(daemon.database_size);
  if (!daemon.error.empty()) {
    return {"database", Health::kProblem, daemon.error, "Results can be neither stored nor read.",
            "sweepctl status, then look in sweepd.log"};
  }
  if (!daemon.problems.empty()) {
    return {"database", Health::kProblem, daemon.problems.front(),
            "The file is damaged; its results are also in the folders of the attempts.",
            "sweepctl stop --now, then sweepctl recover"};
  }
  return ok(
      "database",
      size + (daemon.checked_whole ? ", sound" : ", not checked completely: the time ran out"));
}

Finding place(const CpuFacts& cpu) {
  std::vector<std::string> parts;
  if (!cpu.container.empty()) parts.push_back("a container (" + cpu.container + ")");
  if (!cpu.hypervisor.empty()) parts.push_back("a virtual machine (" + cpu.hypervisor + ")");
  if (cpu.hypervisor.empty()) {
    return ok("runs in", parts.empty() ? "the machine itself" : join(parts, " in "));
  }
  return {"runs in", Health::kWarning, join(parts, " in "),
          "Other guests may take cores at any time; time that the hypervisor took is stored and "
          "makes a timing `suspect`.",
          ""};
}

}  // namespace

std::string_view name_of(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarning:
      return "warning";
    case Health::kProblem:
      break;
  }
  return "problem";
}

std::vector<Finding> examine(const MachineFacts& facts) {
  std::vector<Finding> findings{cpu(facts.cpu),     place(facts.cpu),      governor(facts.cpu),
                                turbo(facts.cpu),   huge_pages(facts.cpu), memory(facts.memory),
                                swap(facts.memory), load(facts.load)};
  if (facts.cpu.quota) findings.insert(findings.begin() + 1, quota(facts.cpu));
  for (Finding& of_gpus : examine_gpus(facts.cuda)) findings.push_back(std::move(of_gpus));
  findings.push_back(worker(facts.worker));
  findings.push_back(state_folder(facts.state));
  findings.push_back(disk(facts.state));
  findings.push_back(open_files(facts.state));
  findings.push_back(daemon(facts.daemon));
  for (const auto& device : facts.daemon.out_of_service) findings.push_back(out_of_service(device));
  findings.push_back(log(facts.daemon));
  findings.push_back(database(facts.daemon));
  return findings;
}

Health worst(const std::vector<Finding>& findings) {
  Health health = Health::kOk;
  for (const Finding& finding : findings) health = std::max(health, finding.health);
  return health;
}

}  // namespace sweepd
