// `request.json` of an attempt folder: everything a worker needs. The daemon writes it before the
// first rank starts, every rank reads it, and it is kept for reproduction. Format:
// docs/ARCHITECTURE.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/base/clock.h"
#include "runner/base/fields.h"
#include "runner/base/ids.h"
#include "runner/base/result.h"
#include "runner/model/attempt/open_attempt.h"
#include "runner/model/machine/lease.h"
#include "runner/model/machine/machine_id.h"
#include "runner/model/sweep/trial.h"

namespace sweepd {

struct AttemptRequest {
  AttemptId attempt;
  TrialKey trial;
  std::string workload;
  Pass pass = Pass::kTiming;
  int repeat = 0;
  // Every parameter, as canonical text (ParamDef::text), `device` already resolved.
  NamedTexts params;
  Lease lease;  // its size is the world size
  // Cores that attempts may use on the host. A rank sees only those to which it is bound, and
  // reports this number as its host's. 0: it counts itself.
  std::int64_t host_cores = 0;
  // The sweep file's declaration, if the workload is a declared program
  // (model/vocabulary/program.h).
  std::optional<WorkloadDef> program;
  MachineId machine;  // its machine, for the environment record; may be unknown
  // Facts that otherwise only the database has, for `sweepctl recover`: the sweep that queued it,
  // the workload's version (part of the trial's key; 0: unknown) and when it was marked started.
  SweepOfAttempt sweep{};
  int version = 0;
  WallTime started{};
  // For how long the machine had been suspended since its boot when the attempt was marked started.
  // A daemon that adopts the attempt subtracts later suspensions from its time.
  std::optional<Duration> suspended{};

  static void visit(auto& self, auto&& field) {
    field("attempt", self.attempt, "");
    field("trial", self.trial, "");
    field("workload", self.workload, "");
    field("pass", self.pass, "");
    field("repeat", self.repeat, "");
    field("params", self.params, "");
    field("lease", self.lease.ranks, "");
    field("host_cores", self.host_cores, "", MayLack());
    field("machine", self.machine.hash, "", MayLack());
    field("machine_facts", self.machine.facts, "", MayLack());
    field("version", self.version, "", MayLack());
    field("started_ns", self.started, "", MayLack());
    field("suspended_ns", self.suspended, "");
    field("sweep", self.sweep.id, "", MayLack());
    field("sweep_name", self.sweep.name, "", MayLack());
    field("sentinel_of", self.sweep.sentinel_of, "", Sparse());
    field("program", self.program, "");
  }
  // Of one that was read. "": none.
  std::string mistake() const {
    return lease.ranks.empty() ? "lease: expected at least one rank, got none" : "";
  }
};

// The text of a `request.json`.
std::string request_text(const AttemptRequest& request);

// Errors of both name the file and the field.
Result<void> write_request(const std::filesystem::path& file, const AttemptRequest& request);
Result<AttemptRequest> read_request(const std::filesystem::path& file);

}  // namespace sweepd
