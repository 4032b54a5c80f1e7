#include "runner/report/cell/noise.h"

#include <utility>

#include "runner/daemon/handlers/comparable.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

Result<stats::NoiseOptions> options_from(const rpc::Noise::Request& request) {
  stats::NoiseOptions options;
  for (const auto& [member, text, share] :
       {std::tuple{"slowdown", &request.slowdown, &options.slowdown},
        std::tuple{"tolerance", &request.tolerance, &options.compare.tolerance},
        std::tuple{"confidence", &request.confidence, &options.compare.confidence}}) {
    const auto read = share_from(member, *text);
    if (!read) return read.error();
    *share = *read;
  }
  return options;
}

struct MeasuredNoise {
  std::string sweep;  // its name
  SweepNoise noise;
};

Result<MeasuredNoise> find_noise(Reader& reader, const Catalog& catalog,
                                 const rpc::Noise::Request& request,
                                 const stats::NoiseOptions& options) {
  const auto sweep = reader.find_sweep(request.sweep);
  if (!sweep) return sweep.error();
  auto query =
      comparable_results(reader, catalog, {"", sweep->id, request.metric, request.phase, {}});
  if (!query) return query.error();
  query->table.rows.emplace_back("repeat");
  const auto results = reader.results(*query, true);
  if (!results) return results.error();
  auto noise = noise_of_results(*results, options);
  if (!noise) return noise.error();
  return MeasuredNoise{sweep->name, std::move(*noise)};
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Noise>> handle_noise(Services& services, Session&,
                                                        rpc::Noise::Request request) {
  const auto options = options_from(request);
  if (!options) co_return options.error();
  const auto read = [&](Reader& reader) {
    return find_noise(reader, services.catalog, request, *options);
  };
  const auto found = co_await services.readers.run(read);
  if (!found) co_return found.error();
  std::vector<NoiseFloor> floors;
  for (const NoisePoint& point : found->noise.points) {
    floors.push_back(floor_of(point, options->slowdown, now_wall()));
  }
  const auto write = [&](Store& store) { return store.record_noise(floors); };
  const auto written = co_await services.writer.run(write);
  if (!written) co_return written.error();
  co_return rpc::Noise::Reply{noise_table(found->noise, found->sweep, *options)};
}

}  // namespace sweepd
