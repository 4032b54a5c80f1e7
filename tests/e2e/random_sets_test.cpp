// Runs every experiment with a few unexpected values. It must work or say plainly why not.
//
// The file's name is the seed, so every run draws the same. SWEEPD_RANDOM_SETS=SEED draws others,
// and SWEEPD_RANDOM_DRAWS=N draws more of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <sstream>

#include "runner/base/text.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/wire/catalog_json.h"
#include "tests/e2e/experiment_files.h"
#include "tests/e2e/sandbox.h"

#if SWEEPD_WITH_TORCH

namespace sweepd::e2e {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr int kDraws = 1;
// A draw takes seconds, not as long as a real measurement would.
constexpr std::size_t kMaxTrials = 9;
const Options kBounds{
    "device=cpu", "threads=1", "memory_limit=256MiB", "timeout=5s", "repeats=1",
    "steps=1",    "warmup=0",  "min_time=0",          "max_time=0", "relative_error=0"};

int setting(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

const Catalog& catalog(const Sandbox& box) {
  static const Catalog parsed =
      *catalog_from_json(nlohmann::json::parse(box.run(SWEEP_WORKER, {"--describe"}).out));
  return parsed;
}

// Values at the limits and just inside them, and a few between. Programs of `command` are not
// drawn.
std::vector<std::string> candidates(const ParamDef& param) {
  if (!param.choices.empty()) return param.choices;
  if (param.name == "world_size") return {"0", "1", "2", "3"};
  switch (param.type) {
    case ValueType::kBoolean:
      return {"true", "false"};
    case ValueType::kInteger:
      return {"0", "1", "2", "3", "8", "17", "64"};
    case ValueType::kReal:
      return {"0", "0.5", "1", "3"};
    case ValueType::kBytes:
      return {"0", "1", "4KiB", "1MiB"};
    case ValueType::kDuration:
      return {"0", "1us", "1ms"};
    default:
      return {};
  }
}

// The test itself sets the parameters that bound a run. Billions of weights are not tried, since
// their tensors may be made before the limit is checked.
bool may_draw(const ParamDef& param) {
  if (param.name == "model" || param.name == "planned_device") return false;
  if (param.name == "seed" || param.name == "world_size") return true;
  return !param.run_param && param.type != ValueType::kText && !candidates(param).empty();
}

std::string name_in(const std::string& set) {
  return set.substr(0, set.find('='));
}

void replace(Options& sets, const std::string& set) {
  std::erase_if(sets, [&](const std::string& each) { return name_in(each) == name_in(set); });
  sets.push_back(set);
}

// Takes the first value of each of the file's small options and draws one to three parameters.
Options draw(const ExperimentFile& file, const std::vector<ParamDef>& params,
             std::mt19937_64& random) {
  Options sets = kBounds;
  for (const std::string& set : sets_of(*file.small)) replace(sets, set.substr(0, set.find(',')));
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) {
    const ParamDef& param = params[below(params.size())];
    const auto values = candidates(param);
    std::string value = values[below(values.size())];
    if (below(3) == 0) value += "," + values[below(values.size())];
    replace(sets, param.name + "=" + value);
  }
  return sets;
}

// Sets with too many trials are drawn again; trials by formula do not count.
bool is_small(const ExperimentFile& file, const Options& sets, const Catalog& catalog) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) {
    overrides.push_back({name_in(set), set.substr(name_in(set).size() + 1)});
  }
  std::size_t trials = 0;
  for (const Sweep& sweep : parse_sweeps(file.text, file.name, catalog, overrides).sweeps) {
    const WorkloadDef& def = sweep.program ? *sweep.program : *catalog.find(sweep.workload);
    if (!def.analytic) trials += expand(sweep, def).trials.size();
  }
  return trials <= kMaxTrials;
}

// A refusal is short and names its subject.
void expect_refusal(const Ran& ran, const Options& sets) {
  EXPECT_EQ(ran.exit_code, 2) << ran.err;
  EXPECT_THAT(ran.err, Not(IsEmpty()));
  const bool named = std::any_of(sets.begin(), sets.end(), [&](const std::string& set) {
    return ran.err.find(name_in(set)) != std::string::npos;
  });
  EXPECT_TRUE(named) << ran.err;
}

// Cells without a result are blank, for any table of the file.
void expect_report(const Ran& report) {
  EXPECT_EQ(report.exit_code, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("**"));
}

void expect_to_work_or_say_why_not(const ExperimentFile& file) {
  const Sandbox box(SWEEP_WORKER);
  std::vector<ParamDef> params;
  std::set<std::string> seen;
  for (const std::string& workload : file.workloads) {
    for (const ParamDef& param : catalog(box).find(workload)->params) {
      if (may_draw(param) && seen.insert(param.name).second) params.push_back(param);
    }
  }
  ASSERT_FALSE(params.empty());
  std::seed_seq seed(file.name.begin(), file.name.end());
  std::mt19937_64 random(seed);
  random.discard(static_cast<unsigned long long>(setting("SWEEPD_RANDOM_SETS", 0)) * 1000);
  for (int i = 0, draws = setting("SWEEPD_RANDOM_DRAWS", kDraws); i < draws; ++i) {
    Options sets;
    do {
      sets = draw(file, params, random);
    } while (!is_small(file, sets, catalog(box)));
    SCOPED_TRACE(file.name + " --set " + join(sets, " --set "));
    Options options{file.path()};
    for (const std::string& set : sets) options.insert(options.end(), {"--set", set});
    Options plan{"plan", "--format", "json"}, submit{"submit", "--wait"};
    plan.insert(plan.end(), options.begin(), options.end());
    submit.insert(submit.end(), options.begin(), options.end());
    const Ran planned = box.ctl(plan);
    if (planned.exit_code != 0) {
      expect_refusal(planned, sets);
      expect_refusal(box.ctl(submit), sets);
      continue;
    }
    const pid_t daemon = box.daemon_pid();
    const Ran ran = box.ctl(submit);
    EXPECT_THAT(ran.exit_code, AnyOf(0, 4)) << ran.err;
    for (const std::string& sweep : file.sweeps) expect_report(box.ctl({"report", sweep}));
    EXPECT_EQ(box.daemon_pid(), daemon) << "another daemon: the first one died";
    // Every failure has an explanation, and no program of ours crashed.
    EXPECT_EQ(box.sql("select group_concat(uid || ': ' || outcome || ' ' || coalesce(message, ''), "
                      "char(10)) from attempt where outcome = 'crashed' or outcome is null or "
                      "(outcome in ('failed', 'skipped') and coalesce(message, '') = '') or "
                      "message like '%INTERNAL ASSERT%' or message like '%Exception raised from%'"),
              "");
  }
}

// A model and a program; the nightly suite has every file.
TEST(RandomSets, WorkOrSayWhyNot) {
  const std::set<std::string> names{"quickstart", "command/program_start"};
  std::size_t seen = 0;
  for (const ExperimentFile& file : small_experiment_files()) {
    if (!names.contains(file.name)) continue;
    ++seen;
    expect_to_work_or_say_why_not(file);
  }
  EXPECT_EQ(seen, names.size());
}

class NightlyRandomSets : public testing::TestWithParam<ExperimentFile> {};

TEST_P(NightlyRandomSets, WorkOrSayWhyNot) {
  expect_to_work_or_say_why_not(GetParam());
}

INSTANTIATE_TEST_SUITE_P(, NightlyRandomSets, testing::ValuesIn(small_experiment_files()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sweepd::e2e

#endif
