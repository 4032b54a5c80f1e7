// Tables of a profile pass.
#pragma once

#include "db/base/connection.h"
#include "db/query/query.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// Shares refer to all rows that the view selects, before `top` cuts them.
Table kernel_table(Connection& connection, std::int64_t attempt, const KernelView& view);

// The operators that launched the kernels, on both clocks: KernelLayout::kPytorch.
Table operator_table(Connection& connection, std::int64_t attempt, const KernelView& view);

// The profiled step, its time beside that of the timing pass, and the self-checks. Has no rows if
// the attempt has no profile.
Table profile_table(Connection& connection, std::int64_t attempt);

}  // namespace sweepd
