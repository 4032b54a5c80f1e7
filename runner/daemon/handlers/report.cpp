#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "runner/daemon/handlers/chosen.h"
#include "runner/daemon/handlers/file_order.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"

namespace sweepd {

namespace {

// Of a sweep that declares no tables: its times and its peak memory, each if it was measured.
std::vector<TableSpec> default_tables() {
  TableSpec memory;
  memory.title = "Peak memory";
  memory.metric = "peak_allocated_bytes";
  memory.unit = "MiB";
  return {TableSpec{}, memory};
}

void leave_out_empty(std::vector<Table>& tables) {
  const auto has_rows = [](const Table& table) { return !table.rows.empty(); };
  if (std::ranges::any_of(tables, has_rows)) {
    std::erase_if(tables, std::not_fn(has_rows));
  } else {
    tables.resize(1);
  }
}

// Returns the tables that the sweep file declares, in its order, or the default ones.
Result<rpc::Report::Reply> make_report(Reader& reader, const Catalog& catalog,
                                       const rpc::Report::Request& request) {
  const auto sweep = reader.find_sweep(request.sweep);
  if (!sweep) return sweep.error();
  auto specs = reader.tables_of(sweep->id);
  if (!specs) return specs.error();
  const bool by_default = specs->empty();
  if (by_default) *specs = default_tables();
  if (!request.table.empty()) {
    std::vector<std::string> titles;
    for (const TableSpec& spec : *specs) titles.push_back(spec.title);
    const auto chosen = find_titled(titles, request.table, "table");
    if (!chosen) return chosen.error();
    specs = std::vector{std::move((*specs)[*chosen])};
  }
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  const auto orders = file_orders(*source, sweep->workload, catalog);
  rpc::Report::Reply report{*sweep, {}, {}};
  const auto plots = reader.plots_of(sweep->id);
  if (!plots) return plots.error();
  report.plots.emplace();
  for (const PlotSpec& plot : *plots) report.plots->push_back(plot.data.title);
  for (std::size_t i = 0; i < specs->size(); ++i) {
    QuerySpec query;
    query.sweep = sweep->id;
    query.declared = true;
    query.newest = request.newest;
    query.file_order = orders;
    query.with = request.with;
    query.table = (*specs)[i];
    auto table = make_table(reader, catalog, query);
    if (!table) {
      // Named by its number, since many have no title.
      const std::string which_one =
          specs->size() == 1 ? "" : fmt::format("table {} of {}: ", i + 1, specs->size());
      return Error{table.error().code, which_one + table.error().message};
    }
    report.tables.push_back(std::move(*table));
  }
  if (by_default) leave_out_empty(report.tables);
  return report;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Report>> handle_report(ReadServices& services, Session&,
                                                          rpc::Report::Request request) {
  const auto ask = [&services, &request](Reader& r) {
    return make_report(r, services.catalog, request);
  };
  auto report = co_await services.readers.run(ask);
  if (!report) co_return report.error();
  co_return std::move(*report);
}

}  // namespace sweepd
