// The tables of `show --memory`.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "db/base/connection.h"
#include "runner/model/measurement/memory_picture.h"
#include "runner/model/sweep/table.h"

namespace sweepd {

// The kind of held tensor in block `b` of phase `p`, or '', and its join for attempt ?1. In older
// results a weight and its gradient have the same name; `gradients` is the first kind by name and
// `weights` the last.
inline constexpr std::string_view kKindOfBlock =
    "coalesce(CASE p.text WHEN 'before' THEN h.most ELSE h.least END, '')";
inline constexpr std::string_view kHeldOfBlock =
    " LEFT JOIN (SELECT rank, name, min(kind) AS least, max(kind) AS most FROM memory_held "
    "WHERE attempt = ?1 GROUP BY rank, name) h ON h.rank = b.rank AND h.name = b.origin ";

// Memory that outlives the step, by kind: measured, and predicted by the trial's figures.
Table held_table(Connection& connection, std::int64_t attempt);

// Memory live at the peak of rank `picture.rank`, by kind, range or phase. Blocks too small for
// their own row share one row.
Table peak_table(Connection& connection, std::int64_t attempt, const MemoryPicture& picture);

// The largest blocks of rank `picture.rank`. Blocks that differ only in the number of their layer
// share one row.
Table blocks_table(Connection& connection, std::int64_t attempt, const MemoryPicture& picture,
                   std::size_t most);

// "block12.w1.grad" -> "block*.w1.grad"
std::string fold_layers(const std::string& name);

}  // namespace sweepd
