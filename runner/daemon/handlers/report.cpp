#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/daemon/handlers/file_order.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/daemon/serving/entries.h"

namespace sweepd {

namespace {

std::string lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Finds a table by its number from 1, its title, or the beginning of only one title. Titles win
// over numbers, and case does not matter.
Result<TableSpec> choose_table(const std::vector<TableSpec>& specs, const std::string& which) {
  std::vector<std::string> titles;
  std::vector<const TableSpec*> begin_so;
  for (const TableSpec& spec : specs) {
    if (lower(spec.title) == lower(which)) return spec;
    if (lower(spec.title).starts_with(lower(which))) begin_so.push_back(&spec);
    titles.push_back(spec.title);
  }
  const auto number = parse_integer(which);
  if (number && *number >= 1 && *number <= static_cast<std::int64_t>(specs.size())) {
    return specs[static_cast<std::size_t>(*number) - 1];
  }
  if (begin_so.size() == 1) return *begin_so.front();
  std::string list;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    list += fmt::format("{}{} `{}`", i == 0 ? "" : ", ", i + 1, titles[i]);
  }
  return Error{
      ErrorCode::kNotFound,
      fmt::format("{} table `{}`{}; the sweep has {}", begin_so.empty() ? "no" : "more than one",
                  which, begin_so.empty() ? did_you_mean(which, titles) : "", list)};
}

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
    auto chosen = choose_table(*specs, request.table);
    if (!chosen) return chosen.error();
    specs = std::vector{std::move(*chosen)};
  }
  const auto source = reader.source_of(sweep->id);
  if (!source) return source.error();
  const auto orders = file_orders(*source, catalog);
  rpc::Report::Reply report{entry_of(*sweep), {}};
  for (std::size_t i = 0; i < specs->size(); ++i) {
    QuerySpec query;
    query.sweep = sweep->id;
    query.declared = true;
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
