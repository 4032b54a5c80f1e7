#include "runner/model/sweep/trial.h"

#include <gtest/gtest.h>

#include "runner/model/sweep/sweep.h"
#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

struct MatmulParams {
  std::int64_t size = 4096;
  std::string precision = "fp32";
  std::int64_t repeats = 1;
  void visit(auto& field) {
    field("size", size, "rows");
    field("precision", precision, "arithmetic", one_of({"fp32", "bf16"}));
    field("repeats", repeats, "attempts", Scheduling{});
  }
};

WorkloadDef matmul() {
  WorkloadDef def;
  def.name = "matmul";
  def.params = describe_params<MatmulParams>();
  return def;
}

Trial with(const WorkloadDef& def, std::string_view param, Value value) {
  Trial trial = default_trial(def);
  trial.values[*def.index_of(param)] = std::move(value);
  return trial;
}

// Frozen: databases in the field contain these keys. Each is FNV-1a 128 of the text beside it.
TEST(TrialKey, NeverChanges) {
  WorkloadDef def = matmul();
  EXPECT_EQ(key_of(def, default_trial(def)), "e8919b99d9659b10982286f64a43a959");  // matmul/1
  Trial trial = with(def, "size", std::int64_t{8192});
  trial.values[1] = std::string("bf16");
  EXPECT_EQ(key_of(def, trial),
            "c371ff0058ac14d17b9938295374ec83");  // matmul/1|precision=bf16|size=8192
  def.version = 2;
  EXPECT_EQ(key_of(def, default_trial(def)), "e8919b99d6659b10982286f64a43a5a8");  // matmul/2
}

// 1MB is shown, but the key hashes the text that it always has.
TEST(TrialKey, OfBytesHashesPowersOf1024) {
  ParamDef param;
  param.name = "bytes";
  param.type = ValueType::kBytes;
  param.default_value = std::int64_t{0};
  EXPECT_EQ(param.text(std::int64_t{1'000'000}), "1MB");
  EXPECT_EQ(key_text(param, std::int64_t{1'000'000}), "1000000B");
  EXPECT_EQ(key_text(param, std::int64_t{64'000'000}), "62500KiB");
  EXPECT_EQ(key_text(param, std::int64_t{1} << 30), "1GiB");
  EXPECT_EQ(key_text(param, std::int64_t{0}), "0B");
}

TEST(TrialKey, SchedulingIsNotWhatIsMeasured) {
  const WorkloadDef def = matmul();
  EXPECT_EQ(key_of(def, with(def, "repeats", std::int64_t{5})), key_of(def, default_trial(def)));
  EXPECT_NE(key_of(def, with(def, "size", std::int64_t{5})), key_of(def, default_trial(def)));
}

// A later parameter whose default keeps the old behaviour keeps the old results.
TEST(TrialKey, ANewParameterKeepsOldKeys) {
  const WorkloadDef old_def = matmul();
  WorkloadDef new_def = matmul();
  ParamDef added;
  added.name = "layout";
  added.type = ValueType::kChoice;
  added.choices = {"row", "column"};
  added.default_value = std::string("row");
  new_def.params.insert(new_def.params.begin(), added);
  const Trial old_trial = with(old_def, "size", std::int64_t{64});
  const Trial new_trial = with(new_def, "size", std::int64_t{64});
  EXPECT_EQ(key_of(old_def, old_trial), key_of(new_def, new_trial));
  EXPECT_NE(key_of(new_def, new_trial),
            key_of(new_def, with(new_def, "layout", std::string("column"))));
}

TEST(TrialKey, IsOfTheWorkload) {
  WorkloadDef other = matmul();
  other.name = "memcpy";
  EXPECT_NE(key_of(other, default_trial(other)), key_of(matmul(), default_trial(matmul())));
}

TEST(Trial, LabelShowsWhatDiffersFromTheDefaults) {
  const WorkloadDef def = matmul();
  EXPECT_EQ(label_of(def, default_trial(def)), "");
  Trial trial = with(def, "size", std::int64_t{64});
  trial.values[1] = std::string("bf16");
  trial.values[2] = std::int64_t{3};
  EXPECT_EQ(label_of(def, trial), "size=64 precision=bf16 repeats=3");
}

TEST(Trial, LabelNamesAxesFirstAlsoAtTheirDefaults) {
  const WorkloadDef def = matmul();
  const std::vector<std::size_t> axes{1, 0};  // precision, size
  EXPECT_EQ(label_of(def, default_trial(def), axes), "precision=fp32 size=4096");
  Trial trial = with(def, "size", std::int64_t{64});
  trial.values[2] = std::int64_t{3};
  EXPECT_EQ(label_of(def, trial, axes), "precision=fp32 size=64 repeats=3");
}

TEST(Trial, AxesAreThoseOfMatrixZipAndIncludeEachOnce) {
  Sweep sweep;
  sweep.params = {{5, std::int64_t{1}}};
  sweep.matrix = {{3, {std::int64_t{1}}}};  // with one value too
  sweep.zip = {{{{1, {}}, {0, {}}}}};
  sweep.include = {{{0, std::int64_t{1}}, {4, std::int64_t{1}}}};
  EXPECT_EQ(axes_of(sweep), (std::vector<std::size_t>{3, 1, 0, 4}));
}

TEST(Trial, ValuesByName) {
  const WorkloadDef def = matmul();
  const Trial trial = with(def, "precision", std::string("bf16"));
  EXPECT_EQ(trial.integer(def, "size"), 4096);
  EXPECT_EQ(trial.text(def, "precision"), "bf16");
}

TEST(Names, PassesAndOrdersReadBack) {
  for (const Pass pass : {Pass::kTiming, Pass::kMemory, Pass::kProfile}) {
    EXPECT_EQ(*pass_from(name_of(pass)), pass);
  }
  for (const Order order : {Order::kInterleaved, Order::kSequential, Order::kShuffled}) {
    EXPECT_EQ(*order_from(name_of(order)), order);
  }
  EXPECT_FALSE(pass_from("trace"));
  EXPECT_FALSE(order_from("random"));
}

}  // namespace
}  // namespace sweepd
