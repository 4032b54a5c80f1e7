#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/daemon/handlers/sweep_json.h"
#include "runner/wire/params.h"
#include "runner/wire/table_json.h"

namespace sweepd {

using nlohmann::json;

namespace {

// The tables that the sweep file declares, in its order; one by default when it declares none.
Result<json> make_report(Reader& reader, const Catalog& catalog, const std::string& who) {
  const auto sweep = reader.find_sweep(who);
  if (!sweep) return sweep.error();
  auto specs = reader.tables_of(sweep->id);
  if (!specs) return specs.error();
  if (specs->empty()) specs->push_back({});
  json tables = json::array();
  for (const TableSpec& spec : *specs) {
    QuerySpec query;
    query.sweep = sweep->id;
    query.table = spec;
    const auto table = make_table(reader, catalog, query);
    if (!table) {
      return Error{table.error().code, "table `" + spec.title + "`: " + table.error().message};
    }
    tables.push_back(to_json(*table));
  }
  return json{{"sweep", to_json(*sweep)}, {"tables", tables}};
}

}  // namespace

boost::asio::awaitable<Reply> handle_report(Services& services, Session&, json params) {
  ParamsReader reader(params);
  const std::string who = reader.text("sweep");
  if (const auto finished = reader.finish(); !finished) co_return finished.error();
  const auto ask = [&services, who](Reader& r) { return make_report(r, services.catalog, who); };
  auto report = co_await services.readers.run(ask);
  if (!report) co_return report.error();
  co_return std::move(*report);
}

}  // namespace sweepd
