#include "db/base/strangers_file.h"
#include "db/merge/merge.h"

namespace sweepd {
namespace {

MergeCount read_count(Connection& connection, const std::string& sql) {
  Query query(connection, sql);
  query.next();
  return {query.integer(0), query.integer(1)};
}

MergeReceipt count_all(Connection& connection) {
  MergeReceipt receipt;
  receipt.sweeps = read_count(connection,
                              "SELECT count(*) FILTER (WHERE m.id IS NULL), count(m.id) FROM "
                              "other.sweep o LEFT JOIN main.sweep m ON m.uid = o.uid");
  receipt.trials = read_count(connection,
                              "SELECT count(*) FILTER (WHERE m.id IS NULL), count(m.id) FROM "
                              "other.trial o LEFT JOIN main.trial m ON m.key = o.key");
  receipt.attempts = read_count(
      connection,
      "SELECT count(*) FILTER (WHERE m.row IS NULL), count(m.row) FROM other.attempt o LEFT "
      "JOIN main.attempt m ON m.uid = o.uid WHERE o.outcome IS NOT NULL");
  receipt.open =
      read_count(connection, "SELECT count(*), 0 FROM other.attempt WHERE outcome IS NULL").brought;
  receipt.samples =
      read_count(
          connection,
          "SELECT count(*), 0 FROM other.attempt o CROSS JOIN other.sample s ON s.attempt = "
          "o.row WHERE o.outcome IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.attempt m WHERE "
          "m.uid = o.uid)")
          .brought;
  Query hosts(connection,
              "SELECT DISTINCT h.hostname FROM other.attempt o JOIN other.host h ON h.id = o.host "
              "WHERE o.outcome IS NOT NULL AND NOT EXISTS (SELECT 1 FROM main.attempt m WHERE "
              "m.uid = o.uid)");
  while (hosts.next()) receipt.add_host(hosts.text(0));
  return receipt;
}

}  // namespace

Result<MergeReceipt> preview_merge(const std::filesystem::path& database,
                                   const std::filesystem::path& copy) {
  try {
    Connection connection(database, Access::kReadOnly);
    connection.distrust(kStrangersTime);
    Query(connection, "ATTACH ? AS other").bind(copy.string()).run();
    return count_all(connection);
  } catch (const SQLite::Exception& exception) {
    return about_strangers_file(to_error(exception, "comparing " + database.string(), nullptr));
  }
}

}  // namespace sweepd
