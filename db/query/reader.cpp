#include <fmt/format.h>

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

const std::string& Labels::of(std::int64_t trial, const std::string& workload) {
  if (const auto known = labels_.find(trial); known != labels_.end()) return known->second;
  std::string label;
  if (const WorkloadDef* def = state_.catalog.find(workload)) {
    auto [table, added] = tables_.try_emplace(workload, state_.connection, *def);
    if (const auto values = table->second.read(trial)) label = label_of(*def, *values);
  }
  return labels_.emplace(trial, std::move(label)).first->second;
}

std::string some_of(const std::vector<std::string>& items) {
  constexpr std::size_t kShown = 8;
  if (items.size() <= kShown) return join(items, ", ");
  const std::vector<std::string> first(items.begin(), items.begin() + kShown);
  return fmt::format("{} and {} more", join(first, ", "), items.size() - kShown);
}

}  // namespace sweepd
