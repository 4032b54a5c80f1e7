// Cells and titles that the tables of a profile share.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "db/query/kernel_view.h"
#include "runner/model/table.h"

namespace sweepd {

inline constexpr double kNsPerUs = 1e3;
inline constexpr double kNsPerMs = 1e6;

inline Cell number(double value, int digits) {
  return {fmt::format("{:.{}f}", value, digits), value};
}
inline Cell count(std::int64_t value) {
  return {std::to_string(value), static_cast<double>(value)};
}
inline Cell text(const std::string& value) {
  return {value, std::nullopt};
}
inline Cell share(double part, double whole) {
  return number(whole > 0 ? 100 * part / whole : 0, 2);
}

inline std::string title_of(const KernelView& view, const char* what) {
  return fmt::format("{} of {}{}", what, view.phase.empty() ? "the step" : view.phase,
                     view.rank > 0 ? fmt::format(", rank {}", view.rank) : "");
}

// Cuts the table to the first `top` rows and notes how many rows there were.
template <class Rows>
void keep_top(Rows& rows, Table& table, std::int64_t top) {
  if (top <= 0 || static_cast<std::int64_t>(rows.size()) <= top) return;
  table.notes.push_back(fmt::format("{} of {} rows", top, rows.size()));
  rows.resize(static_cast<std::size_t>(top));
}

}  // namespace sweepd
