#include <fmt/format.h>

#include "db/base/catalog_tables.h"
#include "db/base/migrate.h"
#include "db/base/program_tables.h"
#include "db/store/state.h"

namespace sweepd {

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file,
                                           const Catalog& catalog, const HostInfo& host) {
  const std::string what = "database " + file.string();
  try {
    auto state = std::make_unique<State>(file, catalog);
    // The last daemon may have died after a failed sync. A clean exit leaves no log.
    state->log_has_hole = true;
    auto whole = state->transact(what, []() -> Result<void> { return {}; });
    if (!whole) return whole.error();
    auto migrated = migrate(state->connection, embedded_migrations(), migrations_before_0_2());
    if (!migrated) {
      return Error{migrated.error().code, what + ": " + migrated.error().message};
    }
    auto ready = state->transact(what, [&]() -> Result<void> {
      refresh_general_views(state->connection);
      if (auto loaded = load_programs(state->connection, state->catalog); !loaded) return loaded;
      if (auto applied = apply_catalog(state->connection, state->catalog); !applied) return applied;
      state->host = upsert_host(state->connection, state->names, host);
      return {};
    });
    if (!ready) return ready.error();
    return std::unique_ptr<Store>(new Store(std::move(state)));
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, what, nullptr);
  }
}

Result<std::int64_t> sweep_row(Connection& connection, const SweepId& sweep) {
  Query query(connection, "SELECT id FROM sweep WHERE uid = ?");
  query.bind(sweep);
  if (query.next()) return query.integer(0);
  return Error{ErrorCode::kNotFound, fmt::format("no sweep `{}`", sweep)};
}

}  // namespace sweepd
