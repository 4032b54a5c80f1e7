// Tests the keys of a configuration file, and the messages about mistakes.
#include "runner/sweepfile/config/config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::optional<std::string> environment(const std::string& name) {
  static const std::map<std::string, std::string> kSet{{"HOME", "/home/ann"}, {"USER", "ann"}};
  const auto found = kSet.find(name);
  return found == kSet.end() ? std::nullopt : std::optional(found->second);
}

ParsedConfig parse_files(const std::vector<ConfigText>& texts) {
  return parse_config(texts, environment);
}

Config config_of(const std::vector<ConfigText>& texts) {
  ParsedConfig parsed = parse_files(texts);
  EXPECT_EQ(render(parsed.errors), "");
  return parsed.config;
}

// "line:column message (help)" of each mistake.
std::vector<std::string> mistakes(const std::string& text) {
  std::vector<std::string> found;
  for (const Diagnostic& d : parse_files({{"c.yaml", text}}).errors) {
    found.push_back(fmt::format("{}:{} {}{}", d.line, d.column, d.message,
                                d.help.empty() ? "" : " (" + d.help + ")"));
  }
  return found;
}

TEST(Config, WithoutAnyThereIsThisMachine) {
  const Config config = config_of({});
  ASSERT_EQ(config.pools.size(), 1U);
  EXPECT_EQ(config.pools[0].name, "local");
  EXPECT_FALSE(config.pools[0].slurm);
  EXPECT_THAT(config.values, ElementsAre(ConfigValue{"pools.local", "this machine", "default"},
                                         ConfigValue{"compact.older", "30d", "default"}));
  EXPECT_EQ(config.compact_older, seconds(30 * 86400));
}

TEST(Config, SaysAfterHowLongFoldersAreCompacted) {
  const Config own = config_of({{"/etc/c.yaml", "compact: {older: 7d}\n"},
                                {"/home/c.yaml", "pools: {local: {}}\ncompact:\n  older: 36h\n"}});
  EXPECT_EQ(own.compact_older, seconds(36 * 3600));
  EXPECT_EQ(own.values.back(), (ConfigValue{"compact.older", "36h", "/home/c.yaml:3"}));
  const Config never = config_of({{"c.yaml", "compact: {older: never}\n"}});
  EXPECT_FALSE(never.compact_older);
  EXPECT_EQ(never.values.back().value, "never");
  EXPECT_THAT(mistakes("compact: {older: soon}\n"),
              ElementsAre("1:18 older: `soon` is not a duration; expected one such as 30d, or "
                          "`never`"));
  EXPECT_THAT(mistakes("compact:\n  older: -1d\n"), ElementsAre(HasSubstr("2:10 older: `-1d`")));
  EXPECT_THAT(mistakes("compact: {oldr: 1d}\n"),
              ElementsAre(testing::AllOf(HasSubstr("1:11 `oldr` is not a key of compact"),
                                         HasSubstr("`older`"))));
  EXPECT_THAT(mistakes("compact: 30d\n"), ElementsAre(HasSubstr("1:10 compact: expected a map")));
}

TEST(Config, ListsPluginsOfAllFiles) {
  const Config config = config_of({{"/etc/c.yaml", "plugins: [/opt/a.so]\n"},
                                   {"/home/c.yaml", "plugins:\n  - ~/b.cu\n  - $HOME/c.so\n"}});
  EXPECT_THAT(config.plugins, ElementsAre("/opt/a.so", "/home/ann/b.cu", "/home/ann/c.so"));
  EXPECT_EQ(config.values.back(), (ConfigValue{"plugins", "/home/ann/c.so", "/home/c.yaml:3"}));
  EXPECT_THAT(mistakes("plugins: [a.so, $NONE/b.so]\n"),
              ElementsAre(HasSubstr("1:11 plugins: `a.so` is not an absolute path"),
                          HasSubstr("1:17 plugins: `$NONE/b.so` names the variable `NONE`")));
  EXPECT_THAT(mistakes("plugins: /opt/a.so\n"),
              ElementsAre(HasSubstr("1:10 plugins: expected a list of files")));
}

TEST(Config, AFileMayBeEmpty) {
  EXPECT_EQ(config_of({{"c.yaml", "# nothing yet\n"}}).pools.size(), 1U);
}

