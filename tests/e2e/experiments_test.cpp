// Tests that every file of experiments/ matches its header and the README, and prints the promised
// table.
//
// To add one: write the file, add its line to experiments/README.md, and let
//   SWEEPD_UPDATE_GOLDEN=1 ctest --test-dir build/release -R NightlyExperimentTables
// write tests/e2e/golden/NAME.md. Review the files before you commit them.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runner/sweepfile/sweep/sweepfile.h"
#include "tests/e2e/experiment_files.h"
#include "tests/e2e/report_mask.h"
#include "tests/e2e/sandbox.h"

namespace sweepd::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

#if SWEEPD_WITH_TORCH

std::vector<Override> overrides_of(const Options& words) {
  std::vector<Override> overrides;
  for (const std::string& set : sets_of(words)) {
    const std::size_t equal = set.find('=');
    overrides.push_back({set.substr(0, equal), set.substr(equal + 1)});
  }
  return overrides;
}

void expect_trials(const ExperimentFile& file, const Options& options, const std::string& what) {
  const Parsed parsed =
      parse_sweeps(file.text, file.name + ".yaml", shipped_catalog(), overrides_of(options));
  EXPECT_EQ(render(parsed.errors), "") << what;
  for (const Sweep& sweep : parsed.sweeps) {
    const WorkloadDef& def =
        sweep.program ? *sweep.program : *shipped_catalog().find(sweep.workload);
    EXPECT_THAT(expand(sweep, def).trials, Not(IsEmpty())) << what << ": " << sweep.name;
    EXPECT_THAT(sweep.tables, Not(IsEmpty())) << file.name << ": nothing to report";
  }
}

TEST(Experiments, ParseAndExpandAsWrittenAndAsTheirHeadersSay) {
  std::map<std::string, std::string> seen;
  for (const ExperimentFile& file : experiment_files()) {
    expect_trials(file, {}, file.name);
    if (file.small) expect_trials(file, *file.small, file.name + ", small");
    EXPECT_THAT(file.commands, Not(IsEmpty())) << file.name << ": the header has no command";
    for (const std::string& command : file.commands) {
      EXPECT_THAT(command, StartsWith("sweepctl submit experiments/" + file.name + ".yaml"));
      std::istringstream stream(command);
      const Options words{std::istream_iterator<std::string>(stream), {}};
      expect_trials(file, words, command);
    }
    EXPECT_EQ(file.reports, file.sweeps) << file.name << ": the header reports other sweeps";
    for (const std::string& sweep : file.sweeps) {
      const auto [entry, added] = seen.emplace(sweep, file.name);
      EXPECT_TRUE(added) << sweep << " is in " << file.name << " and in " << entry->second;
    }
  }
}

TEST(Experiments, AreInTheReadmeAndHaveAGoldenFileOrAReason) {
  const std::string readme = text_of(fs::path(EXPERIMENTS) / "README.md");
  std::set<std::string> goldens{"accounting.exact", "study"};  // those of other tests
  for (const ExperimentFile& file : experiment_files()) {
    EXPECT_THAT(readme, HasSubstr("(" + file.name + ".yaml)"));
    EXPECT_NE(file.small.has_value(), !file.not_small.empty())
        << file.name << ": the header needs `# small: OPTIONS` or `# not small: REASON`";
    if (file.small) goldens.insert(file.name);
  }
  for (std::size_t at = readme.find("]("); at != std::string::npos; at = readme.find("](", at)) {
    at += 2;
    const std::string target = readme.substr(at, readme.find(')', at) - at);
    EXPECT_TRUE(fs::exists(fs::path(EXPERIMENTS) / target)) << target;
  }
  std::set<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(GOLDEN)) {
    if (!entry.is_regular_file()) continue;
    found.insert(fs::relative(entry.path(), GOLDEN).replace_extension().string());
  }
  EXPECT_THAT(found, testing::ContainerEq(goldens))
      << "a golden file for each `small:` line, and none besides";
}

