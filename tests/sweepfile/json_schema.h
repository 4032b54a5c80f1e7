// A JSON schema, against which YAML is checked.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "runner/base/text.h"
#include "tests/sweepfile/yaml_to_json.h"

namespace sweepd::test {

class JsonSchema {
 public:
  explicit JsonSchema(const std::string& text) : json_(nlohmann::json::parse(text)) {
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(json_), *rules_);
  }

  const nlohmann::json& json() const { return json_; }

  // Returns the keys of the object at a JSON pointer.
  std::set<std::string> keys(const std::string& pointer) const {
    std::set<std::string> keys;
    for (const auto& [key, value] : json_.at(nlohmann::json::json_pointer(pointer)).items()) {
      keys.insert(key);
    }
    return keys;
  }

  // Returns the complaints about one document; "" if there are none.
  std::string errors(const YAML::Node& document) const {
    const nlohmann::json value = yaml_to_json(document);
    valijson::ValidationResults results;
    valijson::Validator(valijson::Validator::kStrongTypes)
        .validate(*rules_, valijson::adapters::NlohmannJsonAdapter(value), &results);
    std::string found;
    for (const auto& error : results) {
      found += join(error.context, "") + ": " + error.description + "\n";
    }
    return found;
  }
  std::string errors(const std::string& text) const { return errors(YAML::Load(text)); }

 private:
  nlohmann::json json_;
  std::unique_ptr<valijson::Schema> rules_ = std::make_unique<valijson::Schema>();
};

}  // namespace sweepd::test
