#include "runner/client/commands/planning.h"

#include <iterator>
#include <map>
#include <utility>

namespace sweepd {

Result<std::vector<SweepPlan>> plan_sweeps(Client& client, const rpc::Plan::Request& request) {
  std::map<std::int64_t, std::vector<PlannedTrial>> rows;  // by sweep of the file
  Result<void> taken;
  const auto take = [&](const nlohmann::json& notification) {
    auto page = news_of<rpc::PlanRows>(notification);
    if (!page) taken = page.error();
    if (!page || !*page) return;
    auto& all = rows[(*page)->sweep];
    std::move((*page)->rows.begin(), (*page)->rows.end(), std::back_inserter(all));
  };
  auto reply = client.call<rpc::Plan>(request, take);
  if (!reply) return reply.error();
  if (!taken) return taken.error();
  for (auto& [index, all] : rows) {
    reply->sweeps.at(static_cast<std::size_t>(index)).rows = std::move(all);
  }
  return std::move(reply->sweeps);
}

}  // namespace sweepd
