// Compares the clocks of an attempt's GPUs with those of earlier results in the database.
#pragma once

#include "db/store/store.h"
#include "runner/model/verdict.h"

namespace sweepd {

// `record` is of a done timing and has its environment. Reads the database, so call it on the
// writer's thread. An error of the database only costs this judgement, and is logged.
Judgement judge_clocks(Store& store, const OpenAttempt& attempt, const AttemptRecord& record);

}  // namespace sweepd
