#include <fmt/format.h>

#include "db/query/details/attempt_tables.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/machine/environment.h"

namespace sweepd {
namespace {

void add(PropertyTable& table, const RecordColumn& column, const Query& query, int at) {
  if (query.is_null(at)) return;
  switch (column.show) {
    case Show::kText:
      table.add(column.heading, query.text(at));
      break;
    case Show::kNumber:
      table.add(column.heading, query.integer(at));
      break;
    case Show::kBytes:
      table.add(column.heading, to_human(Bytes{query.integer(at)}));
      break;
    case Show::kFlag:
      table.add(column.heading, query.integer(at) != 0 ? "on" : "off");
      break;
  }
}

}  // namespace

Table environment_table(Connection& connection, std::int64_t attempt) {
  const std::string_view of_environment = HostInfo::kOfEnvironment.name;
  std::vector<RecordColumn> columns = columns_of<HostInfo>();
  for (const auto& more : {columns_of<HostInfo>(of_environment), columns_of<Environment>()}) {
    columns.insert(columns.end(), more.begin(), more.end());
  }
  PropertyTable table("Environment");
  Query query(connection,
              fmt::format("SELECT {}, {}, {} FROM attempt a "
                          "JOIN environment e ON e.id = a.environment "
                          "JOIN host h ON h.id = e.host WHERE a.row = ?",
                          column_list<HostInfo>("h."), column_list<HostInfo>("e.", of_environment),
                          column_list<Environment>("e.")));
  query.bind(attempt);
  if (!query.next()) return table.take();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    add(table, columns[i], query, static_cast<int>(i));
  }
  return table.take();
}

Table devices_table(Connection& connection, std::int64_t attempt) {
  const std::string_view of_attempt = DeviceInfo::kOfAttempt.name;
  std::vector<DetailColumn> columns{{"rank", Show::kNumber}};
  for (const auto& part : {columns_of<DeviceInfo>(), columns_of<DeviceInfo>(of_attempt)}) {
    const auto more = shown(part);
    columns.insert(columns.end(), more.begin(), more.end());
  }
  Query query(connection,
              fmt::format("SELECT ad.rank, {}, {} FROM {} ad JOIN {} d ON d.id = ad.device "
                          "WHERE ad.attempt = ? ORDER BY ad.rank",
                          column_list<DeviceInfo>("d."), column_list<DeviceInfo>("ad.", of_attempt),
                          of_attempt, DeviceInfo::kTable));
  query.bind(attempt);
  return rows_table(query, "Devices", columns);
}

Table states_table(Connection& connection, std::int64_t attempt) {
  return record_table<DeviceState>(connection, "Device state", attempt, "r.rank, r.moment DESC");
}

}  // namespace sweepd
