// Tests that the parser of studies, schemas/study.schema.json, schemas/study.md and the shipped
// study agree.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "runner/base/text.h"
#include "runner/sweepfile/study.h"
#include "tests/sweepfile/parse.h"
#include "tests/sweepfile/yaml_to_json.h"

namespace sweepd::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string study_file(const std::string& name) {
  std::ifstream file(std::filesystem::path(SWEEPD_SOURCE_DIR) / name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << name;
  return text.str();
}

const json& study_schema() {
  static const json parsed = json::parse(study_file("schemas/study.schema.json"));
  return parsed;
}

std::string study_schema_errors(const std::string& text) {
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(study_schema()), schema);
  const json value = yaml_to_json(YAML::Load(text));
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema, valijson::adapters::NlohmannJsonAdapter(value), &results);
  std::string found;
  for (const auto& error : results)
    found += join(error.context, "") + ": " + error.description + "\n";
  return found;
}

// The keys that the parser offers instead of `colour`.
std::set<std::string> offered_keys(const std::string& text) {
  for (const Diagnostic& d : parse_study(text, "s.yaml", "", catalog(), {}).errors) {
    const std::size_t at = d.message.find("; expected one of ");
    if (d.message.find("`colour` is not a key") == std::string::npos) continue;
    std::set<std::string> keys;
    for (const std::string& key : split(d.message.substr(at + 18), ',')) keys.emplace(trim(key));
    return keys;
  }
  return {};
}

std::set<std::string> keys_in(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

TEST(StudySchema, HasTheParsersKeys) {
  const json& schema = study_schema();
  EXPECT_EQ(keys_in(schema["properties"]), offered_keys("colour: red\n"));
  EXPECT_EQ(keys_in(schema["definitions"]["scale"]["properties"]),
            offered_keys("scales: {a: {colour: red}}\n"));
  EXPECT_EQ(keys_in(schema["definitions"]["chapter"]["properties"]),
            offered_keys("chapters: [{colour: red}]\n"));
  EXPECT_EQ(keys_in(schema["definitions"]["part"]["properties"]),
            offered_keys("chapters: [{title: a, parts: [{colour: red}]}]\n"));
}

TEST(StudySchema, TheShippedStudyIsValid) {
  const std::string text = study_file("experiments/study.yaml");
  EXPECT_EQ(study_schema_errors(text), "");
  // Without the sweep files, which the hand-written catalog could not check.
  for (const char* scale : {"cpu-small", "cpu", "gpu-short", "gpu"}) {
    const ParsedStudy parsed = parse_study(text, "study.yaml", scale, catalog(), {});
    EXPECT_EQ(render(parsed.errors), "");
    EXPECT_GT(parsed.files.size(), 40U);
    for (const std::string& file : parsed.files) EXPECT_NE(study_file("experiments/" + file), "");
  }
}

TEST(StudySchema, TheExampleOfThePageIsValid) {
  const std::string page = study_file("schemas/study.md");
  const std::size_t begin = page.find("```yaml\n") + 8;
  const std::string example = page.substr(begin, page.find("```\n", begin) - begin);
  EXPECT_EQ(study_schema_errors(example), "");
  EXPECT_EQ(render(parse_study(example, "s.yaml", "", catalog(), {}).errors), "");
}

TEST(StudySchema, RefusesWhatTheParserRefuses) {
  const std::string head = "study: s\nscales: {a: {}}\nchapters: ";
  for (const std::string wrong :
       {"[]\n", "[{parts: []}]\n", "[{title: a, parts: [{}]}]\n", "[{title: a, parts: {}}]\n",
        "[{title: a, parts: [{text: a, tables: b, file: c}]}]\n"}) {
    EXPECT_NE(study_schema_errors(head + wrong), "") << wrong;
    EXPECT_FALSE(parse_study(head + wrong, "s", "", catalog(), {}).errors.empty()) << wrong;
  }
}

}  // namespace
}  // namespace sweepd::test