TEST(Config, ReadsEveryKey) {
  const Config config = config_of({{"c.yaml", R"(
pools:
  local: {}
  h200:
    slurm:
      partition: gpu
      account: lab
      qos: high
      gpus_per_node: 8
      cpus_per_gpu: 12
      exclusive: false
      time: 4h
      max_jobs: 4
      idle: 2m
      sbatch: ["--constraint=nvlink", -v]
    runs: /shared/sweepd/runs
    prologue: |
      module purge
      module load cuda/13
)"}});
  ASSERT_EQ(config.pools.size(), 2U);
  const PoolConfig& pool = config.pools[1];
  EXPECT_EQ(pool.name, "h200");
  EXPECT_EQ(pool.runs, "/shared/sweepd/runs");
  EXPECT_EQ(pool.prologue, "module purge\nmodule load cuda/13\n");
  const SlurmPool& slurm = pool.slurm.value();
  EXPECT_EQ(slurm.partition, "gpu");
  EXPECT_EQ(slurm.account, "lab");
  EXPECT_EQ(slurm.qos, "high");
  EXPECT_EQ(slurm.gpus_per_node, 8);
  EXPECT_EQ(slurm.cpus_per_gpu, 12);
  EXPECT_EQ(slurm.cpus_per_node, 0);
  EXPECT_FALSE(slurm.exclusive);
  EXPECT_EQ(slurm.time, seconds(4 * 3600));
  EXPECT_EQ(slurm.max_jobs, 4);
  EXPECT_EQ(slurm.idle, seconds(120));
  EXPECT_THAT(slurm.sbatch, ElementsAre("--constraint=nvlink", "-v"));
}

TEST(Config, SlurmMayLeaveEverythingToTheCluster) {
  const Config config = config_of({{"c.yaml", "pools: {cpu: {slurm: {}, runs: /runs}}\n"}});
  EXPECT_TRUE(config.pools.at(1).slurm->exclusive);
  EXPECT_EQ(config.pools.at(1).slurm->time, seconds(3600));
  EXPECT_TRUE(config_of({{"c.yaml", "pools: {cpu: {slurm: , runs: /runs}}\n"}}).pools[1].slurm);
}

TEST(Config, SaysWhereEachValueComesFrom) {
  const Config config = config_of({{"/etc/c.yaml",
                                    "pools:\n"
                                    "  cpu:\n"
                                    "    slurm: {partition: small}\n"
                                    "    runs: /runs\n"}});
  EXPECT_THAT(
      config.values,
      testing::AllOf(
          testing::Contains(ConfigValue{"pools.local", "this machine", "default"}),
          testing::Contains(ConfigValue{"pools.cpu.slurm.partition", "small", "/etc/c.yaml:3"}),
          testing::Contains(ConfigValue{"pools.cpu.slurm.time", "1h", "default"}),
          testing::Contains(ConfigValue{"pools.cpu.slurm.exclusive", "true", "default"}),
          testing::Contains(ConfigValue{"pools.cpu.runs", "/runs", "/etc/c.yaml:4"})));
}

// No pool is a mixture of two files.
TEST(Config, ALaterFileReplacesAPoolWhole) {
  const Config config =
      config_of({{"/etc/c.yaml",
                  "pools:\n"
                  "  a: {slurm: {partition: x, qos: high}, runs: /system}\n"
                  "  b: {slurm: {partition: y}, runs: /system}\n"},
                 {"/home/c.yaml", "pools: {a: {slurm: {partition: z}, runs: /own}}\n"}});
  ASSERT_EQ(config.pools.size(), 3U);
  EXPECT_EQ(config.pools[1].name, "a");
  EXPECT_EQ(config.pools[1].slurm->partition, "z");
  EXPECT_EQ(config.pools[1].slurm->qos, "");
  EXPECT_EQ(config.pools[1].runs, "/own");
  EXPECT_EQ(config.pools[2].slurm->partition, "y");
}

TEST(Config, AFolderMayNameTheUser) {
  const auto runs_of = [](const std::string& text) {
    const Config config =
        config_of({{"c.yaml", fmt::format("pools: {{a: {{slurm: {{}}, runs: {}}}}}\n", text)}});
    return config.pools.at(1).runs;
  };
  EXPECT_EQ(runs_of("~/runs"), "/home/ann/runs");
  EXPECT_EQ(runs_of("/scratch/$USER/runs"), "/scratch/ann/runs");
  EXPECT_EQ(runs_of("'/scratch/${USER}_x/runs'"), "/scratch/ann_x/runs");
}

TEST(Config, KeepsTheMistakesOfTwoFilesApart) {
  const ParsedConfig parsed = parse_files({{"a.yaml", "pool: {}\n"}, {"b.yaml", "\npolls: {}\n"}});
  ASSERT_EQ(parsed.errors.size(), 2U);
  EXPECT_EQ(parsed.errors[0].file, "a.yaml");
  EXPECT_EQ(parsed.errors[1].file, "b.yaml");
  EXPECT_THAT(render(parsed.errors), HasSubstr("b.yaml:2:1: error:"));
}

struct Mistake {
  std::string text;
  std::string said;
};

std::string in_pool(const std::string& keys) {
  return fmt::format("pools:\n  a:\n    runs: /r\n    slurm:\n      {}\n", keys);
}

TEST(Config, NamesEachMistakeAndItsPlace) {
  const std::vector<Mistake> table{
      {"pool: {}\n",
       "1:1 `pool` is not a key of the configuration; expected one of pools, compact, plugins (did "
       "you mean "
       "`pools`?)"},
      {"- pools\n", "1:1 a configuration: expected a map (`name: value`), found a list"},
      {"pools: {}\n---\npools: {}\n",
       "3:1 a configuration is one document (remove the line `---` before it)"},
      {"pools: [h200]\n", "1:8 pools: expected a map (`name: value`), found a list"},
      {"pools:\n", "1:1 pools: expected a map (`name: value`), found nothing"},
      {"pools: {a: {slurm: {}, runs: /r}, a: {}}\n", "1:35 `a` is already given at line 1"},
      {"pools: {9a: {slurm: {}, runs: /r}}\n",
       "1:9 pools: `9a` is not a name; expected a letter, then at most 31 letters, digits, `.`, "
       "`_` or `-`"},
      {"pools: {local: {slurm: {}}}\n",
       "1:17 `slurm`: the pool `local` is this machine as it is, and has no keys (give a pool of a "
       "cluster another name)"},
      {"pools: {local: 3}\n", "1:16 local: expected a map (`name: value`), found a single value"},
      {"pools: {a: {runs: /r}}\n", "1:9 pool `a` needs `slurm`: only `local` is this machine"},
      {"pools: {a: {slurm: {}}}\n",
       "1:9 pool `a` needs `runs`: a folder that its nodes see under the same path"},
      {"pools: {a: slurm}\n",
       "1:12 pool `a`: expected a map (`name: value`), found a single value (it needs `slurm` and "
       "`runs`)"},
      {"pools: {a: {slurm: {}, runs: /r, prolog: x}}\n",
       "1:34 `prolog` is not a key of pool `a`; expected one of slurm, runs, prologue (did you "
       "mean "
       "`prologue`?)"},
      {"pools: {a: {slurm: [], runs: /r}}\n",
       "1:20 slurm: expected a map (`name: value`), found a list"},
      {"pools: {a: {slurm: {}, runs: runs}}\n",
       "1:30 runs: `runs` is not an absolute path; expected a folder that every node sees under "
       "this path"},
      {"pools: {a: {slurm: {}, runs: /scratch/$PROJECT}}\n",
       "1:30 runs: `/scratch/$PROJECT` names the variable `PROJECT`, which is not set"},
      {"pools: {a: {slurm: {}, runs: [/r]}}\n",
       "1:30 runs: expected one value, found a list (write "
       "one value)"},
      {in_pool("partitoin: gpu"),
       "5:7 `partitoin` is not a key of slurm; expected one of partition, account, qos, "
       "gpus_per_node, cpus_per_gpu, cpus_per_node, exclusive, time, max_jobs, idle, poll, sbatch "
       "(did "
       "you mean `partition`?)"},
      {in_pool("partition: [a, b]"),
       "5:18 partition: expected one value, found a list (write one value)"},
      {in_pool("partition: \"a\\nb\""), "5:18 partition: expected one line of text"},
      {in_pool("gpus_per_node: eight"),
       "5:22 gpus_per_node: `eight` is not an integer; expected an integer such as 512, 10_000 or "
       "64K"},
      {in_pool("gpus_per_node: -1"), "5:22 gpus_per_node: -1 is too small; expected at least 0"},
      {in_pool("exclusive: 1"), "5:18 exclusive: `1` is not a boolean; expected true or false"},
      {in_pool("time: 4"),
       "5:13 time: `4` is not a duration; expected a number with a unit: 250ms, 90s, 10m, 2h"},
      {in_pool("time: 10s"), "5:13 time: 10s is too small; expected at least 1m"},
      {in_pool("max_jobs: 0"), "5:17 max_jobs: 0 is too small; expected at least 1"},
      {in_pool("sbatch: --constraint=x"),
       "5:15 sbatch: expected a list of options, found a single value"},
      {in_pool("sbatch: [constraint=x]"),
       "5:16 sbatch: `constraint=x` is not an option; expected a text that begins with `-`, such "
       "as "
       "\"--constraint=nvlink\""},
      {in_pool("cpus_per_gpu: 4"),
       "5:21 cpus_per_gpu: this pool has no GPUs (write `gpus_per_node`, or `cpus_per_node`)"},
      {in_pool("{gpus_per_node: 8, cpus_per_node: 64}"),
       "5:41 cpus_per_node: this pool has GPUs; give the cores of each GPU (write "
       "`cpus_per_gpu`)"},
  };
  for (const Mistake& mistake : table) {
    EXPECT_THAT(mistakes(mistake.text), ElementsAre(mistake.said)) << mistake.text;
  }
}

}  // namespace
}  // namespace sweepd::test
