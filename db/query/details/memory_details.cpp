#include "db/query/details/memory_details.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <tuple>

#include "db/query/details/detail_tables.h"
#include "runner/base/units.h"

namespace sweepd {
namespace {

Cell text_cell(std::string text) {
  return {text.empty() ? "-" : std::move(text), std::nullopt};
}
Cell count_cell(std::int64_t count) {
  return {std::to_string(count), static_cast<double>(count)};
}
Cell bytes_cell(std::int64_t bytes) {
  return {to_human(Bytes{bytes}), static_cast<double>(bytes)};
}
// The number of an event is in microseconds.
Cell time_cell(std::int64_t ns, bool by_event) {
  if (by_event) return count_cell(ns / 1000);
  const double ms = static_cast<double>(ns) / 1e6;
  return {fmt::format("{:.3f}", ms), ms};
}

struct Lines {
  std::int64_t blocks = 0, bytes = 0;
};

Table table_of_peak(const std::map<std::string, Lines>& lines, const MemoryPoint& peak, int rank) {
  std::vector<std::pair<std::string, Lines>> sorted(lines.begin(), lines.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  std::int64_t rest = peak.allocated.value;
  for (const auto& [what, line] : sorted) rest -= line.bytes;
  Table table;
  table.title = fmt::format("Live at the peak, rank {}", rank);
  table.columns = {{"what", "", Align::kLeft},
                   {"blocks", "", Align::kRight},
                   {"size", "", Align::kRight},
                   {"share", "", Align::kRight}};
  const auto add = [&](const std::string& what, Cell blocks, std::int64_t bytes) {
    const double share = static_cast<double>(bytes) / static_cast<double>(peak.allocated.value);
    table.rows.push_back({text_cell(what),
                          std::move(blocks),
                          bytes_cell(bytes),
                          {fmt::format("{:.1f}%", 100 * share), share}});
  };
  for (const auto& [what, line] : sorted) add(what, count_cell(line.blocks), line.bytes);
  if (rest > 0) add("smaller blocks", {"-", std::nullopt}, rest);
  return table;
}

}  // namespace

std::string fold_layers(const std::string& name) {
  constexpr std::string_view kBlock = "block";
  if (name.rfind(kBlock, 0) != 0) return name;
  std::size_t end = kBlock.size();
  while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0) ++end;
  if (end == kBlock.size()) return name;
  return std::string(kBlock) + "*" + name.substr(end);
}

Table held_table(Connection& connection, std::int64_t attempt) {
  // A fact is the measured value; the figure of the same name is the formula's value.
  Query query(connection,
              "SELECT f.rank, replace(replace(n.text, '_bytes', ''), '_', ' '), "
              "(SELECT count(*) FROM memory_held h WHERE h.attempt = f.attempt AND "
              " h.rank = f.rank AND h.kind || '_bytes' = n.text), "
              "CAST(f.number AS INTEGER), CAST(f.number AS INTEGER), x.value, f.number - x.value "
              "FROM fact f JOIN name n ON n.id = f.name JOIN attempt a ON a.row = f.attempt "
              "LEFT JOIN figure x ON x.trial = a.trial AND x.name = f.name "
              "WHERE f.attempt = ? AND n.text IN ('weights_bytes', 'gradients_bytes', "
              "'optimizer_state_bytes', 'other_bytes', 'unnamed_bytes', "
              "'saved_for_backward_bytes') ORDER BY f.rank, n.id");
  query.bind(attempt);
  return rows_table(query, "Memory that outlives the step or waits for the backward",
                    {{"rank", Show::kNumber},
                     {"what"},
                     {"tensors", Show::kNumber},
                     {"size", Show::kBytes},
                     {"measured", Show::kNumber, "B"},
                     {"by formula", Show::kNumber, "B"},
                     {"difference", Show::kNumber, "B"}});
}

Table peak_table(Connection& connection, std::int64_t attempt, const MemoryPicture& picture) {
  const auto peak = std::max_element(
      picture.timeline.begin(), picture.timeline.end(),
      [](const MemoryPoint& a, const MemoryPoint& b) { return a.allocated < b.allocated; });
  if (peak == picture.timeline.end()) return {};
  Query query(connection,
              fmt::format("SELECT {}, r.text, p.text, o.text, b.size_bytes FROM allocation b "
                          "JOIN name r ON r.id = b.range JOIN name p ON p.id = b.phase "
                          "JOIN name o ON o.id = b.origin {} WHERE b.attempt = ?1 AND b.rank = ?2 "
                          "AND b.allocated_ns <= ?3 AND (b.freed_ns IS NULL OR b.freed_ns > ?3)",
                          kKindOfBlock, kHeldOfBlock));
  query.bind_all(attempt, picture.rank, peak->time.ns);
  std::map<std::string, Lines> lines;
  while (query.next()) {
    std::string what = query.text(0);
    if (what.empty()) {
      const std::string range = query.text(1), phase = query.text(2);
      what = range.empty() ? phase : fmt::format("{}, {}", phase, range);
    }
    std::replace(what.begin(), what.end(), '_', ' ');
    Lines& line = lines[what];
    ++line.blocks;
    line.bytes += query.integer(4);
  }
  return table_of_peak(lines, *peak, picture.rank);
}

Table blocks_table(Connection& connection, std::int64_t attempt, const MemoryPicture& picture,
                   std::size_t most) {
  Query query(connection,
              "SELECT b.size_bytes, p.text, r.text, o.text, b.allocated_ns, b.freed_ns "
              "FROM allocation b JOIN name p ON p.id = b.phase JOIN name r ON r.id = b.range "
              "JOIN name o ON o.id = b.origin WHERE b.attempt = ? AND b.rank = ? "
              "ORDER BY b.size_bytes DESC, b.sequence");
  query.bind_all(attempt, picture.rank);
  const char* unit = picture.by_event ? "event" : "ms";
  Table table;
  table.title = fmt::format("Largest blocks, rank {}", picture.rank);
  table.columns = {{"blocks", "", Align::kRight},
                   {"size of each", "", Align::kRight},
                   {"phase", "", Align::kLeft},
                   {"range", "", Align::kLeft},
                   {"name or operator", "", Align::kLeft},
                   {"first at", unit, Align::kRight},
                   {"last freed at", unit, Align::kRight}};
  using Key = std::tuple<std::int64_t, std::string, std::string, std::string>;
  struct Group {
    std::size_t row = 0;
    std::int64_t blocks = 0;
    std::optional<std::int64_t> last_freed_ns = 0;  // empty: one was never freed
  };
  std::map<Key, Group> groups;
  while (query.next()) {
    const Key key{query.integer(0), query.text(1), query.text(2), fold_layers(query.text(3))};
    auto found = groups.find(key);
    if (found == groups.end()) {
      if (groups.size() == most) continue;
      found = groups.emplace(key, Group{table.rows.size(), 0, 0}).first;
      const auto& [size, phase, range, origin] = key;
      table.rows.push_back({count_cell(0), bytes_cell(size), text_cell(phase), text_cell(range),
                            text_cell(origin), time_cell(query.integer(4), picture.by_event),
                            text_cell("")});
    }
    Group& group = found->second;
    ++group.blocks;
    const auto freed = query.maybe_integer(5);
    if (!freed || !group.last_freed_ns) {
      group.last_freed_ns.reset();
    } else {
      group.last_freed_ns = std::max(*group.last_freed_ns, *freed);
    }
  }
  for (const auto& [key, group] : groups) {
    table.rows[group.row].front() = count_cell(group.blocks);
    table.rows[group.row].back() = group.last_freed_ns
                                       ? time_cell(*group.last_freed_ns, picture.by_event)
                                       : text_cell("not in the step");
  }
  return table;
}

}  // namespace sweepd
