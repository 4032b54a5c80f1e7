// Rows of described records (runner/base/fields.h): their columns, INSERT and SELECT follow from
// the description. A field of a record that is spread over two tables names its table.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "db/base/connection.h"
#include "db/base/names.h"
#include "runner/base/fields.h"
#include "runner/base/text.h"

namespace sweepd {

enum class Show {
  kText,
  kNumber,  // integers exact, reals to six digits
  kBytes,   // "1.50 GiB"; the cell's number is bytes
  kFlag,    // 0, 1 -> no, yes
};

struct RecordColumn {
  std::string name;
  std::string heading, unit;  // in tables of `show`
  std::string meaning;        // for the documentation; may be empty
  Show show = Show::kText;
  bool nullable = false;
  bool interned = false;
};

// A member as its column or columns; texts as they are.
template <class T>
void bind_value(Query& query, const T& value) {
  if constexpr (is_optional<T>) {
    value ? bind_value(query, *value) : static_cast<void>(query.bind_null());
  } else if constexpr (std::is_same_v<T, Shape3>) {
    for (const std::int64_t size : value) query.bind(size);
  } else if constexpr (std::is_same_v<T, bool>) {
    query.bind(value ? 1 : 0);
  } else if constexpr (std::is_integral_v<T>) {
    query.bind(static_cast<std::int64_t>(value));  // an address keeps its 64 bits
  } else if constexpr (std::is_same_v<T, Bytes>) {
    query.bind(value.value);
  } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, WallTime>) {
    query.bind(value.ns);
  } else {
    query.bind(value);
  }
}

// Reads it back from `column` on and moves `column` behind it.
template <class T>
void read_value(const Query& query, int& column, T& value) {
  if constexpr (is_optional<T>) {
    value.reset();
    query.is_null(column) ? static_cast<void>(++column)
                          : read_value(query, column, value.emplace());
  } else if constexpr (std::is_same_v<T, Shape3>) {
    for (std::int64_t& size : value) size = query.integer(column++);
  } else if constexpr (std::is_same_v<T, bool>) {
    value = query.integer(column++) != 0;
  } else if constexpr (std::is_integral_v<T>) {
    value = static_cast<T>(query.integer(column++));
  } else if constexpr (std::is_same_v<T, Bytes>) {
    value.value = query.integer(column++);
  } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, WallTime>) {
    value.ns = query.integer(column++);
  } else if constexpr (std::is_floating_point_v<T>) {
    value = query.real(column++);
  } else {
    value = query.text(column++);
  }
}

namespace detail {

template <class T>
constexpr Show show_of() {
  using Plain = ValueOf<T>;
  if constexpr (std::is_same_v<Plain, bool>) return Show::kFlag;
  if constexpr (std::is_same_v<Plain, Bytes>) return Show::kBytes;
  if constexpr (std::is_same_v<Plain, std::string>) return Show::kText;
  return Show::kNumber;
}

template <class T, class... Options>
void bind_field(Query& query, Names& names, const T& value, const Options&... options) {
  if constexpr (has_option<Interned, Options...>) {
    query.bind(option_or(Interned(), options...).cached ? names.id(value)
                                                        : names.uncached_id(value));
  } else {
    bind_value(query, value);
  }
}

template <class T, class... Options>
void read_field(const Query& query, Names& names, int& column, T& value, const Options&...) {
  if constexpr (has_option<Interned, Options...>) {
    value = names.text(query.integer(column++));
  } else {
    read_value(query, column, value);
  }
}

// `field(member, options...)` for each field of the record that `table` holds.
template <class Record, class Self, class Field>
void for_each_field(Self& record, std::string_view table, Field field) {
  Record::visit(record, [&](const char*, auto& member, const char*, const auto&... options) {
    if (option_or(InTable{Record::kTable}, options...).name == table) field(member, options...);
  });
}

}  // namespace detail

