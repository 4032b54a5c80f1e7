#include "runner/client/document/sweep_results.h"

#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/wire/messages/plots.h"

namespace sweepd {

Result<SweepTables> tables_of_sweep(Client& client, const std::string& sweep, WhichResults which,
                                    const std::string& table) {
  const bool newest = which == WhichResults::kNewest;
  auto reply = client.call<rpc::Report>({sweep, table, {}, newest});
  if (!reply) return reply.error();
  // Results that arrive between the two only mean that a table has no details.
  auto details = client.call<rpc::Report>(
      {reply->sweep.id, table, {"n", "verdict", "outcome", "attempt"}, newest});
  if (!details) return details.error();
  const bool same = details->tables.size() == reply->tables.size();
  SweepTables found;
  found.sweep = std::move(reply->sweep);
  found.has_plots = reply->plots && !reply->plots->empty();
  for (std::size_t i = 0; i < reply->tables.size(); ++i) {
    DocumentTable& one = found.tables.emplace_back();
    one.table = std::move(reply->tables[i]);
    if (same) one.details = std::move(details->tables[i]);
  }
  return found;
}

Result<std::vector<Plot>> plots_of_sweep(Client& client, const std::string& sweep,
                                         WhichResults which) {
  rpc::Plot::Request request;
  request.sweep = sweep;
  request.newest = which == WhichResults::kNewest;
  auto reply = client.call<rpc::Plot>(request);
  if (!reply) return reply.error();
  return std::move(reply->plots);
}

std::string counts_in_words(const AttemptCounts& counts) {
  std::vector<std::string> parts{fmt::format("{} done", counts.done())};
  for (const auto& [word, n] : counts.problems()) parts.push_back(fmt::format("{} {}", n, word));
  const std::int64_t open = counts.queued + counts.running;
  if (open > 0) parts.push_back(fmt::format("{} open", open));
  return join(parts, ", ");
}

}  // namespace sweepd
