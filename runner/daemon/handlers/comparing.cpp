#include "runner/daemon/handlers/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runner/base/text.h"
#include "runner/daemon/handlers/comparable.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/report/render/option_text.h"
#include "runner/report/table/table_caption.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

constexpr Duration kSideLimit = seconds(30);  // of one query

// The hosts or devices among the results of a query that asks for one of them.
Result<std::vector<std::string>> values_there_are(Reader& reader, QuerySpec query,
                                                  const std::string& name) {
  std::erase_if(query.table.where, [&](const auto& filter) { return filter.name == name; });
  query.table.rows = {name};
  query.newest = true;  // of any sweep
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

Result<Sides> sides_by_value(QuerySpec common, const std::string& by) {
  const auto filter = filter_from_text("by", by);
  if (!filter) return filter.error();
  if (filter->values.size() != 2) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("by: `{}` has {} values; expected two, such as {}=A,B", by,
                             filter->values.size(), filter->name)};
  }
  Sides sides{common, std::move(common), fmt::format("{}={}", filter->name, filter->values[0]),
              fmt::format("{}={}", filter->name, filter->values[1])};
  sides.a.table.where.push_back({filter->name, {filter->values[0]}});
  sides.b.table.where.push_back({filter->name, {filter->values[1]}});
  sides.asked = filter->name;
  return sides;
}

// The name of a side, which is unlike the other's.
std::string side_name(const SideDatabase& database, const SweepRow& sweep, const SweepRow& other,
                      const SideDatabase& others) {
  std::string name = sweep.name;
  if (!database.file().empty()) {
    const bool same_file = database.file().filename() == others.file().filename();
    name += "@" + (same_file ? database.file() : database.file().filename()).string();
  }
  if (sweep.name != other.name || database.file() != others.file()) return name;
  return fmt::format("{} {}", name, short_id(sweep.id));
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

Result<Sides> sides_of(const SideDatabase& of_a, const SideDatabase& of_b,
                       const rpc::Compare::Request& request) {
  if (!request.by.empty() && !request.b.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("`{}` and `by`: two sweeps are compared, or two values in one", request.b)};
  }
  if (!request.by.empty() && !request.a_database.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`by` and database {0}: two values are compared in one database; name "
                             "it with --db {0}",
                             request.a_database)};
  }
  const auto a = request.a.empty() ? Result<SweepRow>(SweepRow{}) : of_a.find_sweep(request.a);
  if (!a) return a.error();
  auto common = comparable_results(
      of_a.reader(), of_a.catalog(),
      {request.workload, request.a, request.metric, request.phase, request.where, request.newest});
  if (!common) return common.error();
  if (!request.by.empty()) return sides_by_value(std::move(*common), request.by);
  if (request.b.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 "nothing to compare with; name a second sweep, or two values of a parameter with "
                 "--by NAME=A,B"};
  }
  const auto b = of_b.find_sweep(request.b);
  if (!b) return b.error();
  if (request.a.empty()) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("nothing to compare `{}` with; name a sweep as `a`", b->name)};
  }
  if (a->workload != b->workload) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("`{}` is a sweep of {} and `{}` of {}; expected the same workload",
                             a->name, a->workload, b->name, b->workload)};
  }
  Sides sides{*common, std::move(*common), side_name(of_a, *a, *b, of_b),
              side_name(of_b, *b, *a, of_a)};
  sides.b.sweep = b->id;
  return sides;
}

Result<void> caption_both(const SideDatabase& of_a, const SideDatabase& of_b, const Sides& sides,
                          Table& table) {
  if (table.rows.empty()) return {};
  std::vector<CaptionSource> sources;
  for (const auto& [database, side] : {std::pair{&of_a, &sides.a}, std::pair{&of_b, &sides.b}}) {
    QuerySpec query = *side;
    const auto def = workload_of(database->reader(), database->catalog(), query);
    if (!def) return def.error();
    auto found = database->reader().measured_with(query);
    if (!found) return found.error();
    sources.push_back({*def, std::move(*found)});
  }
  QuerySpec shown = sides.a;
  shown.only_varying = true;
  set_caption(table, sources, shown);
  return {};
}

}  // namespace sweepd
