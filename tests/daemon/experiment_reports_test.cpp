// Submits every file under experiments/ to a store and reports it: before anything ran, with part
// of its results, with failures only, and with results that have none of the names it asks for.
// `report` has an answer each time, and `plot` a drawing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "db/query/query.h"
#include "db/store/store.h"
#include "runner/daemon/handlers/make_plot.h"
#include "runner/daemon/handlers/make_table.h"
#include "runner/model/vocabulary/kernel_class.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "tests/daemon/experiment_sweeps.h"

namespace sweepd {
namespace {

using test::experiments;

namespace fs = std::filesystem;

// Running all trials of the largest sweeps would only take longer.
constexpr std::size_t kMaxTrials = 60;

// The names that a sweep's tables and plots ask for.
struct Asked {
  std::set<std::string> metrics{"time"}, facts, figures, phases{"forward", "step"}, ranges, classes;

  explicit Asked(const Sweep& sweep) {
    for (const TableSpec& table : sweep.tables) read(table);
    for (const PlotSpec& plot : sweep.plots) {
      read(plot.data);
      read(plot.lines);
    }
  }
  // Replaces all names, as another kernel for the same work would.
  void rename() {
    for (auto* names : {&facts, &figures, &ranges, &classes}) *names = {"of another name"};
  }

