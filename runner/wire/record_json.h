// Described records (runner/base/fields.h) as arrays of values in the order of the description,
// where a journal or a message holds very many of them. runner/wire/message.h has the other form.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "runner/base/fields.h"
#include "runner/wire/json_values.h"

namespace sweepd {

namespace detail {

using RecordJson = nlohmann::ordered_json;

template <class Json = RecordJson, class T>
Json field_to_json(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? field_to_json<Json>(*value) : Json();
  } else if constexpr (std::is_same_v<T, Bytes>) {
    return value.value;
  } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, WallTime>) {
    return value.ns;
  } else if constexpr (std::is_floating_point_v<T>) {
    return number_to_json(value);
  } else if constexpr (std::is_same_v<T, std::vector<Bytes>>) {
    Json list = Json::array();
    for (const Bytes size : value) list.push_back(size.value);
    return list;
  } else {
    return value;
  }
}

template <class Json, class T>
bool read_field(const Json& value, T& out) {
  if constexpr (is_optional<T>) {
    if (value.is_null()) return true;
  }
  return read_json(value, out).empty();
}

}  // namespace detail

// An array with one array of values a record.
template <class Json = nlohmann::ordered_json, class Record>
Json rows_to_json(const std::vector<Record>& records) {
  Json rows = Json::array();
  for (const Record& record : records) {
    Json row = Json::array();
    Record::visit(record, [&]<class T, class... Options>(const char*, const T& value, const char*,
                                                         const Options&...) {
      if constexpr (!has_option<Implied, Options...>) {
        row.push_back(detail::field_to_json<Json>(value));
      }
    });
    rows.push_back(std::move(row));
  }
  return rows;
}

// The form of a row, for messages: "[sequence, size, allocated_ns, freed_ns or null]".
template <class Record>
std::string row_form() {
  std::string form;
  const Record record;
  Record::visit(record, [&]<class T, class... Options>(const char* name, const T&, const char*,
                                                       const Options&...) {
    if constexpr (!has_option<Implied, Options...>) {
      form +=
          fmt::format("{}{}{}{}", form.empty() ? "[" : ", ", name,
                      column_suffix<T>() == "_ns" ? "_ns" : "", is_optional<T> ? " or null" : "");
    }
  });
  return form + "]";
}

// Returns the mistake, or "".
template <class Json, class Record>
std::string read_row(const Json& row, Record& record) {
  std::size_t index = 0;
  bool good = row.is_array();
  Record::visit(record, [&]<class T, class... Options>(const char*, T& value, const char*,
                                                       const Options&...) {
    if constexpr (!has_option<Implied, Options...>) {
      good = good && index < row.size() && detail::read_field(row[index], value);
      ++index;
    }
  });
  if (good && index == row.size()) return "";
  return not_a(row_form<Record>(), row);
}

}  // namespace sweepd
