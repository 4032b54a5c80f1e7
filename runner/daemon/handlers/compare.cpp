#include <fmt/format.h>

#include <utility>

#include "runner/daemon/handlers/comparable.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/report/comparison.h"
#include "runner/report/filter_text.h"

namespace sweepd {
namespace {

struct Sides {
  QuerySpec a, b;
  std::string name_a, name_b;
};

Result<Sides> sides_by_value(QuerySpec common, const std::string& by) {
  const auto filter = filter_from_text("by", by);
  if (!filter) return filter.error();
  if (filter->values.size() != 2) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("by: `{}` has {} values; expected two, such as {}=A,B", by,
                             filter->values.size(), filter->name)};
  }
  Sides sides{common, std::move(common), fmt::format("{}={}", filter->name, filter->values[0]),
              fmt::format("{}={}", filter->name, filter->values[1])};
  sides.a.table.where.push_back({filter->name, {filter->values[0]}});
  sides.b.table.where.push_back({filter->name, {filter->values[1]}});
  return sides;
}

Result<Sides> sides_of(const Catalog& catalog, Reader& reader,
                       const rpc::Compare::Request& request) {
  auto common = comparable_results(
      reader, catalog, {request.workload, request.a, request.metric, request.phase, request.where});
  if (!common) return common.error();
  if (!request.by.empty() && !request.b.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` and `by`: two sweeps are compared, or two values in one", request.b)};
  }
  if (!request.by.empty()) return sides_by_value(std::move(*common), request.by);
  if (request.b.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing to compare with; name a second sweep, or two values of a parameter with "
                 "--by NAME=A,B"};
  }
  const auto a = reader.find_sweep(request.a), b = reader.find_sweep(request.b);
  if (!a) return a.error();
  if (!b) return b.error();
  if (a->workload != b->workload) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is a sweep of {} and `{}` of {}; expected the same workload",
                             a->name, a->workload, b->name, b->workload)};
  }
  Sides sides{*common, std::move(*common), a->name, b->name};
  sides.b.sweep = b->id;
  if (sides.name_a == sides.name_b) {
    sides.name_a = fmt::format("{} {}", a->name, short_id(a->id));
    sides.name_b = fmt::format("{} {}", b->name, short_id(b->id));
  }
  return sides;
}

Result<rpc::Compare::Reply> compare(const Catalog& catalog, Reader& reader,
                                    const rpc::Compare::Request& request,
                                    const stats::CompareOptions& options) {
  auto sides = sides_of(catalog, reader, request);
  if (!sides) return sides.error();
  ComparedSide a{sides->name_a, {}}, b{sides->name_b, {}};
  for (const auto& [side, query] : {std::pair{&a, &sides->a}, std::pair{&b, &sides->b}}) {
    auto results = reader.results(*query, true);
    if (!results) return results.error();
    side->results = std::move(*results);
  }
  const auto noise = noise_notes(reader, sides->a, a.results);
  const auto compared = compare_results(std::move(a), std::move(b), options);
  if (!compared) return compared.error();
  rpc::Compare::Reply reply;
  for (const ComparedPoint& point : compared->points) {
    switch (point.comparison.change) {
      case stats::Change::kFaster:
        ++reply.faster;
        break;
      case stats::Change::kSlower:
        ++reply.slower;
        break;
      case stats::Change::kSame:
        ++reply.same;
        break;
      case stats::Change::kUnclear:
        ++reply.unclear;
        break;
    }
  }
  reply.table = comparison_table(*compared, sides->name_a, sides->name_b, options);
  reply.table.notes.insert(
      reply.table.notes.end() - static_cast<std::ptrdiff_t>(reply.table.warnings), noise.begin(),
      noise.end());
  return reply;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Compare>> handle_compare(ReadServices& services, Session&,
                                                            rpc::Compare::Request request) {
  const auto tolerance = share_from("tolerance", request.tolerance);
  if (!tolerance) co_return tolerance.error();
  const auto confidence = share_from("confidence", request.confidence);
  if (!confidence) co_return confidence.error();
  const stats::CompareOptions options{.confidence = *confidence, .tolerance = *tolerance};
  const auto ask = [&](Reader& reader) {
    return compare(services.catalog, reader, request, options);
  };
  auto reply = co_await services.readers.run(ask);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
