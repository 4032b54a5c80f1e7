#include "runner/sweepfile/reference/reference.h"
#include "runner/model/vocabulary/known_metric.h"

#include <fmt/format.h>

#include <algorithm>

#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/planning/prepare.h"
#include "runner/report/cell/convert.h"

namespace sweepd {
namespace {

// Tables compare figures in the metric's own unit.
Result<void> convert(ReferenceRow& row) {
  const std::string_view own = unit_of_metric(row.metric);
  if (own.empty() || row.unit.empty() || row.unit == own) return {};
  const auto back = report::conversion(own, row.unit);
  if (!back) return back.error();
  row.value = row.value * back->divide / back->multiply;
  row.std = row.std * back->divide / back->multiply;
  row.unit = own;
  return {};
}

ParsedReference parse(const rpc::ReferenceAdd::Request& request, const Catalog& catalog) {
  ParsedReference parsed = parse_reference(
      {request.rows, request.rows_file, request.mapping, request.mapping_file}, catalog);
  PublishedFigures& reference = parsed.reference;
  if (reference.name.empty()) reference.name = request.name;
  for (ReferenceRow& row : reference.rows) {
    if (row.workload.empty() || row.outcome != "done") continue;
    const auto converted = convert(row);
    if (converted) continue;
    Diagnostic diagnostic;
    diagnostic.file = request.rows_file;
    diagnostic.line = static_cast<int>(row.line);
    diagnostic.column = 1;
    diagnostic.message = fmt::format("{}: {}", row.metric, converted.error().message);
    parsed.errors.push_back(std::move(diagnostic));
    break;
  }
  return parsed;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::ReferenceAdd>> handle_reference_add(
    Services& services, Session&, rpc::ReferenceAdd::Request request) {
  const auto work = [&services, &request] { return parse(request, services.catalog); };
  const ParsedReference parsed = co_await services.readers.compute(work);
  if (!parsed.errors.empty()) co_return diagnostics_error(parsed.errors);
  if (parsed.reference.name.empty()) {
    co_return Error{ErrorCode::kInvalidArgument,
                    "a reference needs a name, in its mapping or in the request"};
  }
  const auto store = [&parsed](Store& s) { return s.add_reference(parsed.reference, now_wall()); };
  const auto stored = co_await services.writer.run(store);
  if (!stored) co_return stored.error();
  const auto ask = [](Reader& r) { return r.references(); };
  const auto all = co_await services.readers.run(ask);
  if (!all) co_return all.error();
  const auto found = std::find_if(all->begin(), all->end(), [&](const ReferenceSummary& each) {
    return each.name == parsed.reference.name;
  });
  if (found == all->end())
    co_return Error{ErrorCode::kInternal, "the reference was already removed"};
  co_return rpc::ReferenceAdd::Reply{*found};
}

boost::asio::awaitable<Answer<rpc::ReferenceList>> handle_reference_list(
    ReadServices& services, Session&, rpc::ReferenceList::Request) {
  const auto ask = [](Reader& r) { return r.references(); };
  auto all = co_await services.readers.run(ask);
  if (!all) co_return all.error();
  co_return rpc::ReferenceList::Reply{std::move(*all)};
}

boost::asio::awaitable<Answer<rpc::ReferenceRemove>> handle_reference_remove(
    Services& services, Session&, rpc::ReferenceRemove::Request request) {
  const auto remove = [&request](Store& s) { return s.remove_reference(request.name); };
  const auto rows = co_await services.writer.run(remove);
  if (!rows) co_return rows.error();
  co_return rpc::ReferenceRemove::Reply{*rows};
}

}  // namespace sweepd
