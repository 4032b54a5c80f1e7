#include <fmt/format.h>

#include "db/catalog_tables.h"
#include "db/migrate.h"
#include "db/store/state.h"

namespace sweepd {

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const std::filesystem::path& file,
                                           const Catalog& catalog, const HostInfo& host) {
  const std::string what = "database " + file.string();
  try {
    auto state = std::make_unique<State>(file, catalog);
    if (auto migrated = migrate(state->connection, embedded_migrations()); !migrated) {
      return Error{migrated.error().code, what + ": " + migrated.error().message};
    }
    auto ready = state->transact(what, [&]() -> Result<void> {
      refresh_general_views(state->connection);
      if (auto applied = apply_catalog(state->connection, state->catalog); !applied) return applied;
      state->host = upsert_host(state->connection, host);
      return {};
    });
    if (!ready) return ready.error();
    return std::unique_ptr<Store>(new Store(std::move(state)));
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, what, nullptr);
  }
}

std::int64_t upsert_host(Connection& connection, const HostInfo& host) {
  Query query(connection,
              "INSERT INTO host (uid, hostname, cpu_model, cores, sockets, memory_bytes) "
              "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (uid) DO UPDATE SET "
              "hostname = excluded.hostname, cpu_model = excluded.cpu_model, "
              "cores = excluded.cores, sockets = excluded.sockets, "
              "memory_bytes = excluded.memory_bytes RETURNING id");
  query.bind_all(host.id, host.hostname, host.cpu_model, host.cores, host.sockets,
                 host.memory.value);
  query.next();
  return query.integer(0);
}

std::int64_t upsert_device(Connection& connection, std::int64_t host, const DeviceInfo& device) {
  Query query(connection,
              "INSERT INTO device (host, kind, uuid, name, memory_bytes, compute_capability) "
              "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (host, kind, uuid, name) DO UPDATE SET "
              "memory_bytes = excluded.memory_bytes, "
              "compute_capability = excluded.compute_capability RETURNING id");
  query.bind_all(host, device.kind, device.uuid, device.name, device.memory.value,
                 device.compute_capability);
  query.next();
  return query.integer(0);
}

Result<std::int64_t> sweep_row(Connection& connection, const SweepId& sweep) {
  Query query(connection, "SELECT id FROM sweep WHERE uid = ?");
  query.bind(sweep);
  if (query.next()) return query.integer(0);
  return Error{ErrorCode::kNotFound, fmt::format("no sweep `{}`", sweep)};
}

}  // namespace sweepd
