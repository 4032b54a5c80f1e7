// The methods about the daemon and its machine.
#pragma once

#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct Status {
  static constexpr std::string_view kName = "status";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    std::string version, commit, state_folder, database, trouble;
    int pid = 0;
    std::int64_t queued = 0, held = 0;
    std::vector<RunningAttempt> running;
    std::vector<GivenAttempt> given;
    std::vector<std::string> paused_devices;
    std::vector<OutOfServiceEntry> out_of_service;
    Duration longest_hold{0};
    static void visit(auto& self, auto&& field) {
      field("version", self.version, "");
      field("commit", self.commit, "");
      field("pid", self.pid, "");
      field("state_folder", self.state_folder, "path");
      field("database", self.database, "path");
      field("queued", self.queued, "attempts");
      field("held", self.held, "among those queued, because their sweeps are paused");
      field("running", self.running, "");
      field("given", self.given, "among those queued");
      field("paused_devices", self.paused_devices, "on which nothing new starts");
      field("out_of_service", self.out_of_service,
            "devices that are at fault; nothing new starts on them either");
      field("longest_hold_ns", self.longest_hold,
            "the longest time that the event loop stood still");
      field("trouble", self.trouble,
            "a sentence that says why nothing starts now: results cannot be stored, or attempts "
            "cannot start");
    }
  };
};

struct Stop {
  static constexpr std::string_view kName = "stop";
  struct Request {
    bool now = false;
    static void visit(auto& self, auto&& field) {
      field("now", self.now, "running attempts continue without the daemon");
    }
  };
  struct Reply {
    std::int64_t running = 0, elsewhere = 0, queued = 0;
    static void visit(auto& self, auto&& field) {
      field("running", self.running,
            "on this machine; the daemon ends when they have ended, with `now` at once");
      field("elsewhere", self.elsewhere, "that run in clusters and continue without the daemon");
      field("queued", self.queued, "");
    }
  };
};

struct Noise {
  static constexpr std::string_view kName = "noise";
  struct Request {
    std::string sweep, phase = "step", metric = "time", slowdown = "5%";
    std::string tolerance = "2%", confidence = "99%";
    static void visit(auto& self, auto&& field) {
      field("sweep", self.sweep, kNamesASweep);
      field("phase", self.phase, "");
      field("metric", self.metric, "a time");
      field("slowdown", self.slowdown, "to be found, such as `5%` or `0.05`");
      field("tolerance", self.tolerance, "as for `compare`");
      field("confidence", self.confidence, "as for `compare`");
    }
  };
  struct Reply {
    Table table;
    static void visit(auto& self, auto&& field) {
      field("table", self.table, "a row for each point");
    }
  };
};

struct MergedRows {
  static constexpr std::string_view kTitle = "a count of merged rows";
  std::int64_t brought = 0, present = 0;
  static void visit(auto& self, auto&& field) {
    field("brought", self.brought, "");
    field("present", self.present, "there already");
  }
};

struct Merge {
  static constexpr std::string_view kName = "merge";
  struct Request {
    std::string database, runs;
    bool dry_run = false;
    static void visit(auto& self, auto&& field) {
      field("database", self.database, "path", Required(), IsPath());
      field("runs", self.runs, "path of its attempt folders, to copy them", IsPath());
      field("dry_run", self.dry_run, "only count");
    }
  };
  struct Reply {
    MergedRows sweeps, trials, attempts;
    std::int64_t samples = 0, open = 0;
    std::vector<std::string> hosts;
    std::optional<std::int64_t> folders, files_left_out;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "");
      field("trials", self.trials, "");
      field("attempts", self.attempts, "");
      field("samples", self.samples, "brought");
      field("open", self.open, "attempts left out: they have not ended there");
      field("hosts", self.hosts, "");
      field("folders", self.folders, "copied");
      field("files_left_out", self.files_left_out, "links, FIFOs and the like in them");
    }
  };
};

struct PeakEntry {
  static constexpr std::string_view kTitle = "a peak";
  std::string arithmetic, source;
  double flops_per_s = 0, bytes_per_s = 0;
  static void visit(auto& self, auto&& field) {
    field("arithmetic", self.arithmetic, "\"\" if only the bandwidth is known");
    field("flops_per_s", self.flops_per_s, "");
    field("bytes_per_s", self.bytes_per_s, "");
    field("source", self.source, "`measured` or `datasheet`");
  }
};

