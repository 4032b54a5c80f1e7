// The parts that several messages share.
#pragma once

#include "runner/model/attempt/attempt_row.h"
#include "runner/wire/message.h"

namespace sweepd::rpc {

struct OutOfServiceEntry {
  static constexpr std::string_view kTitle = "a device out of service";
  std::string device, fault, attempt;
  WallTime since;
  static void visit(auto& self, auto&& field) {
    field("device", self.device, "`cuda:0`");
    field("fault", self.fault, "its fault");
    field("attempt", self.attempt, "that met it");
    field("since_ns", self.since, "since 1970");
  }
};

inline constexpr const char* kNamesASweep = "the latest without it";
inline constexpr const char* kNewestCounts =
    "of each point the newest result, whichever sweep measured it";

}  // namespace sweepd::rpc
