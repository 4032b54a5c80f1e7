#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "db/base/migrate.h"
#include "db/query/state.h"
#include "runner/base/text.h"

namespace sweepd {

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::~Reader() = default;

Result<std::unique_ptr<Reader>> Reader::open(const std::filesystem::path& file,
                                             const Catalog& catalog) {
  const std::string what = "database " + file.string();
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Error{ErrorCode::kNotFound, what + " does not exist"};
  }
  try {
    auto state = std::make_unique<State>(file, catalog);
    if (auto version = check_version(state->connection, embedded_migrations()); !version) {
      return Error{version.error().code, what + ": " + version.error().message};
    }
    return std::unique_ptr<Reader>(new Reader(std::move(state)));
  } catch (const SQLite::Exception& exception) {
    return to_error(exception, what, nullptr);
  }
}

void Reader::set_time_limit(Duration limit) {
  state_->connection.set_time_limit(limit);
}

void Reader::release_pages() {
  constexpr int kMuch = 8 << 20;
  sqlite3* const handle = state_->connection.database().getHandle();
  int bytes = 0, unused = 0;
  sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &bytes, &unused, 0);
  if (bytes > kMuch) sqlite3_db_release_memory(handle);
}

std::int64_t Labels::sweep_of(std::int64_t attempt) {
  if (sweep_) return *sweep_;
  Query query(state_.connection, "SELECT " + first_sweep_of("?"));
  query.bind(attempt);
  return query.next() ? query.maybe_integer(0).value_or(0) : 0;
}

const SweepAxes& Labels::axes_of_sweep(std::int64_t sweep, const WorkloadDef& def) {
  const auto [entry, added] = axes_.try_emplace(sweep);
  if (added && sweep != 0) entry->second = read_axes(state_.connection, sweep, def);
  return entry->second;
}

const std::string& Labels::of(std::int64_t attempt, std::int64_t trial, const std::string& pool,
                              const std::string& workload) {
  const std::int64_t sweep = sweep_of(attempt);
  const auto [label, is_new] = labels_.try_emplace({sweep, trial, pool});
  const WorkloadDef* def = is_new ? state_.catalog.find(workload) : nullptr;
  if (def == nullptr) return label->second;
  auto [table, added] = tables_.try_emplace(workload, state_.connection, *def);
  auto values = table->second.read(trial);
  if (!values) return label->second;
  const SweepAxes& axes = axes_of_sweep(sweep, *def);
  const auto per_sweep = [def](std::size_t axis) { return is_per_sweep(def->params[axis]); };
  if (const auto param = pool_param(*def)) values->values[*param] = pool;
  if (std::any_of(axes.begin(), axes.end(), per_sweep)) {
    Trial wanted = *values;
    set_per_sweep(state_.connection, sweep, trial, pool, *def, wanted);
    for (const std::size_t axis : axes) values->values[axis] = wanted.values[axis];
  }
  return label->second = label_of(*def, *values, axes);
}

std::string some_of(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 8;
  if (items.size() <= kShown) return join(items, ", ");
  const std::vector<std::string> first(items.begin(), items.begin() + kShown);
  return fmt::format("{} and {} more", join(first, ", "), items.size() - kShown);
}

}  // namespace sweepd
