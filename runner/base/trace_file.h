// Which kind of trace a file is, and whose.
#pragma once

#include <compare>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "runner/base/result.h"

namespace sweepd::trace {

enum class TraceKind {
  kChrome,    // runner/trace/chrome.h
  kNsys,      // runner/trace/nsys.h
  kSnapshot,  // runner/trace/snapshot.h
};

// Decides by the first bytes, whatever the file's name. Errors name the file: those of
// open_regular; kInvalidArgument if it is none of these.
Result<TraceKind> kind_of_trace(const std::filesystem::path& file);

struct TraceRank {
  int rank = 0;
  int world_size = 0;  // 0: the trace does not say
  auto operator<=>(const TraceRank&) const = default;
};

// The rank in the `distributedInfo` of a Chrome trace, which stands before its events; nothing
// without one, or if the file cannot be read.
std::optional<TraceRank> rank_of_trace(const std::filesystem::path& file);

// Files of one job in the order of their ranks, of which some may be missing. Without any rank in
// them, in the order given. kInvalidArgument, with files named, if they are no ranks of one job.
Result<std::vector<std::filesystem::path>> in_order_of_ranks(
    const std::vector<std::filesystem::path>& files);

}  // namespace sweepd::trace
