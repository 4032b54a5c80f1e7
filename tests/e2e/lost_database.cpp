#include "tests/e2e/lost_database.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace sweepd::e2e {
namespace {

// Of a table, an SQL expression with all its columns. A reference to a row of another table is
// replaced by that row's identity.
constexpr auto kColumns = R"(select group_concat(e, ' || ''|'' || ') from (
select '''' || c.name || '='' || quote(' || case iif(c.name = 'sweep', 'sweep', fk."table")
  when 'name' then '(select text from name where id = t."' || c.name || '")'
  when 'attempt' then '(select uid from attempt where row = t."' || c.name || '")'
  when 'trial' then '(select key from trial where id = t."' || c.name || '")'
  when 'sweep' then '(select uid from sweep where id = t."' || c.name || '")'
  when 'environment' then '(select uid from environment where id = t."' || c.name || '")'
  when 'host' then '(select hostname || pool from host where id = t."' || c.name || '")'
  when 'device' then '(select kind || name from device where id = t."' || c.name || '")'
  when 'program' then '(select name from program where id = t."' || c.name || '")'
  else 't."' || c.name || '"' end || ')' as e
from pragma_table_info('TABLE') c left join pragma_foreign_key_list('TABLE') fk on fk."from" = c.name
where c.name not in ('id', 'row') and not ('TABLE' = 'attempt' and c.name = 'position')))";

// `sweep_count` is derived from other tables, and may have zeros for former rows.
constexpr auto kTables =
    "select group_concat(name, ' ') from (select name from sqlite_schema where type = 'table' and "
    "name not like 'sqlite_%' and name not in ('name', 'sweep_count') order by name)";

std::string columns_of(const Sandbox& box, const std::string& table) {
  const std::string_view hole = "TABLE";
  std::string query = kColumns;
  for (std::size_t at = query.find(hole); at != std::string::npos; at = query.find(hole)) {
    query.replace(at, hole.size(), table);
  }
  return box.sql(query);
}

}  // namespace

void stop(const Sandbox& box) {
  ASSERT_EQ(box.ctl({"stop", "--now"}).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return !is_alive(box.daemon_pid()); }));
}

void lose_database(const Sandbox& box) {
  for (const char* name : {"results.db", "results.db-wal", "results.db-shm"}) {
    std::filesystem::remove(box.state() / name);
  }
}

std::string all_rows(const Sandbox& box) {
  std::string all;
  std::istringstream tables(box.sql(kTables));
  for (std::string table; tables >> table;) {
    const std::string rows = box.sql(fmt::format(
        "select group_concat(x, char(10)) from (select {} as x from \"{}\" t order by x)",
        columns_of(box, table), table));
    all += fmt::format("{}\n{}\n", table, rows);
  }
  return all;
}

std::string samples_of(const Sandbox& box) {
  return box.sql(
      "select count(*) || ' ' || group_concat(value, ' ') from (select value from sample order by "
      "value)");
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace sweepd::e2e
