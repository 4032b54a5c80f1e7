#include "db/base/ending_columns.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "db/base/record_rows.h"

namespace sweepd {
namespace {

constexpr std::size_t kOwnColumns = 2;  // outcome, rank

// Several outcomes share a column, as `phase`.
std::vector<std::string> make_columns() {
  std::vector<std::string> columns{"outcome", "rank"};
  for (const OutcomeInfo& info : kOutcomes) {
    const auto add = [&]<class T>(const char* name, const T&, const char*, const auto&... options) {
      std::string column = column_name<T>(name, options...);
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(std::move(column));
      }
    };
    std::visit([&](const auto& detail) { detail.visit(detail, add); },
               empty_ending(info.outcome).detail);
  }
  return columns;
}

}  // namespace

const std::vector<std::string>& ending_columns() {
  static const std::vector<std::string> columns = make_columns();
  return columns;
}

std::string ending_select(const std::string& alias) {
  return alias + "." + join(ending_columns(), ", " + alias + ".");
}

void bind_ending(Query& query, const Ending& ending) {
  query.bind_all(name_of(outcome_of(ending)), ending.rank);
  const auto& columns = ending_columns();
  for (std::size_t i = kOwnColumns; i < columns.size(); ++i) {
    bool bound = false;
    const auto bind = [&]<class T>(const char* name, const T& value, const char*,
                                   const auto&... options) {
      if (column_name<T>(name, options...) != columns[i]) return;
      bind_value(query, value);
      bound = true;
    };
    std::visit([&](const auto& detail) { detail.visit(detail, bind); }, ending.detail);
    if (!bound) query.bind_null();
  }
}

std::optional<Ending> read_ending(const Query& query, int first) {
  if (query.is_null(first)) return std::nullopt;
  const auto outcome = outcome_from(query.text(first));
  assert(outcome);  // a CHECK holds the column to the known words
  Ending ending = empty_ending(*outcome);
  ending.rank = static_cast<int>(query.maybe_integer(first + 1).value_or(0));
  const auto& columns = ending_columns();
  const auto read = [&]<class T>(const char* name, T& value, const char*, const auto&... options) {
    const auto place = std::find(columns.begin(), columns.end(), column_name<T>(name, options...));
    int column = first + static_cast<int>(place - columns.begin());
    if (!query.is_null(column)) read_value(query, column, value);
  };
  std::visit([&](auto& detail) { detail.visit(detail, read); }, ending.detail);
  return ending;
}

}  // namespace sweepd