// The names that this machine has for hosts, devices, folders and instruction sets.
std::vector<Placeholder> local_names(const Sandbox& box) {
  return {{box.sql("select name from device limit 1"), "DEVICE"},
          {box.sql("select hostname from host limit 1"), "HOST"},
          {box.folder().string(), "FOLDER"},
          {fs::path(EXPERIMENTS).parent_path().string(), "SOURCE"},
          {"avx512", "ISA"},
          {"avx2", "ISA"}};
}

// Removes the effects of other users of the machine from a run's results, marks, reasons and uneven
// steps, so that every remaining mark belongs to the experiment.
void forget_disturbances(const Sandbox& box) {
  SQLite::Database database((box.state() / "results.db").string(), SQLite::OPEN_READWRITE, 10000);
  database.exec("DELETE FROM attempt_reason WHERE " + is_disturbance_sql());
  database.exec(
      "UPDATE attempt SET verdict = 'valid' WHERE verdict = 'suspect' AND NOT EXISTS "
      "(SELECT 1 FROM attempt_reason r WHERE r.attempt = attempt.row)");
  database.exec("UPDATE summary SET steadiness = 'steady' WHERE steadiness IS NOT NULL");
  // Which rows are small enough to be added up differs from run to run.
  database.exec("UPDATE sweep_declaration SET json = json_remove(json, '$.rest')");
}

void expect_golden_tables(const ExperimentFile& file) {
  const Catalog& known = shipped_catalog();  // before the box: the query makes its own box
  const Sandbox box(SWEEP_WORKER);
  // One thread: on a busy machine, threads that spin would need seconds for a tiny model.
  Options options{"--set", "device=cpu", "--set", "threads=1"};
  options.insert(options.end(), file.small->begin(), file.small->end());
  Options submit{"submit", file.path(), "--wait"};
  submit.insert(submit.end(), options.begin(), options.end());
  const Ran ran = box.ctl(submit);
  ASSERT_THAT(ran.exit_code, AnyOf(0, 4)) << ran.err;
  forget_disturbances(box);
  const Parsed parsed = parse_sweeps(file.text, file.name + ".yaml", known, overrides_of(options));
  ASSERT_EQ(render(parsed.errors), "");
  std::string tables = "submit: exit " + std::to_string(ran.exit_code) + "\n";
  for (const Sweep& sweep : parsed.sweeps) {
    const Ran report = box.ctl({"report", sweep.name, "--notes", "all"});
    EXPECT_EQ(report.exit_code, 0) << report.err;
    tables += "\n" + mask(report.out, sweep, local_names(box));
  }
  const fs::path golden = fs::path(GOLDEN) / (file.name + ".md");
  if (std::getenv("SWEEPD_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(golden.parent_path());
    std::ofstream(golden) << tables;
  }
  EXPECT_EQ(text_of(golden), tables) << "SWEEPD_UPDATE_GOLDEN=1 writes " << golden;
}

// Of each kind that no other test runs with the real worker, one file.
TEST(ExperimentTables, AreThoseOfTheirGoldenFiles) {
  std::set<std::string> chosen{"attention/grid", "distributed/buckets", "parallelism/accounting",
                               "profile/operators"};
  for (const ExperimentFile& file : small_experiment_files()) {
    if (chosen.erase(file.name) == 0) continue;
    SCOPED_TRACE(file.name);
    expect_golden_tables(file);
  }
  EXPECT_THAT(chosen, IsEmpty());
}

class NightlyExperimentTables : public testing::TestWithParam<ExperimentFile> {};

TEST_P(NightlyExperimentTables, AreThoseOfTheGoldenFile) {
  expect_golden_tables(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Small, NightlyExperimentTables,
                         testing::ValuesIn(small_experiment_files()),
                         [](const auto& test) { return test_name(test.param); });

#endif

}  // namespace
}  // namespace sweepd::e2e