struct DeviceEntry {
  static constexpr std::string_view kTitle = "a device";
  std::string kind, uuid, name, driver, compute_capability;
  int index = 0;
  Bytes memory;
  std::vector<PeakEntry> peaks;
  std::string no_peak = {};
  std::optional<WallTime> paused;
  std::string fault = {}, fault_attempt = {};
  static void visit(auto& self, auto&& field) {
    field("kind", self.kind, "`cpu` or `cuda`");
    field("index", self.index, "");
    field("uuid", self.uuid, "");
    field("name", self.name, "");
    field("memory_bytes", self.memory, "");
    field("driver", self.driver, "");
    field("compute_capability", self.compute_capability, "");
    field("peaks", self.peaks, "");
    field("no_peak", self.no_peak,
          "why runs of `matmul` or `memcpy` gave it none; \"\" if they did, or if none ended");
    field("paused_ns", self.paused, "since 1970; only while nothing new starts on it");
    field("fault", self.fault, "why it is out of service; \"\" if it is not");
    field("fault_attempt", self.fault_attempt, "that met the fault");
  }
};

struct HostEntry {
  static constexpr std::string_view kTitle = "a host";
  std::string hostname, cpu, kernel, os, governor;
  std::int64_t cores = 0;
  Bytes memory;
  static void visit(auto& self, auto&& field) {
    field("hostname", self.hostname, "");
    field("cpu", self.cpu, "");
    field("cores", self.cores, "usable");
    field("memory_bytes", self.memory, "");
    field("kernel", self.kernel, "");
    field("os", self.os, "");
    field("governor", self.governor, "");
  }
};

struct ConfigFileEntry {
  static constexpr std::string_view kTitle = "a configuration file";
  std::string path;
  bool exists = false;
  static void visit(auto& self, auto&& field) {
    field("path", self.path, "");
    field("exists", self.exists, "");
  }
};

struct ConfigValueEntry {
  static constexpr std::string_view kTitle = "a value of the configuration";
  std::string key, value, source;
  static void visit(auto& self, auto&& field) {
    field("key", self.key, "`pools.NAME.slurm.partition`");
    field("value", self.value, "");
    field("source", self.source, "`FILE:LINE`, or `default`");
  }
};

struct Config {
  static constexpr std::string_view kName = "config";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    std::vector<ConfigFileEntry> files;
    std::vector<ConfigValueEntry> values;
    std::string changed;
    static void visit(auto& self, auto&& field) {
      field("files", self.files, "that were looked for; of two the second is more important");
      field("values", self.values, "in force");
      field("changed", self.changed,
            "a sentence if the files say something else now, or have mistakes; else empty");
    }
  };
};

struct PoolNodesEntry {
  static constexpr std::string_view kTitle = "nodes of a pool";
  std::string state, names, gpu, reason;
  bool usable = true;
  std::int64_t count = 0, cores = 0, gpus = 0;
  Bytes memory;
  static void visit(auto& self, auto&& field) {
    field("state", self.state, "in the cluster's word");
    field("usable", self.usable, "attempts can run there, now or later");
    field("count", self.count, "");
    field("names", self.names, "");
    field("cores", self.cores, "of one node");
    field("gpus", self.gpus, "of one node");
    field("gpu", self.gpu, "their kind");
    field("memory_bytes", self.memory, "of one node; 0: unknown");
    field("reason", self.reason, "why they are not usable");
  }
};

struct PoolJobEntry {
  static constexpr std::string_view kTitle = "a job of a pool";
  std::string job, state, nodes, reason;
  std::optional<WallTime> starts, ends;
  static void visit(auto& self, auto&& field) {
    field("job", self.job, "its number");
    field("state", self.state, "");
    field("nodes", self.nodes, "empty while it waits");
    field("reason", self.reason, "why it waits");
    field("starts_ns", self.starts, "since 1970, as the cluster expects");
    field("ends_ns", self.ends, "its time limit");
  }
};

struct PoolEntry {
  static constexpr std::string_view kTitle = "a pool";
  std::string name, problem, trouble;
  std::vector<PoolNodesEntry> nodes;
  std::vector<PoolJobEntry> jobs;
  static void visit(auto& self, auto&& field) {
    field("name", self.name, "");
    field("nodes", self.nodes, "");
    field("jobs", self.jobs, "of this daemon");
    field("problem", self.problem, "why its state is not known");
    field("trouble", self.trouble, "why its attempts wait: its folder does not answer");
  }
};

struct Devices {
  static constexpr std::string_view kName = "devices";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    HostEntry host;
    std::vector<DeviceEntry> devices;
    std::vector<PoolEntry> pools;
    static void visit(auto& self, auto&& field) {
      field("host", self.host, "");
      field("devices", self.devices, "");
      field("pools", self.pools, "those of clusters");
    }
  };
};

}  // namespace sweepd::rpc
