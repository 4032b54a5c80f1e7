#include "runner/client/document/measured_on.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/base/text.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

constexpr std::string_view kNone = "—";  // of a result that has no such column

// The columns of the question.
enum AskedColumn : std::size_t {
  kHost,
  kMachine,
  kDevice,
  kDriver,
  kTorch,
  kBuild,
  kSteps,
  kAttempt
};

QuerySpec question_about(const std::string& sweep, WhichResults which, const std::string& metric) {
  QuerySpec query;
  query.sweep = sweep;
  query.newest = which == WhichResults::kNewest;
  query.table.rows = {"host", "machine", "device_name", "driver", "torch", "build"};
  query.table.pool = {"all"};
  query.with = {"attempt"};
  query.declared = true;  // a sweep without this metric is no mistake
  TableSpec::Value count;
  count.metric = metric;
  count.cell = "{n}";
  query.table.values = {count};
  return query;
}

// The attempt's environment in `show`, by property.
Result<std::map<std::string, std::string>> environment_of(Client& client,
                                                          const std::string& attempt) {
  const auto shown = client.call<rpc::Show>({.what = attempt, .limit = 1});
  if (!shown) return shown.error();
  std::map<std::string, std::string> found;
  if (!shown->tables) return found;
  for (const Table& table : *shown->tables) {
    if (table.title != "Environment") continue;
    for (const auto& row : table.rows) found[row.at(0).text] = row.at(1).text;
  }
  return found;
}

// Adds a row for each machine, device and build that is not `seen` yet.
Result<void> add_rows(Client& client, const Table& answer, std::set<std::vector<std::string>>& seen,
                      Table& table) {
  for (const auto& row : answer.rows) {
    const std::string attempts = row.at(kAttempt).text;
    if (attempts.empty() || row.at(kBuild).text == kNone) continue;
    std::vector<std::string> key;
    for (std::size_t i = 0; i < kSteps; ++i) key.push_back(row[i].text);
    if (!seen.insert(std::move(key)).second) continue;
    auto environment = environment_of(client, attempts.substr(0, attempts.find(' ')));
    if (!environment) return environment.error();
    std::vector<Cell> cells{row.at(kHost)};
    for (const char* property : {"CPU", "cores", "memory", "OS", "kernel"}) {
      cells.push_back({(*environment)[property], {}});
    }
    for (const AskedColumn column : {kDevice, kDriver, kTorch, kBuild}) {
      cells.push_back(row.at(column));
    }
    table.rows.push_back(std::move(cells));
  }
  return {};
}

}  // namespace

Result<DocumentBlock> measured_on(Client& client, const std::vector<std::string>& sweeps,
                                  WhichResults which) {
  Table table;
  for (const char* name : {"Host", "CPU", "Cores", "Memory", "OS", "Kernel", "Device", "Driver",
                           "LibTorch", "Build of sweepd"}) {
    table.columns.push_back({name, "", Align::kLeft});
  }
  std::set<std::vector<std::string>> seen;
  for (const std::string& sweep : sweeps) {
    // Each pass measures one of these; computed results have none of them.
    for (const char* metric : {"time", "peak_allocated_bytes", "kernel_time"}) {
      const auto reply = client.call<rpc::Query>(question_about(sweep, which, metric));
      if (!reply) return reply.error();
      if (auto added = add_rows(client, reply->table, seen, table); !added) return added.error();
    }
  }
  if (table.rows.empty()) return DocumentBlock{"No attempt has measured anything."};
  return DocumentBlock{"", DocumentTable{std::move(table), std::nullopt}};
}

}  // namespace sweepd
