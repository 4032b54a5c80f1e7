// Tests what a program gets: the values of parameters, and its environment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "runner/model/attempt/rank_variables.h"
#include "runner/worker/run_attempt.h"
#include "tests/worker/attempt_files.h"

namespace sweepd {
namespace {

// Runs `argv` once, without a report. It ends `done` if it exits with 0.
struct OneRun : AttemptFiles {
  explicit OneRun(const std::string& argv, NamedTexts more = {}) : AttemptFiles("command", {}) {
    request.params.insert(
        request.params.end(),
        {{"argv", argv}, {"reports", "nothing"}, {"warmup", "0"}, {"steps", "1"}});
    for (auto& param : more) request.params.push_back(std::move(param));
  }
  std::string run() {
    write();
    EXPECT_EQ(run_attempt(folder.path(), 0, {Registry::instance(), make_device}), kExitOk);
    return ending();
  }
  std::string written(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder.path() / name).rdbuf();
    return text.str();
  }
};

TEST(CommandValues, ZeroAndAnEmptyTextReachTheProgram) {
  OneRun program(R"(sh -c 'echo "$#|$1|$2|$3" > values' - {arg1} {size} {bytes})");
  EXPECT_EQ(program.run(), "done");
  EXPECT_EQ(program.written("values"), "3||0|0\n");
}

ParamDef declared_real(const char* name, double default_value) {
  ParamDef param;
  param.name = name;
  param.type = ValueType::kReal;
  param.default_value = default_value;
  param.declared = true;
  return param;
}

// nanoGPT reads a value's type from its text, and refuses 0 for 0.0.
TEST(CommandValues, ARealStaysOne) {
  OneRun program(
      R"(sh -c 'echo "$@ $SWEEPD_PARAM_dropout" > values' - {dropout} {rate} {shift} {large})",
      {{"dropout", "0.0"}});
  WorkloadDef gpt;
  gpt.name = "gpt";
  gpt.base = "command";
  gpt.params = {declared_real("dropout", 0.1), declared_real("rate", 1e-5),
                declared_real("shift", -3.0), declared_real("large", 1e20)};
  program.request.workload = gpt.name;
  program.request.program = gpt;
  EXPECT_EQ(program.run(), "done");
  EXPECT_EQ(program.written("values"), "0.0 1e-05 -3.0 1e+20 0.0\n");
}

TEST(CommandValues, OfOneRankThereAreNoVariablesOfRanks) {
  for (const auto name : kRankVariables) ::setenv(std::string(name).c_str(), "0", 1);
  OneRun program("sh -c 'env > variables'", {{"env", "MASTER_PORT=29500"}});
  EXPECT_EQ(program.run(), "done");
  const std::string all = "\n" + program.written("variables");
  EXPECT_THAT(all, testing::HasSubstr("\nMASTER_PORT=29500\n")) << "the sweep says so";
  for (const auto name : kRankVariables) {
    ::unsetenv(std::string(name).c_str());
    if (name == "MASTER_PORT") continue;
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("\n" + std::string(name) + "=")));
  }
}

TEST(CommandValues, OfSeveralRanksThereAre) {
  ::setenv("WORLD_SIZE", "2", 1);
  OneRun program("sh -c 'echo $WORLD_SIZE > values'");
  program.request.lease.ranks.push_back({{0}, "", -1});
  EXPECT_EQ(program.run(), "done");
  ::unsetenv("WORLD_SIZE");
  EXPECT_EQ(program.written("values"), "2\n");
}

TEST(CommandValues, ItsOwnPathsDoNotHideThoseOfSweepd) {
  OneRun program(
      "sh -c 'echo $PATH:$PYTHONPATH > values; exec python3 -c \"import sweepd_metrics\"'",
      {{"env", "PYTHONPATH=/own/modules PATH=/own/bin:/usr/bin:/bin"}});
  EXPECT_EQ(program.run(), "done");
  EXPECT_THAT(program.written("values"),
              testing::MatchesRegex("/own/bin:/usr/bin:/bin:/.*/metrics:/own/modules\n"));
}

}  // namespace
}  // namespace sweepd