// The column of a member: the name that its description gives, or its own with the unit.
template <class T, class... Options>
std::string column_name(const char* name, const Options&... options) {
  const std::string_view given = option_or(ColumnName{""}, options...).name;
  return given.empty() ? name + std::string(column_suffix<T>()) : std::string(given);
}

template <class Record>
std::vector<RecordColumn> columns_of(std::string_view table = Record::kTable) {
  std::vector<RecordColumn> columns;
  const Record record{};
  Record::visit(record,
                [&]<class T, class... Options>(const char* name, const T&, const char* meaning,
                                               const Options&... options) {
                  if (option_or(InTable{Record::kTable}, options...).name != table) return;
                  RecordColumn column;
                  column.name = column_name<T>(name, options...);
                  const Heading heading = option_or(Heading{name}, options...);
                  column.heading = heading.text;
                  std::replace(column.heading.begin(), column.heading.end(), '_', ' ');
                  column.unit = heading.unit;
                  column.meaning = meaning;
                  column.show = detail::show_of<T>();
                  column.nullable = is_optional<T>;
                  column.interned = has_option<Interned, Options...>;
                  if constexpr (std::is_same_v<T, Shape3>) {
                    const std::string shape = column.name;
                    for (const char* axis : {"_x", "_y", "_z"}) {
                      column.name = shape + axis;
                      columns.push_back(column);
                    }
                  } else {
                    columns.push_back(std::move(column));
                  }
                });
  return columns;
}

// "at_start_bytes, at_end_bytes", each after `prefix`.
template <class Record>
std::string column_list(std::string_view prefix = "", std::string_view table = Record::kTable) {
  std::vector<std::string> names;
  for (const RecordColumn& column : columns_of<Record>(table)) {
    names.push_back(std::string(prefix) + column.name);
  }
  return join(names, ", ");
}

// ", ?" for each of this many values.
inline std::string placeholders(std::size_t values) {
  std::string list;
  for (std::size_t i = 0; i < values; ++i) list += ", ?";
  return list;
}

// Binds the record's columns in the order of `column_list`.
template <class Record>
void bind_record(Query& query, Names& names, const Record& record,
                 std::string_view table = Record::kTable) {
  detail::for_each_field<Record>(record, table, [&](const auto& member, const auto&... options) {
    detail::bind_field(query, names, member, options...);
  });
}

// Reads them from `column` on.
template <class Record>
Record read_record(const Query& query, Names& names, int column = 0) {
  Record record{};
  detail::for_each_field<Record>(record, Record::kTable, [&](auto& member, const auto&... options) {
    detail::read_field(query, names, column, member, options...);
  });
  return record;
}

// One row a record, which belongs to row `owner` of the table that the column `owned_by` refers to.
// The last of two records with one key is stored: a broken worker must not make its attempt
// unstorable.
template <class Records>
void insert_rows(Connection& connection, Names& names, const char* owned_by, std::int64_t owner,
                 const Records& records) {
  using Record = std::remove_cv_t<typename Records::value_type>;
  if (records.empty()) return;
  static const std::string columns = column_list<Record>();
  static const std::string values = placeholders(columns_of<Record>().size());
  Query insert(connection, fmt::format("INSERT OR REPLACE INTO {} ({}, {}) VALUES (?{})",
                                       Record::kTable, owned_by, columns, values));
  for (const Record& record : records) {
    insert.bind(owner);
    bind_record(insert, names, record);
    insert.run();
  }
}

// The rows of one owner, in the given order.
template <class Record>
std::vector<Record> select_rows(Connection& connection, Names& names, const char* owned_by,
                                std::int64_t owner, std::string_view order) {
  Query query(connection, fmt::format("SELECT {} FROM {} WHERE {} = ? ORDER BY {}",
                                      column_list<Record>(), Record::kTable, owned_by, order));
  query.bind(owner);
  std::vector<Record> records;
  while (query.next()) records.push_back(read_record<Record>(query, names));
  return records;
}

}  // namespace sweepd
