// The tables that `show` makes of one attempt's rows. A table is empty if nothing was stored.
#pragma once

#include "db/query/details/detail_tables.h"

namespace sweepd {

Table work_table(Connection& connection, std::int64_t attempt);
// `where` ends in one `?`, which is bound to `id`: the attempt or the trial.
Table summary_table(Connection& connection, const std::string& where, std::int64_t id);
Table memory_table(Connection& connection, std::int64_t attempt);
Table facts_table(Connection& connection, std::int64_t attempt);
Table lease_table(Connection& connection, std::int64_t attempt);
Table samples_table(Connection& connection, std::int64_t attempt);
Table environment_table(Connection& connection, std::int64_t attempt);
Table devices_table(Connection& connection, std::int64_t attempt);
Table states_table(Connection& connection, std::int64_t attempt);

}  // namespace sweepd
