// Described types (runner/base/fields.h) as JSON, both ways: messages between daemon and client,
// events, and files. The checks of a request's `params` and the tables of docs/PROTOCOL.md follow
// from the descriptions, too. Each method is a struct in runner/wire/messages:
//
//   struct Cancel {
//     static constexpr std::string_view kName = "cancel";
//     struct Request {
//       std::string sweep;
//       static void visit(auto& self, auto&& field) {
//         field("sweep", self.sweep, "name, id or beginning of an id", Required());
//       }
//     };
//     struct Reply { ... };
//   };
//
// The name of a field is the one in JSON, whole: "elapsed_ns". Members may be texts, numbers,
// units, enums, objects that describe themselves, and lists, maps and optionals of these.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runner/base/fields.h"
#include "runner/model/sweep/table.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/wire/json_values.h"
#include "runner/wire/params.h"
#include "runner/wire/record_json.h"

namespace sweepd {

// A request must have the member. Without it the member keeps its default.
struct Required {};
// A text in a request that is a path.
struct IsPath {};
// Of an integer in a request.
struct Limits {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

template <class T>
concept IsMessage = requires(T& value) {
  T::visit(value, [](auto&&...) {});
};

template <class T>
struct ListTraits : std::false_type {};
template <class T>
struct ListTraits<std::vector<T>> : std::true_type {
  using Element = T;
};
template <class T>
struct MapTraits : std::false_type {};
template <class T>
struct MapTraits<std::map<std::string, T>> : std::true_type {};

// Types with their own form have overloads of these two, found by their arguments:
// nlohmann::json to_json(const T&) and Result<void> read_message(const json&, T&), which may take
// the path, too.

// Enums are their names.
template <class T>
Result<void> read_name(const nlohmann::json& value, Result<T> (*from)(std::string_view), T& out) {
  if (!value.is_string()) return Error{ErrorCode::kInternal, "expected a string"};
  const auto known = from(value.get_ref<const std::string&>());
  if (!known) return known.error();
  out = *known;
  return {};
}
inline Result<void> read_message(const nlohmann::json& value, Pass& out) {
  return read_name(value, &pass_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, Outcome& out) {
  return read_name(value, &outcome_from, out);
}
inline Result<void> read_message(const nlohmann::json& value, Align& out) {
  out = value == "right" ? Align::kRight : Align::kLeft;
  return {};
}

template <class Json = nlohmann::json, class T>
Json to_message(const T& value);

// Adds a type's described members to an object.
template <class Json, IsMessage T>
void put_members(Json& object, const T& value) {
  T::visit(value, [&]<class M, class... Options>(std::string_view name, const M& member,
                                                 const char*, const Options&...) {
    if constexpr (has_option<Implied, Options...>) return;
    if constexpr (is_optional<M> && !has_option<OrNull, Options...>) {
      if (!member) return;
    }
    if constexpr (has_option<Finite, Options...>) {
      if (!std::isfinite(*member)) return;
    }
    if constexpr (has_option<Sparse, Options...>) {
      if (member == M()) return;
    }
    if constexpr (has_option<AsRows, Options...>) {
      object[std::string(name)] = rows_to_json<Json>(member);
    } else {
      object[std::string(name)] = to_message<Json>(member);
    }
  });
}

// The object of a type's described members. `to_message` returns it unless the type has its own
// form.
template <class Json = nlohmann::json, IsMessage T>
Json members_to_message(const T& value) {
  Json object = Json::object();
  put_members(object, value);
  return object;
}

template <class Json, class T>
Json to_message(const T& value) {
  if constexpr (requires { to_json(value); }) {
    return to_json(value);
  } else if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else if constexpr (is_optional<T>) {
    return value ? to_message<Json>(*value) : Json();
  } else if constexpr (std::is_same_v<T, NamedTexts>) {
    Json object = Json::object();
    for (const auto& [name, text] : value) object[name] = text;
    return object;
  } else if constexpr (ListTraits<T>::value) {
    Json list = Json::array();
    for (const auto& element : value) list.push_back(to_message<Json>(element));
    return list;
  } else if constexpr (MapTraits<T>::value) {
    Json object = Json::object();
    for (const auto& [name, element] : value) object[name] = to_message<Json>(element);
    return object;
  } else if constexpr (IsMessage<T>) {
    return members_to_message<Json>(value);
  } else {
    return detail::field_to_json<Json>(value);
  }
}

// A request's `params`, without the members at their default: an older daemon refuses members that
// it does not know, and it should refuse only requests that use a new one.
template <class Request>
nlohmann::json to_params(const Request& request) {
  nlohmann::json params = to_message(request);
  if constexpr (IsMessage<Request>) {
    const nlohmann::json defaults = to_message(Request());
    Request::visit(request, [&]<class M, class... Options>(std::string_view name, const M&,
                                                           const char*, const Options&...) {
      const std::string key(name);
      if (!has_option<Required, Options...> && params.at(key) == defaults.at(key)) {
        params.erase(key);
      }
    });
  }
  return params;
}

// Where a value is in a message: "sweeps[0].counts.done". The text is made for an error only.
struct JsonPath {
  const JsonPath* above = nullptr;
  std::string_view name = {};  // of a member; "": of an element
  std::size_t index = 0;

  std::string text() const {
    if (above == nullptr) return "";
    const std::string before = above->text();
    if (name.empty()) return fmt::format("{}[{}]", before, index);
    return fmt::format("{}{}{}", before, before.empty() ? "" : ".", name);
  }
  Error mistake(const std::string& what) const {
    const std::string at = text();
    return {ErrorCode::kInternal, at.empty() ? what : fmt::format("`{}`: {}", at, what)};
  }
};

template <class Json, class T>
Result<void> from_message(const Json& value, T& out, const JsonPath& path = {});

// Reads the output of `members_to_message`. A type with a member `mistake()`, a text, is checked.
template <class Json, IsMessage T>
Result<void> members_from_message(const Json& value, T& out, const JsonPath& path = {}) {
  if (!value.is_object()) return path.mistake(not_a("an object", value));
  Result<void> result;
  T::visit(out, [&]<class M, class... Options>(std::string_view name, M& member, const char*,
                                               const Options&...) {
    if constexpr (has_option<Implied, Options...>) return;
    if (!result) return;
    const JsonPath at{&path, name};
    const auto found = value.find(std::string(name));
    if (found == value.end()) {
      if constexpr (!is_optional<M> && !has_option<Sparse, Options...> &&
                    !has_option<MayLack, Options...>) {
        result = Error{ErrorCode::kInternal, fmt::format("`{}` is missing", at.text())};
      }
    } else if constexpr (has_option<AsRows, Options...>) {
      if (!found->is_array()) result = at.mistake(not_a("a list", *found));
      for (std::size_t i = 0; result && i < found->size(); ++i) {
        const std::string mistake = read_row((*found)[i], member.emplace_back());
        if (!mistake.empty()) result = JsonPath{&at, {}, i}.mistake(mistake);
      }
    } else {
      constexpr bool kMayBeNull =
          !is_optional<M> && (has_option<Sparse, Options...> || has_option<MayLack, Options...>);
      if (!kMayBeNull || !found->is_null()) result = from_message(*found, member, at);
    }
  });
  if constexpr (requires { out.mistake(); }) {
    if (!result) return result;
    if (const std::string mistake = out.mistake(); !mistake.empty()) return path.mistake(mistake);
  }
  return result;
}

// Reads the output of `to_message`. Ignores unknown members: a newer daemon may send
// more. An error has the path of the member.
template <class Json, class T>
Result<void> from_message(const Json& value, T& out, const JsonPath& path) {
  if constexpr (requires { read_message(value, out, path); }) {
    return read_message(value, out, path);
  } else if constexpr (requires { read_message(value, out); }) {
    if (const auto read = read_message(value, out); !read) {
      return path.mistake(read.error().message);
    }
  } else if constexpr (is_optional<T>) {
    if (value.is_null()) return {};
    return from_message(value, out.emplace(), path);
  } else if constexpr (std::is_same_v<T, NamedTexts>) {
    if (!value.is_object()) return path.mistake(not_a("an object", value));
    for (const auto& [name, text] : value.items()) {
      auto& named = out.emplace_back(name, std::string());
      if (auto read = from_message(text, named.second, JsonPath{&path, name}); !read) return read;
    }
  } else if constexpr (ListTraits<T>::value) {
    if (!value.is_array()) return path.mistake(not_a("a list", value));
    for (const auto& element : value) {
      // Not `out.emplace_back()`: a list of truth values has no references.
      typename ListTraits<T>::Element one{};
      if (auto read = from_message(element, one, JsonPath{&path, {}, out.size()}); !read) {
        return read;
      }
      out.push_back(std::move(one));
    }
  } else if constexpr (MapTraits<T>::value) {
    if (!value.is_object()) return path.mistake(not_a("an object", value));
    for (const auto& [name, element] : value.items()) {
      if (auto read = from_message(element, out[name], JsonPath{&path, name}); !read) return read;
    }
  } else if constexpr (IsMessage<T>) {
    return members_from_message(value, out, path);
  } else {
    const std::string_view expected = detail::read_json(value, out);
    if (!expected.empty()) return path.mistake(not_a(expected, value));
  }
  return {};
}

// Reads a request's `params`. An error names the member and its valid values; an unknown member is
// one.
template <class Request>
Result<Request> read_params(const nlohmann::json& params) {
  if constexpr (requires(Request & request) { read_message(params, request); }) {
    Request request;
    if (const auto read = read_message(params, request); !read) return read.error();
    return request;
  } else {
    Request request;
    ParamsReader reader(params);
    Request::visit(request, [&]<class M, class... Options>(std::string_view name, M& member,
                                                           const char*, const Options&... options) {
      if constexpr (std::is_same_v<M, bool>) {
        member = reader.boolean_or(name, member);
      } else if constexpr (std::is_integral_v<M>) {
        const Limits limits = option_or(Limits{}, options...);
        member = static_cast<M>(reader.integer_or(name, member, limits.least, limits.most));
      } else if constexpr (std::is_same_v<M, std::string>) {
        member =
            has_option<Required, Options...> ? reader.text(name) : reader.text_or(name, member);
        if constexpr (has_option<IsPath, Options...>) reader.refuse_nul(name);
      } else {
        static_assert(std::is_same_v<M, std::vector<std::string>>);
        member = reader.texts(name);
      }
    });
    if (const auto finished = reader.finish(); !finished) return finished.error();
    return request;
  }
}

}  // namespace sweepd
