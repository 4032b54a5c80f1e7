#include <fmt/format.h>

#include "runner/daemon/handlers/chosen.h"
#include "runner/daemon/handlers/file_order.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"

namespace sweepd {

namespace {

// Returns the tables that the sweep file declares, in its order, or a default one if it declares
// none.
Result<rpc::Report::Reply> make_report(Reader& reader, const Catalog& catalog,
                                       const rpc::Report::Request& request) {
  const auto sweep = reader.find_sweep(request.sweep);
  if (!sweep) return sweep.error();
  auto specs = reader.tables_of(sweep->id);
  if (!specs) return specs.error();
  if (specs->empty()) specs->push_back({});
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
