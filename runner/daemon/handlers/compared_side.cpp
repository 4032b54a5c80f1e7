#include "runner/daemon/handlers/compared_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"

namespace sweepd {

namespace fs = std::filesystem;

namespace {

constexpr Duration kSideLimit = seconds(30);  // of one query

// The hosts or devices among the results of a query that asks for one of them.
Result<std::vector<std::string>> values_there_are(Reader& reader, QuerySpec query,
                                                  const std::string& name) {
  std::erase_if(query.table.where, [&](const auto& filter) { return filter.name == name; });
  query.table.rows = {name};
  query.newest = true;  // whoever measured them
  const auto results = reader.results(query, false);
  if (!results) return results.error();
  std::vector<std::string> values = results->dimensions.front().values;
  std::erase(values, "");
  return values;
}

Result<void> check_side_value(Reader& reader, const QuerySpec& query, const std::string& asked) {
  if (asked != "host" && asked != "device_name") return {};
  const auto there = values_there_are(reader, query, asked);
  if (!there) return there.error();
  for (const TableSpec::Filter& filter : query.table.where) {
    if (filter.name != asked || filter.values.size() != 1) continue;
    const std::string& value = filter.values.front();
    if (there->empty() || std::find(there->begin(), there->end(), value) != there->end()) return {};
    return Error{ErrorCode::kNotFound,
                 fmt::format("by: no result has {} `{}`; there are {}{}", asked, value,
                             join(*there, ", "), did_you_mean(value, *there))};
  }
  return {};
}

}  // namespace

Result<SideDatabase> SideDatabase::open(Reader& ours, const Catalog& catalog,
                                        const std::string& file) {
  SideDatabase side(ours, file.empty() ? catalog : catalog.without_programs(), file);
  if (file.empty()) return side;
  if (!side.file_.is_absolute()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("database `{}`: expected an absolute path", file)};
  }
  const auto in_place = is_readable_in_place(side.file_, side.catalog_);
  if (!in_place) return in_place.error();
  if (!*in_place) {
    auto copy = DatabaseCopy::make(side.file_, fs::temp_directory_path(), side.catalog_);
    if (!copy) return copy.error();
    side.copy_.emplace(std::move(*copy));
  }
  auto reader = Reader::open(side.copy_ ? side.copy_->file() : side.file_, side.catalog_);
  if (!reader) return reader.error();
  side.other_ = std::move(*reader);
  side.other_->set_time_limit(kSideLimit);
  return side;
}

Result<SweepRow> SideDatabase::find_sweep(const std::string& who) const {
  auto found = reader().find_sweep(who);
  if (found || file_.empty()) return found;
  return Error{found.error().code,
               fmt::format("database {}: {}", file_.string(), found.error().message)};
}

Result<ComparedSide> read_side(Reader& reader, std::string name, const QuerySpec& query,
                               const std::string& asked) {
  auto results = reader.results(query, true);
  if (!results) return results.error();
  if (results->rows.empty()) {
    if (auto known = check_side_value(reader, query, asked); !known) return known.error();
  }
  std::vector<AttemptId> attempts;
  for (const ResultRow& row : results->rows) {
    if (!row.attempt.empty()) attempts.push_back(row.attempt);
  }
  auto ran = reader.what_ran(attempts);
  if (!ran) return ran.error();
  return ComparedSide{std::move(name), std::move(*results), std::move(*ran)};
}

}  // namespace sweepd
