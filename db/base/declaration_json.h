// What sweep files declare (tables, plots, programs) as JSON text and back, by the `visit` of its
// types (as in runner/base/fields.h). Members at their default are omitted. A missing member, or
// null, is at its default, and an unknown one is ignored.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "runner/base/fields.h"
#include "runner/base/nesting.h"
#include "runner/base/result.h"
#include "runner/model/sweep/sweep.h"

namespace sweepd {

// The words of the declared types, beside their `name_of`.
inline Result<Bold> word_from(std::string_view word, Bold) {
  return bold_from(word);
}
inline Result<PlotMark> word_from(std::string_view word, PlotMark) {
  return mark_from(word);
}
inline Result<PlotSpread> word_from(std::string_view word, PlotSpread) {
  return spread_from(word);
}
inline Result<ValueType> word_from(std::string_view word, ValueType) {
  return value_type_from(word);
}
inline Result<InCaption> word_from(std::string_view word, InCaption) {
  return in_caption_from(word);
}
inline Result<Better> word_from(std::string_view word, Better) {
  for (const Better better : {Better::kSmaller, Better::kLarger}) {
    if (word == name_of(better)) return better;
  }
  return Better::kUnknown;
}

namespace declaration {

using Json = nlohmann::ordered_json;

template <class T>
inline constexpr bool is_list = false;
template <class Element>
inline constexpr bool is_list<std::vector<Element>> = true;

template <class T>
concept IsDescribed = requires(T& value) {
  T::visit(value, [](auto&&...) {});
};

template <class T>
Json encode(const T& value) {
  if constexpr (is_optional<T>) {
    return value ? encode(*value) : Json();
  } else if constexpr (is_list<T>) {
    Json list = Json::array();
    for (const auto& element : value) list.push_back(encode(element));
    return list;
  } else if constexpr (std::is_enum_v<T>) {
    return Json(std::string(name_of(value)));
  } else if constexpr (IsDescribed<T>) {
    Json object = Json::object();
    T::visit(value, [&object]<class M>(const char* name, const M& member, const auto&...) {
      if (!(member == M())) object[name] = encode(member);
    });
    return object;
  } else {
    return Json(value);
  }
}

template <class T>
Result<void> decode(const Json& json, T& out) {
  const auto expected = [&json](const char* what) {
    return Error{ErrorCode::kFailedPrecondition,
                 fmt::format("expected {}, got {}", what, json.type_name())};
  };
  if constexpr (is_optional<T>) {
    out = typename T::value_type();  // Clang refuses emplace() for a nested type with initializers
    return decode(json, *out);
  } else if constexpr (is_list<T>) {
    if (!json.is_array()) return expected("a list");
    for (const Json& element : json) {
      if (auto one = decode(element, out.emplace_back()); !one) return one;
    }
  } else if constexpr (std::is_enum_v<T>) {
    if (!json.is_string()) return expected("a word");
    const auto word = word_from(json.get_ref<const std::string&>(), T());
    if (!word) return word.error();
    out = *word;
  } else if constexpr (IsDescribed<T>) {
    if (!json.is_object()) return expected("an object");
    Result<void> result;
    T::visit(out, [&](const char* name, auto& member, const auto&...) {
      const auto found = json.find(name);
      if (!result || found == json.end() || found->is_null()) return;
      if (const auto read = decode(*found, member); !read) {
        result = Error{read.error().code, fmt::format("`{}`: {}", name, read.error().message)};
      }
    });
    return result;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!json.is_boolean()) return expected("true or false");
    out = json.get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!json.is_string()) return expected("a text");
    out = json.get<std::string>();
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    if (!json.is_number_integer()) return expected("an integer");
    out = json.get<std::int64_t>();
  } else {
    static_assert(std::is_same_v<T, double>);
    if (!json.is_number()) return expected("a number");
    out = json.get<double>();
  }
  return {};
}

}  // namespace declaration

template <class T>
std::string declaration_json(const T& declared) {
  using declaration::Json;
  return declaration::encode(declared).dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <class T>
Result<T> declaration_from(const std::string& text) {
  using declaration::Json;
  Json json(Json::value_t::discarded);
  if (!is_nested_too_deeply(text)) json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Error{ErrorCode::kFailedPrecondition, "not valid JSON"};
  T declared;
  if (auto read = declaration::decode(json, declared); !read) return read.error();
  return declared;
}

}  // namespace sweepd
