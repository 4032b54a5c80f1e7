// Tests that the parser, schemas/sweep.schema.json, schemas/sweep.md and experiments/ agree.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "runner/base/text.h"
#include "tests/sweepfile/json_schema.h"
#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::filesystem::path kRoot = SWEEPD_SOURCE_DIR;
std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

const JsonSchema& schema() {
  static const JsonSchema parsed(read(kRoot / "schemas/sweep.schema.json"));
  return parsed;
}
const json& schema_json() {
  return schema().json();
}

// Returns the schema's complaints about one document; "" if there are none.
std::string schema_errors(const YAML::Node& document) {
  return schema().errors(document);
}
std::string schema_errors(const std::string& text) {
  return schema().errors(text);
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

// Returns the keys that the parser offers if it meets an unknown one.
std::set<std::string> offered(const std::string& text) {
  for (const std::string& message : messages(text)) {
    const std::size_t at = message.find("; expected one of ");
    if (message.find("`colour` is not a key") == std::string::npos) continue;
    std::set<std::string> keys;
    for (const std::string& key : split(message.substr(at + 18), ',')) keys.emplace(trim(key));
    return keys;
  }
  return {};
}

TEST(Schema, HasTheParsersKeys) {
  EXPECT_EQ(keys_of(schema_json()["properties"]), offered(kHead + "colour: red\n"));
  EXPECT_EQ(keys_of(schema_json()["definitions"]["table"]["properties"]),
            offered(kHead + "tables: [{rows: [model], colour: red}]\n"));
  EXPECT_EQ(keys_of(schema_json()["definitions"]["value"]["properties"]),
            offered(kHead + "tables: [{rows: [model], values: [{colour: red}]}]\n"));
}

TEST(Schema, HasEveryRunParameterAndItsChoices) {
  const json& known = schema_json()["definitions"]["settings"]["properties"];
  std::set<std::string> names;
  for (const ParamDef& def : describe_params<RunParams>()) {
    names.insert(def.name);
    if (def.type == ValueType::kChoice) {
      EXPECT_EQ(known[def.name]["enum"].get<std::vector<std::string>>(), def.choices);
    }
  }
  EXPECT_EQ(keys_of(known), names);
}

TEST(Schema, ReportsIsAWordOrAMap) {
  const auto complaints = [](const std::string& reports) {
    return schema_errors(kHead + "params: {reports: " + reports + "}\n");
  };
  EXPECT_EQ(complaints("csv"), "");
  EXPECT_EQ(complaints("{format: csv, file: a.csv, map: {step: iter, 'time:s': t}}"), "");
  EXPECT_NE(complaints("{file: a.csv}"), "");
  EXPECT_NE(complaints("{format: csv, maps: {}}"), "");
  EXPECT_NE(complaints("[csv]"), "");
}

TEST(Schema, HasThePassesAndOrders) {
  const json& properties = schema_json()["properties"];
  for (const std::string name : properties["passes"]["items"]["enum"]) {
    EXPECT_EQ(errors(fmt::format("{}passes: [{}]\n", kHead, name)), "");
  }
  EXPECT_EQ(properties["passes"]["items"]["enum"].size(), 3U);
  for (const std::string name : properties["order"]["enum"]) {
    EXPECT_EQ(errors(fmt::format("{}order: {}\n", kHead, name)), "");
  }
  EXPECT_EQ(properties["order"]["enum"].size(), 3U);
}

TEST(Schema, TheGuideHasEveryKeyAndRunParameter) {
  const std::string guide = read(kRoot / "schemas/sweep.md");
  std::set<std::string> names = keys_of(schema_json()["properties"]);
  names.merge(keys_of(schema_json()["definitions"]["table"]["properties"]));
  names.merge(keys_of(schema_json()["definitions"]["value"]["properties"]));
  names.merge(keys_of(schema_json()["definitions"]["settings"]["properties"]));
  for (const std::string& name : names) EXPECT_THAT(guide, HasSubstr("`" + name + "`"));
}

// Every ```yaml block of the guide is a sweep, or the part of one after the usual first two lines.
TEST(Schema, TheGuidesExamplesAreSweeps) {
  const std::string guide = read(kRoot / "schemas/sweep.md");
  int blocks = 0;
  for (std::size_t at = guide.find("```yaml\n"); at != std::string::npos;
       at = guide.find("```yaml\n", at)) {
    at += 8;
    std::string text = guide.substr(at, guide.find("```", at) - at);
    if (text.find("sweep:") == std::string::npos) text.insert(0, kHead);
    EXPECT_EQ(errors(text), "") << text;
    for (const YAML::Node& document : YAML::LoadAll(text)) {
      EXPECT_EQ(schema_errors(document), "") << text;
    }
    ++blocks;
  }
  EXPECT_GE(blocks, 5);
}

std::vector<std::filesystem::path> experiments() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "experiments")) {
    const auto& path = entry.path();
    const bool other =
        path.filename() == "study.yaml" || path.parent_path().filename() == "reference";
    if (path.extension() != ".yaml" || other) continue;
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Experiments, AreValidForParserAndSchema) {
  ASSERT_THAT(experiments(), Not(IsEmpty()));
  for (const auto& path : experiments()) {
    const std::string text = read(path);
    for (const Diagnostic& d : parse_sweeps(text, path.filename().string(), catalog(), {}).errors) {
      // The hand-written catalog lacks this workload, so its names cannot be checked here.
      const bool unknown = d.message.starts_with("workload: ") ||
                           d.message == "program: this worker lacks `command`";
      if (!unknown) ADD_FAILURE() << render(d);
    }
    for (const YAML::Node& document : YAML::LoadAll(text)) {
      EXPECT_EQ(schema_errors(document), "") << path;
    }
  }
}

