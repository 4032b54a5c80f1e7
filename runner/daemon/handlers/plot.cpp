#include <fmt/format.h>

#include "runner/daemon/handlers/chosen.h"
#include "runner/daemon/handlers/file_order.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_plot.h"
#include "runner/report/plot/plot_words.h"

namespace sweepd {
namespace {

// The plots that the sweep file declares, or the requested one.
Result<std::vector<Plot>> declared_plots(Reader& reader, const Catalog& catalog,
                                         const rpc::Plot::Request& request) {
  const auto sweep = reader.find_sweep(request.sweep);
  if (!sweep) return sweep.error();
  auto specs = reader.plots_of(sweep->id);
  if (!specs) return specs.error();
  if (specs->empty()) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("sweep `{}` declares no plots; choose figures with --x and --y", sweep->name)};
  }
  if (!request.plot.empty()) {
    std::vector<std::string> titles;
    for (const PlotSpec& spec : *specs) titles.push_back(spec.data.title);
    const auto chosen = find_titled(titles, request.plot, "plot");
    if (!chosen) return chosen.error();
    specs = std::vector{std::move((*specs)[*chosen])};
  }
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  QuerySpec base;
  base.sweep = sweep->id;
  base.declared = true;
  base.newest = request.newest;
  base.file_order = file_orders(*source, sweep->workload, catalog);
  std::vector<Plot> plots;
  for (std::size_t i = 0; i < specs->size(); ++i) {
    auto plot = make_plot(reader, catalog, (*specs)[i], base);
    if (!plot) {
      const std::string which =
          specs->size() == 1 ? "" : fmt::format("plot {} of {}: ", i + 1, specs->size());
      return Error{plot.error().code, which + plot.error().message};
    }
    plots.push_back(std::move(*plot));
  }
  return plots;
}

Result<std::vector<Plot>> stated_plot(Reader& reader, const Catalog& catalog,
                                      const rpc::Plot::Request& r) {
  const auto spec =
      plot_from_words({r.title, r.mark, r.x, r.y, r.color, r.facet, r.metric, r.unit, r.where,
                       r.baseline, r.pool, r.scale, r.error, r.beside, r.stack, r.warmup});
  if (!spec) return spec.error();
  QuerySpec base;
  base.sweep = r.sweep;
  base.workload = r.workload;
  base.newest = r.newest;
  auto plot = make_plot(reader, catalog, *spec, base);
  if (!plot) return plot.error();
  return std::vector{std::move(*plot)};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Plot>> handle_plot(ReadServices& services, Session&,
                                                      rpc::Plot::Request request) {
  const auto ask = [&services, &request](Reader& r) {
    return request.x.empty() && request.y.empty() ? declared_plots(r, services.catalog, request)
                                                  : stated_plot(r, services.catalog, request);
  };
  auto plots = co_await services.readers.run(ask);
  if (!plots) co_return plots.error();
  co_return rpc::Plot::Reply{std::move(*plots)};
}

}  // namespace sweepd
