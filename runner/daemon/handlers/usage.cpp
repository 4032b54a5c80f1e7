#include <algorithm>

#include "runner/base/text.h"
#include "runner/daemon/handlers/folder_usage.h"
#include "runner/daemon/handlers/handlers.h"

namespace sweepd {
namespace {

using Folders = std::unordered_map<AttemptId, FolderUsage>;

struct SweepUsage {
  const DatabaseUsage::OfSweep* sweep = nullptr;
  FolderUsage folders;
};

Cell usage_cell(Bytes size) {
  return {to_human(size), static_cast<double>(size.value)};
}

Cell usage_cell(std::int64_t count) {
  return {with_thousands(count), static_cast<double>(count)};
}

// Takes each folder that belongs to a sweep out of `folders`. Those of `shared` may be another
// daemon's.
std::vector<SweepUsage> by_sweep(const DatabaseUsage& database, Folders& folders,
                                 const Folders& shared) {
  std::vector<SweepUsage> usage;
  for (const DatabaseUsage::OfSweep& sweep : database.sweeps) {
    SweepUsage one{&sweep, {}};
    for (const AttemptId& attempt : sweep.attempts) {
      if (const auto there = shared.find(attempt); there != shared.end()) {
        one.folders += there->second;
      }
      const auto found = folders.find(attempt);
      if (found == folders.end()) continue;
      one.folders += found->second;
      folders.erase(found);
    }
    usage.push_back(one);
  }
  std::stable_sort(usage.begin(), usage.end(), [](const SweepUsage& a, const SweepUsage& b) {
    return a.folders.all() > b.folders.all();
  });
  return usage;
}

void add_row(Table& table, const std::string& id, const std::string& name, std::int64_t trials,
             std::int64_t attempts, const FolderUsage& folders) {
  table.rows.push_back({{id, {}},
                        {name, {}},
                        usage_cell(trials),
                        usage_cell(attempts),
                        usage_cell(folders.journals),
                        usage_cell(folders.logs),
                        usage_cell(folders.traces),
                        usage_cell(folders.other),
                        usage_cell(folders.all())});
}

Table table_of_sweeps(const DatabaseUsage& database, Folders folders, const Folders& shared) {
  Table table;
  table.title = "Files of attempts, by sweep";
  table.columns = {{"id", "", Align::kLeft},        {"sweep", "", Align::kLeft},
                   {"trials", "", Align::kRight},   {"attempts", "", Align::kRight},
                   {"journals", "", Align::kRight}, {"logs", "", Align::kRight},
                   {"traces", "", Align::kRight},   {"other", "", Align::kRight},
                   {"all", "", Align::kRight}};
  FolderUsage all;
  for (const SweepUsage& one : by_sweep(database, folders, shared)) {
    add_row(table, std::string(short_id(one.sweep->id)), one.sweep->name, one.sweep->trials,
            static_cast<std::int64_t>(one.sweep->attempts.size()), one.folders);
    all += one.folders;
  }
  table.notes.push_back("an attempt that several sweeps use counts for the first of them; all: " +
                        to_human(all.all()));
  if (folders.empty()) return table;
  FolderUsage unknown;
  for (const auto& [attempt, usage] : folders) unknown += usage;
  table.notes.push_back(fmt::format(
      "{} in {} of attempts that the database does not have, such as {}", to_human(unknown.all()),
      folders.size() == 1 ? std::string("a folder") : fmt::format("{} folders", folders.size()),
      folders.begin()->first));
  table.warnings = 1;
  return table;
}

Table table_of_database(const DatabaseUsage& database) {
  Table table;
  table.title = "Database";
  table.columns = {{"what", "", Align::kLeft}, {"size", "", Align::kRight}};
  for (const DatabaseUsage::Part& part : database.parts) {
    table.rows.push_back({{part.what, {}}, usage_cell(part.size)});
  }
  table.rows.push_back({{"unused", {}}, usage_cell(database.unused)});
  table.notes.push_back("unused: pages of deleted results, which new ones will fill");
  if (database.parts.empty()) {
    table.notes.push_back("this SQLite was built without `dbstat`, so the rest is not known");
  }
  return table;
}

}  // namespace

boost::asio::awaitable<Answer<rpc::Usage>> handle_usage(ReadServices& services, Session&,
                                                        rpc::Usage::Request) {
  // The folders come first: an attempt that begins in between is then missing here, instead of
  // counting as unknown to the database.
  const auto look = [&] { return folder_usage(services.state.runs()); };
  Folders folders = co_await services.slow.compute(look);
  Folders shared;
  for (const PoolConfig& cluster : services.clusters) {
    if (!cluster.is_cluster()) continue;
    const std::function<void()> look_there = [&] { shared.merge(folder_usage(cluster.runs)); };
    co_await services.at_files(cluster.name, look_there);
  }
  const auto ask = [](Reader& reader) { return reader.usage(); };
  const auto database = co_await services.readers.run(ask);
  if (!database) co_return database.error();
  rpc::Usage::Reply reply;
  reply.sweeps = table_of_sweeps(*database, std::move(folders), shared);
  reply.database = table_of_database(*database);
  co_return reply;
}

}  // namespace sweepd