TEST(Experiments, TheQuickstartIsSmall) {
  const Sweep sweep = one(read(kRoot / "experiments/quickstart.yaml"));
  EXPECT_EQ(sweep.name, "quickstart");
  std::int64_t steps = 0;
  const Expansion expansion = expand(sweep, def_of(sweep));
  for (const ExpandedTrial& trial : expansion.trials) {
    steps += trial.trial.integer(def_of(sweep), "warmup");
    steps += trial.trial.integer(def_of(sweep), "steps");
  }
  EXPECT_LE(expansion.trials.size(), 8U);
  EXPECT_LE(steps, 100);
}

struct Wrong {
  const char* what;
  std::string text;
};

// The mistakes of the parser that the schema can see too: both refuse them.
TEST(Schema, RefusesWhatTheParserRefuses) {
  const std::vector<Wrong> wrongs{
      {"unknown key", kHead + "matrx: {model: [small]}\n"},
      {"no name", "workload: noop\n"},
      {"no workload", "sweep: a\n"},
      {"name with a blank", "sweep: a b\nworkload: noop\n"},
      {"name too long", "sweep: " + std::string(65, 'x') + "\nworkload: noop\n"},
      {"a list for a sweep", "- sweep\n"},
      {"empty section", kHead + "params:\n"},
      {"params is a list", kHead + "params: [batch]\n"},
      {"list in params", kHead + "params: {batch: [4, 8]}\n"},
      {"no value in params", kHead + "params: {batch: }\n"},
      {"wrong kind of name", kHead + "params: {Batch Size: 4}\n"},
      {"wrong device", kHead + "params: {device: gpu}\n"},
      {"wrong type of a run parameter", kHead + "params: {steps: 1.5}\n"},
      {"axis is no list", kHead + "matrix: {model: small}\n"},
      {"empty axis", kHead + "matrix: {model: []}\n"},
      {"repeated value", kHead + "matrix: {batch: [1, 2, 1]}\n"},
      {"map in an axis", kHead + "matrix: {model: [{small: 1}]}\n"},
      {"zip is a map", kHead + "zip: {model: [small]}\n"},
      {"empty zip group", kHead + "zip: [{}]\n"},
      {"empty rule", kHead + "exclude: [{}]\n"},
      {"empty list in a rule", kHead + "exclude: [{model: []}]\n"},
      {"empty point", kHead + "include: [{}]\n"},
      {"list in a point", kHead + "include: [{model: [small, xl]}]\n"},
      {"wrong device in a point", kHead + "include: [{device: gpu}]\n"},
      {"unknown pass", kHead + "passes: [timing, memry]\n"},
      {"repeated pass", kHead + "passes: [timing, timing]\n"},
      {"no pass", kHead + "passes: []\n"},
      {"passes is no list", kHead + "passes: timing\n"},
      {"a sentinel without a unit", kHead + "sentinel: 300\n"},
      {"a sentinel that is no duration", kHead + "sentinel: often\n"},
      {"unknown order", kHead + "order: random\n"},
      {"unknown key of a table", kHead + "tables: [{rows: [model], colour: red}]\n"},
      {"table without rows", kHead + "tables: [{title: x}]\n"},
      {"rows is no list", kHead + "tables: [{rows: model}]\n"},
      {"repeated row", kHead + "tables: [{rows: [model, model]}]\n"},
      {"open brace", kHead + "tables: [{rows: [model], cell: '{mean'}]\n"},
      {"brace without a name", kHead + "tables: [{rows: [model], cell: '{:.1f}'}]\n"},
      {"empty filter", kHead + "tables: [{rows: [model], where: {phase: []}}]\n"},
      {"two headings in one", kHead + "tables: [{rows: [{model: A, batch: B}]}]\n"},
      {"values is a map", kHead + "tables: [{rows: [model], values: {name: A}}]\n"},
      {"no values", kHead + "tables: [{rows: [model], values: []}]\n"},
      {"a value is a text", kHead + "tables: [{rows: [model], values: [Min]}]\n"},
      {"open brace in a value", kHead + "tables: [{rows: [model], values: [{cell: '{mean'}]}]\n"},
      {"unknown bold", kHead + "tables: [{rows: [model], baseline: {batch: 4}, bold: quick}]\n"},
      {"sort is no list", kHead + "tables: [{rows: [model], sort: mean}]\n"},
      {"limit is no number", kHead + "tables: [{rows: [model], limit: some}]\n"},
      {"two baselines", kHead + "tables: [{rows: [model], baseline: {batch: [4, 8]}}]\n"},
      {"plots is a map", kHead + "plots: {x: model, y: mean}\n"},
      {"plot without x", kHead + "plots: [{y: mean}]\n"},
      {"plot without y", kHead + "plots: [{x: model}]\n"},
      {"heatmap without color", kHead + "plots: [{mark: heatmap, x: model, y: context}]\n"},
      {"heatmap with a scale",
       kHead + "plots: [{mark: heatmap, x: model, y: context, color: mean, scale: log}]\n"},
      {"unknown key of a plot", kHead + "plots: [{x: model, y: mean, colour: red}]\n"},
      {"unknown mark", kHead + "plots: [{x: model, y: mean, mark: pie}]\n"},
      {"two names in a channel", kHead + "plots: [{x: {model: A, batch: B}, y: mean}]\n"},
      {"unknown scale", kHead + "plots: [{x: model, y: mean, scale: {y: ln}}]\n"},
      {"scale of another axis", kHead + "plots: [{x: model, y: mean, scale: {z: log}}]\n"},
      {"unknown spread", kHead + "plots: [{x: model, y: mean, error: sem}]\n"},
      {"spread of another form", kHead + "plots: [{x: model, y: mean, error: {std: box}}]\n"},
      {"stack is no boolean", kHead + "plots: [{x: model, y: mean, mark: bar, stack: 1}]\n"},
      {"beside without a name", kHead + "plots: [{x: model, y: mean, beside: [{y: floor}]}]\n"},
      {"beside without a figure", kHead + "plots: [{x: model, y: mean, beside: [{name: F}]}]\n"},
      {"beside with two figures",
       kHead + "plots: [{x: model, y: mean, beside: [{name: F, x: mean, y: floor}]}]\n"},
      {"warmup is no boolean", kHead + "tables: [{rows: [model], warmup: 1}]\n"},
  };
  for (const Wrong& wrong : wrongs) {
    EXPECT_THAT(messages(wrong.text), Not(IsEmpty())) << wrong.what;
    EXPECT_NE(schema_errors(wrong.text), "") << wrong.what;
  }
}

}  // namespace
}  // namespace sweepd::test
