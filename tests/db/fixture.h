// A store in a temporary folder with a small workload, `toy`. Its parameters are model, context,
// scale and tied, besides the run parameters; its phases are forward, backward, optimizer.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db/query/query.h"
#include "db/store/store.h"
#include "runner/model/sweep/run_params.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {

struct ToyParams {
  std::string model = "small";
  std::int64_t context = 128;
  double scale = 0.5;
  bool tied = false;
  void visit(auto& field) {
    field("model", model, "which", one_of({"small", "large", "xl"}), GrowsMemory());
    field("context", context, "tokens", at_least(1), GrowsMemory());
    field("scale", scale, "a real");
    field("tied", tied, "a flag");
  }
};

template <class Params>
WorkloadDef workload_def(const std::string& name) {
  WorkloadDef def;
  def.name = name;
  def.help = "a workload of the tests";
  def.passes = {"timing", "memory", "profile"};
  def.phases = {"forward", "backward", "optimizer"};
  def.params = describe_params<Params>();
  for (ParamDef& param : describe_params<RunParams>()) {
    param.run_param = true;
    def.params.push_back(std::move(param));
  }
  return def;
}

inline Catalog toy_catalog() {
  return {{workload_def<ToyParams>("toy")}};
}

inline HostInfo host_named(const std::string& name) {
  HostInfo host;
  host.id = "id-of-" + name;
  host.hostname = name;
  host.cpu_model = "Test CPU";
  host.cores = 4;
  return host;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

class DbTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("sweepd-db-" + random_id());
    std::filesystem::create_directories(folder_);
    catalog_ = toy_catalog();
    reopen();
  }
  void TearDown() override {
    reader_.reset();
    store_.reset();
    if (std::filesystem::exists(file())) expect_right_counts(file());
    std::filesystem::remove_all(folder_);
  }

  // After every test: the counts of sweeps match their rows. Not of a file that is
  // damaged or of an earlier version.
  static void expect_right_counts(const std::filesystem::path& file);

  std::filesystem::path file() const { return folder_ / "results.db"; }

  // Opens the store again as a restarted daemon would.
  void reopen(const std::string& host = "alpha") {
    reader_.reset();
    store_.reset();
    auto store = Store::open(file(), catalog_, host_named(host));
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::move(*store);
    auto reader = Reader::open(file(), catalog_);
    ASSERT_TRUE(reader) << reader.error().message;
    reader_ = std::move(*reader);
  }

  const WorkloadDef& def() const { return catalog_.workloads.front(); }

  NewTrial trial(const Settings& settings) const {
    Trial trial = default_trial(def());
    for (const auto& [name, text] : settings) {
      const auto index = def().index_of(name);
      EXPECT_TRUE(index) << name;
      trial.values[*index] = def().params[*index].parse(text).value();
    }
    return {key_of(def(), trial), trial};
  }

  NewSweep sweep(const std::string& name, const std::vector<Settings>& points) const {
    NewSweep request;
    request.id = random_id();
    request.sweep.name = name;
    request.sweep.workload = "toy";
    request.sweep.source = "sweep: " + name + "\n";
    request.submitted = WallTime{1'000'000'000};
    for (const Settings& point : points) request.trials.push_back(trial(point));
    return request;
  }

  SubmitReceipt submit(const NewSweep& request) {
    auto receipt = store_->submit(request, def());
    EXPECT_TRUE(receipt) << receipt.error().message;
    return receipt ? *receipt : SubmitReceipt{};
  }

  // A done timing with the given phase times in ms; `step` is their sum.
  static AttemptRecord done(std::int64_t row, double forward, double backward,
                            WallTime ended = WallTime{5'000'000'000}) {
    AttemptRecord record;
    record.row = row;
    record.ending = {Done{"fixed_steps"}, 0};
    record.ended = ended;
    for (std::int64_t step = 0; step < 3; ++step) {
      const bool warmup = step == 0;
      const double more = warmup ? 100 : 0;
      record.samples.push_back({0, step, "forward", "time", forward + more, warmup});
      record.samples.push_back({0, step, "backward", "time", backward + more, warmup});
      record.samples.push_back({0, step, "step", "time", forward + backward + more, warmup});
    }
    record.summaries = summarize_samples(record.samples);
    record.work = WorkPerStep{"fp32",
                              512,
                              {{"forward", 1e9, 1e6}, {"backward", 2e9, 2e6}, {"step", 3e9, 3e6}},
                              {{"parameters", 1998235200, "V*d"}}};
    record.environment = Environment{};
    record.environment->torch_version = "2.11.0";
    record.environment->devices = {cpu()};
    return record;
  }

  static AttemptRecord ended(std::int64_t row, Ending ending,
                             WallTime when = WallTime{5'000'000'000}) {
    AttemptRecord record;
    record.row = row;
    record.ending = std::move(ending);
    record.ended = when;
    return record;
  }

  static DeviceInfo cpu() {
    DeviceInfo device;
    device.kind = "cpu";
    device.uuid = "id-of-alpha";
    device.name = "Test CPU";
    return device;
  }

  void finish(const AttemptRecord& record) {
    const auto finished = store_->finish(record);
    ASSERT_TRUE(finished) << finished.error().message;
    ASSERT_TRUE(*finished);
  }

  // Returns "a|b|c" for each row, as sqlite3 prints it.
  std::vector<std::string> sql(const std::string& query) const;

  std::filesystem::path folder_;
  Catalog catalog_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Reader> reader_;
};

}  // namespace sweepd
