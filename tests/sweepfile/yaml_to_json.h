// Converts a YAML document as an editor's schema checker does: plain scalars get YAML 1.2's core
// types (null, boolean, number), quoted ones are strings.
#pragma once

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <string>

namespace sweepd::test {

inline nlohmann::json scalar_to_json(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const char* end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto read = std::from_chars(text.data(), end, integer);
      read.ec == std::errc{} && read.ptr == end) {
    return integer;
  }
  double real = 0;
  if (const auto read = std::from_chars(text.data(), end, real);
      read.ec == std::errc{} && read.ptr == end) {
    return real;
  }
  return text;
}

inline nlohmann::json yaml_to_json(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return node.Tag() == "!" ? nlohmann::json(node.Scalar()) : scalar_to_json(node.Scalar());
    case YAML::NodeType::Sequence: {
      nlohmann::json list = nlohmann::json::array();
      for (const auto& item : node) list.push_back(yaml_to_json(item));
      return list;
    }
    case YAML::NodeType::Map: {
      nlohmann::json map = nlohmann::json::object();
      for (const auto& entry : node) map[entry.first.Scalar()] = yaml_to_json(entry.second);
      return map;
    }
    default:
      return nullptr;
  }
}

}  // namespace sweepd::test
