// Sweeps and attempts as messages list them.
#pragma once

#include "db/query/query.h"
#include "runner/daemon/attempts/dispatcher.h"
#include "runner/wire/messages/rows.h"

namespace sweepd {

rpc::Counts counts_of(const Progress& progress);
rpc::SweepEntry entry_of(const SweepRow& sweep);
rpc::AttemptEntry entry_of(const AttemptRow& attempt);
rpc::RunningEntry entry_of(const RunningAttempt& run);
rpc::GivenEntry entry_of(const GivenAttempt& given);
rpc::EndedEntry entry_of(const EndedAttempt& attempt);
rpc::EndedEntry ended_entry_of(const AttemptRow& attempt);

}  // namespace sweepd
