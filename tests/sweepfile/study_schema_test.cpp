// Tests that the parser of studies, schemas/study.schema.json, schemas/study.md and the shipped
// study agree.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "runner/base/text.h"
#include "runner/sweepfile/study/study.h"
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
  EXPECT_EQ(keys_in(schema["definitions"]["claim"]["properties"]),
            offered_keys("chapters: [{title: a, parts: [{text: [{colour: red}]}]}]\n"));
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

TEST(StudySchema, TheStudyOfSeveralGpusIsValid) {
  const std::string text = study_file("experiments/distributed/study.yaml");
  EXPECT_EQ(study_schema_errors(text), "");
  for (const char* scale : {"two", "four", "eight", "cpu"}) {
    const ParsedStudy parsed = parse_study(text, "study.yaml", scale, catalog(), {});
    EXPECT_EQ(render(parsed.errors), "");
    EXPECT_EQ(parsed.files.size(), 5U);
    for (const std::string& file : parsed.files) {
      EXPECT_NE(study_file("experiments/distributed/" + file), "");
    }
  }
}

// Sentences of prose that have a figure and compare it, which only a claim may do.
std::vector<std::string> claims_in_prose(const Study& study) {
  static const std::regex compares(
      "\\b(because|therefore|twice|faster|slower|more than|less "
      "than|gains?|dominates?|grows?|instead "
      "of|depends?|as (long|large|many|much))\\b");
  std::vector<std::string> found;
  for (const StudyChapter& chapter : study.chapters) {
    for (const StudyPart& part : chapter.parts) {
      for (const StudyPassage& passage : part.text) {
        std::string text;
        for (const StudyPiece& piece : passage.prose)
          text += piece.markdown + (piece.figure ? "#" : "");
        for (std::string& sentence : split(text, '.')) {
          const bool has_figure = sentence.find('#') != std::string::npos;
          if (has_figure && std::regex_search(sentence, compares)) found.push_back(sentence);
        }
      }
    }
  }
  return found;
}

TEST(StudySchema, TheShippedStudyComparesFiguresInClaimsAlone) {
  const std::string text = study_file("experiments/study.yaml");
  for (const char* scale : {"cpu-small", "cpu", "gpu-short", "gpu"}) {
    const Study study = parse_study(text, "study.yaml", scale, catalog(), {}).study;
    EXPECT_FALSE(study.chapters.empty());
    EXPECT_THAT(claims_in_prose(study), testing::IsEmpty()) << scale;
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
        "[{title: a, parts: [{text: a, tables: b, file: c}]}]\n",
        "[{title: a, parts: [{text: []}]}]\n",
        "[{title: a, parts: [{text: [{holds: a, fails: b, unknown: c}]}]}]\n"}) {
    EXPECT_NE(study_schema_errors(head + wrong), "") << wrong;
    EXPECT_FALSE(parse_study(head + wrong, "s", "", catalog(), {}).errors.empty()) << wrong;
  }
}

}  // namespace
}  // namespace sweepd::test
