// Tests that the parser, schemas/config.schema.json and schemas/config.md agree.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "runner/base/text.h"
#include "runner/sweepfile/config/config.h"
#include "tests/sweepfile/json_schema.h"

namespace sweepd::test {
namespace {

using testing::HasSubstr;

const std::filesystem::path kSchemas = std::filesystem::path(SWEEPD_SOURCE_DIR) / "schemas";

std::string read_page(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file.good()) << path;
  return text.str();
}

const JsonSchema& config_schema() {
  static const JsonSchema parsed(read_page(kSchemas / "config.schema.json"));
  return parsed;
}

std::vector<Diagnostic> errors_of(const std::string& text) {
  const auto environment = [](const std::string&) { return std::optional<std::string>("/home"); };
  return parse_config({{"c.yaml", text}}, environment).errors;
}

struct Names {
  template <class T, class... Limits>
  void operator()(const char* name, T&, const char*, Limits...) {
    all.insert(name);
  }
  std::set<std::string> all;
};

template <class Keys>
std::set<std::string> keys_of_parser() {
  Keys keys;
  Names names;
  Keys::visit(keys, names);
  return names.all;
}

TEST(ConfigSchema, HasTheParsersKeys) {
  EXPECT_EQ(config_schema().keys("/definitions/slurm/properties"), keys_of_parser<SlurmPool>());
  std::set<std::string> of_pool = keys_of_parser<PoolConfig>();
  of_pool.insert("slurm");
  EXPECT_EQ(config_schema().keys("/definitions/pool/properties"), of_pool);
}

TEST(ConfigSchema, TheGuideHasEveryKey) {
  const std::string guide = read_page(kSchemas / "config.md");
  std::set<std::string> names = config_schema().keys("/definitions/slurm/properties");
  names.merge(config_schema().keys("/definitions/pool/properties"));
  names.merge(config_schema().keys("/properties"));
  names.merge(config_schema().keys("/properties/compact/properties"));
  for (const std::string& name : names) EXPECT_THAT(guide, HasSubstr("`" + name + "`"));
}

TEST(ConfigSchema, TheGuidesExampleIsAConfiguration) {
  const std::string guide = read_page(kSchemas / "config.md");
  const std::size_t begin = guide.find("```yaml\n") + 8;
  const std::string text = guide.substr(begin, guide.find("```", begin) - begin);
  EXPECT_EQ(render(errors_of(text)), "");
  EXPECT_EQ(config_schema().errors(text), "");
}

// The mistakes of the parser that the schema can see too: both refuse them.
TEST(ConfigSchema, RefusesWhatTheParserRefuses) {
  const std::vector<std::string> wrongs{
      "pool: {}\n",
      "- pools\n",
      "pools: [h200]\n",
      "pools: {9a: {slurm: {}, runs: /r}}\n",
      "pools: {local: {slurm: {}}}\n",
      "pools: {a: {runs: /r}}\n",
      "pools: {a: {slurm: {}}}\n",
      "pools: {a: {slurm: {}, runs: r}}\n",
      "pools: {a: {slurm: [], runs: /r}}\n",
      "pools: {a: {slurm: {}, runs: /r, prolog: x}}\n",
      "pools: {a: {slurm: {partitoin: x}, runs: /r}}\n",
      "pools: {a: {slurm: {partition: [x]}, runs: /r}}\n",
      "pools: {a: {slurm: {gpus_per_node: -1}, runs: /r}}\n",
      "pools: {a: {slurm: {gpus_per_node: eight}, runs: /r}}\n",
      "pools: {a: {slurm: {exclusive: 1}, runs: /r}}\n",
      "pools: {a: {slurm: {time: 4}, runs: /r}}\n",
      "pools: {a: {slurm: {max_jobs: 0}, runs: /r}}\n",
      "pools: {a: {slurm: {sbatch: --x}, runs: /r}}\n",
      "pools: {a: {slurm: {sbatch: [x]}, runs: /r}}\n",
      "compact: 30d\n",
      "compact: {older: soon}\n",
      "compact: {older: -1d}\n",
      "compact: {oldr: 30d}\n",
  };
  for (const std::string& wrong : wrongs) {
    EXPECT_FALSE(errors_of(wrong).empty()) << wrong;
    EXPECT_NE(config_schema().errors(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace sweepd::test
