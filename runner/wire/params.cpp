#include "runner/wire/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "runner/base/text.h"

namespace sweepd {

namespace {
constexpr std::uint64_t kMaxInteger = std::numeric_limits<std::int64_t>::max();
}

const nlohmann::json* ParamsReader::find(std::string_view name) {
  known_.emplace_back(name);
  const auto it = params_.find(name);
  return it == params_.end() || it->is_null() ? nullptr : &*it;
}

void ParamsReader::fail(std::string_view name, std::string_view expected) {
  if (!error_) {
    error_ = Error{ErrorCode::kInvalidArgument, fmt::format("`{}` must be {}", name, expected)};
  }
}

std::string ParamsReader::text(std::string_view name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr || !value->is_string()) {
    fail(name, value == nullptr ? "given: a string" : "a string");
    return {};
  }
  return *value;
}

std::string ParamsReader::text_or(std::string_view name, std::string fallback) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_string()) return fail(name, "a string"), fallback;
  return *value;
}

void ParamsReader::refuse_nul(std::string_view name) {
  const auto value = params_.find(name);
  if (value == params_.end() || !value->is_string()) return;
  if (value->get_ref<const std::string&>().find('\0') == std::string::npos) return;
  fail(name, "a path without a NUL");
}

std::int64_t ParamsReader::integer_or(std::string_view name, std::int64_t fallback,
                                      std::int64_t least, std::int64_t most) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_number_integer()) return fail(name, "an integer"), fallback;
  if (value->is_number_unsigned() && value->get<std::uint64_t>() > kMaxInteger) {
    return fail(name, "a 64-bit integer"), fallback;
  }
  const std::int64_t given = *value;
  if (given >= least && given <= most) return given;
  const bool open = most == std::numeric_limits<std::int64_t>::max();
  fail(name, (open ? fmt::format("{} or more", least) : fmt::format("from {} to {}", least, most)) +
                 fmt::format(", not {}", given));
  return fallback;
}

bool ParamsReader::boolean_or(std::string_view name, bool fallback) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) return fail(name, "true or false"), fallback;
  return *value;
}

std::vector<std::string> ParamsReader::texts(std::string_view name) {
  const nlohmann::json* value = find(name);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  if (value->is_array()) {
    for (const nlohmann::json& element : *value) {
      if (!element.is_string()) return fail(name, "a list of strings"), texts;
      texts.push_back(element);
    }
    return texts;
  }
  fail(name, "a list of strings");
  return texts;
}

const nlohmann::json& ParamsReader::member(std::string_view name) {
  static const nlohmann::json null;
  const nlohmann::json* value = find(name);
  return value == nullptr ? null : *value;
}

Result<void> ParamsReader::finish() const {
  if (error_) return *error_;
  if (!params_.is_object()) {
    return Error{ErrorCode::kInvalidArgument, "expected an object with named members"};
  }
  for (const auto& [name, value] : params_.items()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("unknown parameter `{}`{}; expected {}", name, did_you_mean(name, known_),
                      known_.empty() ? "none" : join(known_, ", "))};
    }
  }
  return {};
}

}  // namespace sweepd
