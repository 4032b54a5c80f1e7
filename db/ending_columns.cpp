#include "db/ending_columns.h"

#include <array>
#include <cassert>
#include <string_view>

namespace sweepd {
namespace {

constexpr std::array<std::string_view, kEndingColumns> kColumns{
    "outcome", "stop_reason",     "signal",       "exit_code",   "rank",    "phase",
    "message", "requested_bytes", "in_use_bytes", "limit_bytes", "limit_ns"};

struct Columns {
  std::optional<std::string> stop_reason;
  std::optional<int> signal, exit_code;
  std::optional<std::string> phase, message;
  std::optional<std::int64_t> requested, in_use, limit_bytes, limit_ns;

  void operator()(const Done& e) { stop_reason = e.stop_reason; }
  void operator()(const Oom& e) {
    requested = e.requested.value;
    in_use = e.in_use.value;
    limit_bytes = e.limit.value;
    phase = e.phase;
  }
  void operator()(const Timeout& e) {
    limit_ns = e.limit.ns;
    phase = e.phase;
  }
  void operator()(const Crashed& e) {
    signal = e.signal;
    exit_code = e.exit_code;
    phase = e.phase;
  }
  void operator()(const Failed& e) {
    message = e.message;
    phase = e.phase;
  }
  void operator()(const Cancelled& e) { message = e.reason; }
  void operator()(const Skipped& e) { message = e.reason; }
};

std::optional<int> maybe_int(const Query& query, int column) {
  const auto value = query.maybe_integer(column);
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::string ending_select(const std::string& alias) {
  std::string list;
  for (const std::string_view column : kColumns) {
    if (!list.empty()) list += ", ";
    list += alias + "." + std::string(column);
  }
  return list;
}

void bind_ending(Query& query, const Ending& ending) {
  Columns c;
  std::visit([&c](const auto& detail) { c(detail); }, ending.detail);
  query.bind_all(name_of(outcome_of(ending)), c.stop_reason, c.signal, c.exit_code, ending.rank,
                 c.phase, c.message, c.requested, c.in_use, c.limit_bytes, c.limit_ns);
}

std::optional<Ending> read_ending(const Query& query, int first) {
  if (query.is_null(first)) return std::nullopt;
  const auto outcome = outcome_from(query.text(first));
  assert(outcome);  // a CHECK of the table allows no other name
  const auto bytes = [&](int offset) {
    return Bytes{query.is_null(first + offset) ? 0 : query.integer(first + offset)};
  };
  const std::string phase = query.text(first + 5);
  const std::string message = query.text(first + 6);
  Ending ending;
  ending.rank = maybe_int(query, first + 4).value_or(0);
  switch (*outcome) {
    case Outcome::kDone:
      ending.detail = Done{query.text(first + 1)};
      break;
    case Outcome::kOom:
      ending.detail = Oom{bytes(7), bytes(8), bytes(9), phase};
      break;
    case Outcome::kTimeout:
      ending.detail = Timeout{Duration{bytes(10).value}, phase};
      break;
    case Outcome::kCrashed:
      ending.detail = Crashed{maybe_int(query, first + 2), maybe_int(query, first + 3), phase};
      break;
    case Outcome::kFailed:
      ending.detail = Failed{message, phase};
      break;
    case Outcome::kCancelled:
      ending.detail = Cancelled{message};
      break;
    case Outcome::kSkipped:
      ending.detail = Skipped{message};
      break;
  }
  return ending;
}

}  // namespace sweepd
