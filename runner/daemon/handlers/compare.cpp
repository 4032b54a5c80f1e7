#include <fmt/format.h>

#include <string>
#include <utility>

#include "runner/daemon/handlers/comparable.h"
#include "runner/daemon/handlers/comparing.h"
#include "runner/daemon/handlers/handlers.h"
#include "runner/daemon/handlers/note_drift.h"

namespace sweepd {
namespace {

Result<rpc::Compare::Reply> compare(const Catalog& catalog, Reader& reader,
                                    const rpc::Compare::Request& request,
                                    const stats::CompareOptions& options) {
  const auto of_a = SideDatabase::open(reader, catalog, request.a_database);
  if (!of_a) return of_a.error();
  const auto of_b = SideDatabase::open(reader, catalog, request.b_database);
  if (!of_b) return of_b.error();
  const auto sides = sides_of(*of_a, *of_b, request);
  if (!sides) return sides.error();
  if (request.kernels) return compare_profiles(*of_a, *of_b, *sides, options.tolerance);
  auto a = read_side(of_a->reader(), sides->name_a, sides->a, sides->asked);
  if (!a) return a.error();
  auto b = read_side(of_b->reader(), sides->name_b, sides->b, sides->asked);
  if (!b) return b.error();
  auto drift = DriftNotes::read(of_a->reader());
  if (!drift) return drift.error();
  // The sentinels of another database are not in ours.
  if (of_a->file() == of_b->file()) {
    drift->add(fmt::format("the attempts of `{}`", sides->name_a), sides->a.sweep, a->results);
    drift->add(fmt::format("the attempts of `{}`", sides->name_b), sides->b.sweep, b->results);
  }
  const auto noise = noise_notes(of_a->reader(), sides->a, a->results);
  const auto compared = compare_results(std::move(*a), std::move(*b), options, sides->asked);
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
  if (const auto added = caption_both(*of_a, *of_b, *sides, reply.table); !added) {
    return added.error();
  }
  reply.table.notes.insert(
      reply.table.notes.end() - static_cast<std::ptrdiff_t>(reply.table.warnings), noise.begin(),
      noise.end());
  if (const auto noted = drift->write(of_a->reader(), reply.table); !noted) return noted.error();
  return reply;
}

}  // namespace

Result<rpc::Compare::Reply> answer_compare(Reader& reader, const Catalog& catalog,
                                           rpc::Compare::Request request) {
  const auto tolerance = share_from("tolerance", request.tolerance);
  if (!tolerance) return tolerance.error();
  const auto confidence = share_from("confidence", request.confidence);
  if (!confidence) return confidence.error();
  if (request.kernels) {
    if (request.metric != "time") {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("metric: `{}` with `kernels`: kernels are compared by their time",
                               request.metric)};
    }
    request.metric = "kernel_time";
  }
  return compare(catalog, reader, request, {.confidence = *confidence, .tolerance = *tolerance});
}

boost::asio::awaitable<Answer<rpc::Compare>> handle_compare(ReadServices& services, Session&,
                                                            rpc::Compare::Request request) {
  const auto ask = [&](Reader& reader) {
    return answer_compare(reader, services.catalog, request);
  };
  auto reply = co_await services.readers.run(ask);
  if (!reply) co_return reply.error();
  co_return std::move(*reply);
}

}  // namespace sweepd
