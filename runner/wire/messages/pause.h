// The methods that pause and resume sweeps.
#pragma once

#include "runner/model/sweep/paused_sweep.h"
#include "runner/wire/messages/rows.h"

namespace sweepd::rpc {

struct ChangedDevice {
  static constexpr std::string_view kTitle = "a paused device";
  std::string device, name;
  bool changed = false;
  static void visit(auto& self, auto&& field) {
    field("device", self.device, "`cpu`, `cuda:0`");
    field("name", self.name, "");
    field("changed", self.changed, "false: it was so already");
  }
};

// Of both methods.
struct PauseReply {
  std::vector<PausedSweep> sweeps;
  std::vector<ChangedDevice> devices;
  static void visit(auto& self, auto&& field) {
    field("sweeps", self.sweeps, "");
    field("devices", self.devices, "");
  }
};

struct Pause {
  static constexpr std::string_view kName = "pause";
  struct Request {
    std::vector<std::string> sweeps, devices;
    bool all = false;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "names or ids; all of them, or none if one is wrong");
      field("all", self.all, "instead of `sweeps`: those with queued or running attempts");
      field("devices", self.devices,
            "instead of `sweeps`: devices of the daemon's machine on which nothing new starts: "
            "`cpu`, `cuda:0`, `cuda` for all GPUs; `all` changes nothing then");
    }
  };
  using Reply = PauseReply;
};

struct Resume {
  static constexpr std::string_view kName = "resume";
  struct Request {
    std::vector<std::string> sweeps, devices;
    bool all = false;
    static void visit(auto& self, auto&& field) {
      field("sweeps", self.sweeps, "names or ids; all of them, or none if one is wrong");
      field("all", self.all, "instead of `sweeps`: those that are paused");
      field("devices", self.devices, "as for `pause`");
    }
  };
  using Reply = PauseReply;
};

}  // namespace sweepd::rpc
