// Stores where an attempt ran: host, environment, devices and their states.
#include <fmt/format.h>

#include <string>

#include "db/base/record_rows.h"
#include "db/store/record.h"
#include "db/store/state.h"
#include "runner/base/hash.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

// A hash of every column but the host's row, so that equal environments are one row. Texts as they
// are, flags as 0, 1 and `-`.
std::string hash_of(const Environment& e) {
  std::vector<std::string> parts{e.host.id, e.host.kernel, e.host.os, e.host.governor};
  Environment::visit(e, [&]<class T>(const char*, const T& value, const char*, const auto&...) {
    if constexpr (is_optional<T>) {
      parts.emplace_back(value ? (*value ? "1" : "0") : "-");
    } else {
      parts.push_back(fmt::to_string(value));
    }
  });
  return hash128(join(parts, "|"));
}

std::int64_t intern_environment(Connection& connection, Names& names, std::int64_t host,
                                const Environment& e) {
  const std::string uid = hash_of(e);
  Query known(connection, "SELECT id FROM environment WHERE uid = ?");
  known.bind(uid);
  if (known.next()) return known.integer(0);
  const std::string_view table = Environment::kTable;
  const std::size_t columns = columns_of<HostInfo>(table).size() + columns_of<Environment>().size();
  Query insert(connection, fmt::format("INSERT INTO {} (uid, host, {}, {}) VALUES (?, ?{})", table,
                                       column_list<HostInfo>("", table), column_list<Environment>(),
                                       placeholders(columns)));
  insert.bind_all(uid, host);
  bind_record(insert, names, e.host, table);
  bind_record(insert, names, e);
  insert.run();
  return connection.database().getLastInsertRowid();
}

// Adds the record's row, or updates the row whose `key` columns are equal; returns its id. A device
// belongs to a host; a host has no owner.
template <class Record>
std::int64_t upsert(Connection& connection, Names& names, const Record& record,
                    const std::string& key, std::optional<std::int64_t> host) {
  std::vector<std::string> updates;
  for (const RecordColumn& column : columns_of<Record>()) {
    updates.push_back(fmt::format("{0} = excluded.{0}", column.name));
  }
  Query query(
      connection,
      fmt::format("INSERT INTO {} ({}{}) VALUES ({}?{}) ON CONFLICT ({}) DO UPDATE SET {} "
                  "RETURNING id",
                  Record::kTable, host ? "host, " : "", column_list<Record>(), host ? "?, " : "",
                  placeholders(columns_of<Record>().size() - 1), key, join(updates, ", ")));
  if (host) query.bind(*host);
  bind_record(query, names, record);
  query.next();
  return query.integer(0);
}

}  // namespace

std::int64_t upsert_host(Connection& connection, Names& names, const HostInfo& host) {
  return upsert(connection, names, host, "uid", std::nullopt);
}

std::int64_t upsert_device(Connection& connection, Names& names, std::int64_t host,
                           const DeviceInfo& device) {
  return upsert(connection, names, device, "host, kind, uuid, name", host);
}

std::int64_t insert_environment(Connection& connection, Names& names, std::int64_t attempt,
                                const Environment& environment, std::int64_t host) {
  if (!environment.host.id.empty()) host = upsert_host(connection, names, environment.host);
  Query(connection, "UPDATE attempt SET environment = ? WHERE row = ?")
      .bind_all(intern_environment(connection, names, host, environment), attempt)
      .run();
  const std::string_view table = DeviceInfo::kOfAttempt.name;
  Query insert(
      connection,
      fmt::format("INSERT OR REPLACE INTO {} (attempt, rank, device, {}) VALUES (?, ?, ?{})", table,
                  column_list<DeviceInfo>("", table),
                  placeholders(columns_of<DeviceInfo>(table).size())));
  int rank = -1;
  for (const DeviceInfo& device : environment.devices) {
    ++rank;
    // A rank that died before it reported its device leaves a hole in the list.
    if (device.kind.empty()) continue;
    insert.bind_all(attempt, rank, upsert_device(connection, names, host, device));
    bind_record(insert, names, device, table);
    insert.run();
  }
  return host;
}

}  // namespace sweepd
