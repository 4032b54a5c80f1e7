// Tables of a profile pass.
#pragma once

#include "db/connection.h"
#include "db/query/kernel_view.h"
#include "runner/model/table.h"

namespace sweepd {

// Shares are of all that the view selects, before `top` cuts it.
Table kernel_table(Connection& connection, std::int64_t attempt, const KernelView& view);

// The operators that launched them, on both clocks: KernelLayout::kPytorch.
Table operator_table(Connection& connection, std::int64_t attempt, const KernelView& view);

// The profiled step, its time beside the timing pass's, and the self-checks. Without rows when the
// attempt holds no profile.
Table profile_table(Connection& connection, std::int64_t attempt);

}  // namespace sweepd
