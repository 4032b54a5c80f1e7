#include "db/base/sweep_declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db/base/declaration_json.h"

namespace sweepd {
namespace {

template <class Spec>
void insert_each(Connection& connection, std::int64_t sweep, const char* kind,
                 const std::vector<Spec>& specs) {
  std::int64_t position = 0;
  for (const Spec& spec : specs) {
    Query(connection,
          "INSERT INTO sweep_declaration (sweep, kind, position, json) VALUES (?, ?, ?, ?)")
        .bind_all(sweep, kind, position++, declaration_json(spec))
        .run();
  }
}

bool have_values(const std::vector<TableSpec::Filter>& filters) {
  return std::ranges::none_of(filters, [](const auto& filter) { return filter.values.empty(); });
}

// The parser of sweep files ensures this, and a report relies on it. A foreign file may differ.
bool is_sound(const TableSpec& table) {
  return table.limit >= 0 && have_values(table.where) && have_values(table.baseline) &&
         std::ranges::all_of(table.values,
                             [](const auto& value) { return have_values(value.where); });
}
bool is_sound(const PlotSpec& plot) {
  return is_sound(plot.data) && is_sound(plot.lines);
}

template <class Spec>
Result<std::vector<Spec>> read_each(Connection& connection, std::int64_t sweep, const char* kind) {
  std::vector<Spec> specs;
  Query query(connection,
              "SELECT json FROM sweep_declaration WHERE sweep = ? AND kind = ? ORDER BY position");
  query.bind_all(sweep, kind);
  while (query.next()) {
    auto spec = declaration_from<Spec>(query.text(0));
    if (spec && !is_sound(*spec)) {
      spec = Error{ErrorCode::kFailedPrecondition, "a filter without values, or a negative limit"};
    }
    if (!spec) {
      return Error{spec.error().code, fmt::format("{} {} of the sweep: {}", kind, specs.size() + 1,
                                                  spec.error().message)};
    }
    specs.push_back(std::move(*spec));
  }
  return specs;
}

}  // namespace

void insert_declarations(Connection& connection, std::int64_t sweep, const Sweep& declared) {
  insert_each(connection, sweep, "table", declared.tables);
  insert_each(connection, sweep, "plot", declared.plots);
}

Result<std::vector<TableSpec>> read_declared_tables(Connection& connection, std::int64_t sweep) {
  return read_each<TableSpec>(connection, sweep, "table");
}

Result<std::vector<PlotSpec>> read_declared_plots(Connection& connection, std::int64_t sweep) {
  return read_each<PlotSpec>(connection, sweep, "plot");
}

}  // namespace sweepd
