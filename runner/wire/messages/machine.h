// The methods about the daemon and its machine.
#pragma once

#include "runner/model/attempt/merge_receipt.h"
#include "runner/model/machine/environment.h"
#include "runner/model/machine/pool_status.h"
#include "runner/model/vocabulary/config_value.h"
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
  using Reply = MergeReceipt;
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

struct DeviceEntry : DeviceInfo {
  static constexpr std::string_view kTitle = "a device";
  std::vector<PeakEntry> peaks;
  std::string no_peak = {};
  std::optional<WallTime> paused = {};
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

struct HostEntry : HostInfo {
  static constexpr std::string_view kTitle = "a host";
  static void visit(auto& self, auto&& field) {
    field("hostname", self.hostname, "");
    field("cpu", self.cpu_model, "");
    field("cores", self.cores, "usable");
    field("memory_bytes", self.memory, "");
    field("kernel", self.kernel, "");
    field("os", self.os, "");
    field("governor", self.governor, "");
  }
};

struct Config {
  static constexpr std::string_view kName = "config";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    std::vector<ConfigFile> files;
    std::vector<ConfigValue> values;
    std::string changed;
    static void visit(auto& self, auto&& field) {
      field("files", self.files, "that were looked for; of two the second is more important");
      field("values", self.values, "in force");
      field("changed", self.changed,
            "a sentence if the files say something else now, or have mistakes; else empty");
    }
  };
};

struct Devices {
  static constexpr std::string_view kName = "devices";
  struct Request {
    static void visit(auto&, auto&&) {}
  };
  struct Reply {
    HostEntry host;
    std::vector<DeviceEntry> devices;
    std::vector<PoolStatus> pools;
    static void visit(auto& self, auto&& field) {
      field("host", self.host, "");
      field("devices", self.devices, "");
      field("pools", self.pools, "those of clusters");
    }
  };
};

}  // namespace sweepd::rpc