 private:
  void read(const TableSpec& table) {
    metric(table.metric);
    filters(table.where);
    for (const TableSpec::Value& value : table.values) {
      metric(value.metric);
      filters(value.where);
    }
  }
  void metric(const std::string& name) {
    if (name.starts_with("fact.")) {
      facts.insert(name.substr(5));
    } else if (name.starts_with("figure.")) {
      figures.insert(name.substr(7));
    } else if (!name.empty() && !name.starts_with("kernel_") && !name.ends_with("_bytes")) {
      metrics.insert(name);
    }
  }
  void filters(const std::vector<TableSpec::Filter>& list) {
    for (const TableSpec::Filter& filter : list) {
      for (auto [column, names] : {std::pair{"phase", &phases},
                                   {"range", &ranges},
                                   {"class", &classes},
                                   {"fact", &facts},
                                   {"figure", &figures}}) {
        if (filter.name == column) names->insert(filter.values.begin(), filter.values.end());
      }
    }
  }
};

AttemptRecord done(const OpenAttempt& attempt, const Asked& asked) {
  AttemptRecord record;
  record.row = attempt.row;
  record.ending = {Done{"fixed_steps"}, 0};
  record.ended = WallTime{5'000'000'000};
  record.work = WorkPerStep{"fp32", 512, {{"step", 3e9, 3e6}}, {}};
  for (const std::string& name : asked.figures) record.work->figures.push_back({name, 7, "a * b"});
  for (const std::string& name : asked.facts) {
    record.facts.push_back(
        {0, name, attempt.row % 2 == 0 ? std::optional(0.5) : std::nullopt, "x"});
  }
  const auto value = static_cast<double>(attempt.row % 7 + 1);
  for (const std::string& phase : asked.phases) {
    if (attempt.pass == Pass::kMemory) {
      record.memory.push_back({0, phase, 1_MiB, 2_MiB, 3_MiB, 4_MiB, 5_MiB});
    } else if (attempt.pass == Pass::kProfile) {
      for (const std::string& range : asked.ranges) {
        record.kernels.push_back({0,
                                  phase,
                                  range,
                                  "void gemm<float>(float*)",
                                  {1, 1, 1},
                                  {128, 1, 1},
                                  2,
                                  200,
                                  100,
                                  100,
                                  90,
                                  110,
                                  14});
        classify(record.kernels.back());
      }
    } else {
      for (const std::string& metric : asked.metrics) {
        for (std::int64_t step = 0; step < 2; ++step) {
          record.samples.push_back({0, step, phase, metric, value + double(step), false});
        }
      }
    }
  }
  if (attempt.pass == Pass::kMemory) {
    record.allocations.push_back({0, 1, 1_MiB, Duration{5}, {}, "forward", "attention", "q"});
  }
  record.summaries = summarize_samples(record.samples);
  return record;
}

AttemptRecord failed(const OpenAttempt& attempt) {
  AttemptRecord record;
  record.row = attempt.row;
  record.ended = WallTime{5'000'000'000};
  switch (attempt.row % 6) {
    case 0:
      record.ending = {Oom{1_GiB, 2_GiB, 3_GiB, "backward"}, 0};
      break;
    case 1:
      record.ending = {Timeout{seconds(60), "setup"}, 0};
      break;
    case 2:
      record.ending = {Crashed{11, {}, "forward"}, 0};
      break;
    case 3:
      record.ending = {Failed{"no such thing", "setup"}, 0};
      break;
    case 4:
      record.ending = {Cancelled{"asked to"}, 0};
      break;
    default:
      record.ending = {Skipped{"needs a CUDA device"}, 0};
  }
  return record;
}

enum class Results { kNone, kPart, kFailed, kOtherNames };

class ExperimentReports : public testing::TestWithParam<Results> {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("sweepd-reports-" + random_id());
    fs::create_directories(folder_);
    HostInfo host;
    host.id = "id-of-alpha";
    host.hostname = "alpha";
    store_ = std::move(*Store::open(folder_ / "results.db", experiments().catalog, host));
    reader_ = std::move(*Reader::open(folder_ / "results.db", experiments().catalog));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void submit(const Sweep& sweep) {
    const WorkloadDef& def =
        sweep.program ? *sweep.program : *experiments().catalog.find(sweep.workload);
    NewSweep request;
    request.id = random_id();
    request.sweep = sweep;
    request.submitted = WallTime{1'000'000'000};
    for (const ExpandedTrial& trial : expand(sweep, def).trials) {
      request.trials.push_back({trial.key, trial.trial});
    }
    if (request.trials.size() > kMaxTrials) request.trials.resize(kMaxTrials);
    const auto receipt = store_->submit(request, def);
    ASSERT_TRUE(receipt) << receipt.error().message;
    finish(receipt->queued, sweep);
    report(request.id, sweep.tables.size());
    draw(request.id, sweep.plots.size());
  }

  void finish(const std::vector<OpenAttempt>& queued, const Sweep& sweep) {
    Asked asked(sweep);
    if (GetParam() == Results::kOtherNames) asked.rename();
    std::vector<AttemptRecord> records;
    for (const OpenAttempt& attempt : queued) {
      const bool is_done = GetParam() == Results::kOtherNames || random_() % 3 == 0;
      if (GetParam() == Results::kNone || (GetParam() == Results::kPart && random_() % 2 == 0)) {
        continue;
      }
      const bool fails = GetParam() == Results::kFailed || !is_done;
      records.push_back(fails ? failed(attempt) : done(attempt, asked));
    }
    const auto finished = store_->finish_all(records);
    ASSERT_TRUE(finished) << finished.error().message;
  }

  void report(const SweepId& id, std::size_t tables) {
    const auto specs = reader_->tables_of(id);
    ASSERT_TRUE(specs) << specs.error().message;
    ASSERT_EQ(specs->size(), tables);
    for (const TableSpec& spec : *specs) {
      QuerySpec query;
      query.sweep = id;
      query.declared = true;
      query.table = spec;
      const auto table = make_table(*reader_, experiments().catalog, query);
      ASSERT_TRUE(table) << spec.title << ": " << table.error().message;
      EXPECT_FALSE(table->rows.empty()) << spec.title;
      for (const auto& row : table->rows) EXPECT_EQ(row.size(), table->columns.size());
      EXPECT_NE(to_markdown(*table), "");
      // These results have no device that a table could name.
      const bool by_device =
          std::find(spec.columns.begin(), spec.columns.end(), "device_name") != spec.columns.end();
      if (by_device) continue;
      EXPECT_THAT(table->notes, testing::Not(testing::Contains(testing::StartsWith("warning"))))
          << spec.title;
    }
  }

  void draw(const SweepId& id, std::size_t plots) {
    const auto specs = reader_->plots_of(id);
    ASSERT_TRUE(specs) << specs.error().message;
    ASSERT_EQ(specs->size(), plots);
    for (const PlotSpec& spec : *specs) {
      QuerySpec query;
      query.sweep = id;
      query.declared = true;
      const auto plot = make_plot(*reader_, experiments().catalog, spec, query);
      ASSERT_TRUE(plot) << spec.data.title << ": " << plot.error().message;
      EXPECT_NE(to_text(*plot, 80), "");
      EXPECT_NE(to_vega_lite(*plot), "");
    }
  }

  fs::path folder_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
  std::mt19937_64 random_{12};
};

TEST_P(ExperimentReports, HaveAnAnswer) {
  for (const auto& file : experiments().files) {
    for (const Sweep& sweep : file.sweeps) {
      SCOPED_TRACE(file.name + ", sweep " + sweep.name);
      submit(sweep);
    }
  }
}

std::string name_of_results(const testing::TestParamInfo<Results>& results) {
  constexpr const char* kNames[] = {"None", "Part", "Failed", "OtherNames"};
  return kNames[static_cast<int>(results.param)];
}

INSTANTIATE_TEST_SUITE_P(Of, ExperimentReports,
                         testing::Values(Results::kNone, Results::kPart, Results::kFailed,
                                         Results::kOtherNames),
                         name_of_results);

}  // namespace
}  // namespace sweepd
