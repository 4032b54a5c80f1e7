// One `visit` describes a struct of parameters; parsing, defaults, help, the catalog and the
// database's columns derive from it.
//
//   struct MatmulParams {
//     std::int64_t size = 4096;
//     std::string precision = "fp32";
//     void visit(auto& field) {
//       field("size", size, "rows and columns of both matrices", at_least(1));
//       field("precision", precision, "arithmetic", one_of({"fp32", "bf16"}));
//     }
//   };
//
// The C++ type of the member is the parameter's type: std::int64_t, double, bool, std::string (with
// one_of: a choice), Bytes, Duration. Names are snake_case and unique within a workload.
#pragma once

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runner/base/units.h"
#include "runner/model/vocabulary/catalog.h"

namespace sweepd {

struct OneOf {
  std::vector<std::string> names;
};
struct AtLeast {
  double value;
};
struct AtMost {
  double value;
};
inline OneOf one_of(std::vector<std::string> names) {
  return {std::move(names)};
}
constexpr AtLeast at_least(double value) {
  return {value};
}
constexpr AtMost at_most(double value) {
  return {value};
}
// A text that the workload splits. In a template, {name} may be one of `names`.
struct FormOf {
  TextForm form;
  std::vector<std::string> names;
};
inline FormOf form_of(TextForm form, std::vector<std::string> names = {}) {
  return {form, std::move(names)};
}
// Scheduling parameters are not part of a trial's key.
struct Scheduling {};

// The place of a trial: ParamRole::kPlace. There is one, `pool`.
struct Place {};

// ParamDef::grows_memory.
struct GrowsMemory {};

// InCaption::kAlways and kNever.
struct Matters {};
struct Immaterial {};

// The worker fills it in: ParamDef::computed. A workload has at most one.
struct Computed {};

namespace detail {

template <class T>
constexpr ValueType value_type_of() {
  if constexpr (std::is_same_v<T, std::int64_t>)
    return ValueType::kInteger;
  else if constexpr (std::is_same_v<T, double>)
    return ValueType::kReal;
  else if constexpr (std::is_same_v<T, bool>)
    return ValueType::kBoolean;
  else if constexpr (std::is_same_v<T, Bytes>)
    return ValueType::kBytes;
  else if constexpr (std::is_same_v<T, Duration>)
    return ValueType::kDuration;
  else {
    static_assert(std::is_same_v<T, std::string>, "not a parameter type; see param.h");
    return ValueType::kText;
  }
}

template <class T>
Value to_value(const T& member) {
  if constexpr (std::is_same_v<T, Bytes>)
    return member.value;
  else if constexpr (std::is_same_v<T, Duration>)
    return member.ns;
  else
    return member;
}

template <class T>
void from_value(const Value& value, T& member) {
  if constexpr (std::is_same_v<T, Bytes>)
    member.value = std::get<std::int64_t>(value);
  else if constexpr (std::is_same_v<T, Duration>)
    member.ns = std::get<std::int64_t>(value);
  else
    member = std::get<T>(value);
}

inline void apply(ParamDef& def, OneOf limit) {
  def.type = ValueType::kChoice;
  def.choices = std::move(limit.names);
}
inline void apply(ParamDef& def, AtLeast limit) {
  def.minimum = limit.value;
}
inline void apply(ParamDef& def, AtMost limit) {
  def.maximum = limit.value;
}
inline void apply(ParamDef& def, FormOf limit) {
  def.form = limit.form;
  def.template_names = std::move(limit.names);
}
inline void apply(ParamDef& def, GrowsMemory) {
  def.grows_memory = true;
}
inline void apply(ParamDef& def, Matters) {
  def.in_caption = InCaption::kAlways;
}
inline void apply(ParamDef& def, Immaterial) {
  def.in_caption = InCaption::kNever;
}
inline void apply(ParamDef& def, Computed) {
  def.computed = true;
}
inline void apply(ParamDef& def, Scheduling) {
  def.role = ParamRole::kScheduling;
}
inline void apply(ParamDef& def, Place) {
  def.role = ParamRole::kPlace;
}

class Describer {
 public:
  template <class T, class... Limits>
  void operator()(std::string_view name, T& member, std::string_view help, Limits... limits) {
    ParamDef def;
    def.name = name;
    def.type = value_type_of<T>();
    def.default_value = to_value(member);
    def.help = help;
    (apply(def, std::move(limits)), ...);
    defs.push_back(std::move(def));
  }
  std::vector<ParamDef> defs;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::pair<std::string, Value>>& values) : values_(values) {}
  template <class T, class... Limits>
  void operator()(std::string_view name, T& member, std::string_view, Limits...) {
    for (const auto& [key, value] : values_) {
      if (key == name) from_value(value, member);
    }
  }

 private:
  const std::vector<std::pair<std::string, Value>>& values_;
};

}  // namespace detail

// Returns the definitions of a struct's parameters, with the member initialisers as defaults.
template <class Params>
std::vector<ParamDef> describe_params() {
  Params params;
  detail::Describer describer;
  params.visit(describer);
  return std::move(describer.defs);
}

// Returns a struct filled from named values. Names that it does not have are ignored (they belong
// to the run). A struct may have `take_declared(values)`, which takes what a sweep file declared
// (model/vocabulary/program.h) and returns the others.
template <class Params>
Params read_params(const std::vector<std::pair<std::string, Value>>& values) {
  Params params;
  if constexpr (requires { params.take_declared(values); }) {
    const auto own = params.take_declared(values);
    detail::Reader reader(own);
    params.visit(reader);
  } else {
    detail::Reader reader(values);
    params.visit(reader);
  }
  return params;
}

}  // namespace sweepd
