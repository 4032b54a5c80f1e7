// Tests the line with the common properties of a table's figures.
#include "runner/report/table/table_caption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/model/vocabulary/param.h"

namespace sweepd {
namespace {

using testing::ElementsAre;

struct CaptionedParams {
  std::string model = "small";
  std::int64_t batch = 4;
  std::int64_t context = 256;
  std::string precision = "fp32";
  bool causal = false;
  double dropout = 0;
  std::int64_t layers = 0;
  std::string note = "";
  Bytes buffer = 64_KiB;
  void visit(auto& field) {
    field("model", model, "", one_of({"small", "xl"}), Matters());
    field("batch", batch, "", Matters());
    field("context", context, "", Matters());
    field("precision", precision, "", one_of({"fp32", "bf16"}), Matters());
    field("causal", causal, "", Matters());
    field("dropout", dropout, "");
    field("layers", layers, "0 is the model's");
    field("note", note, "");
    field("buffer", buffer, "");
  }
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNoon = 1'795'694'400 * kSecond;  // of 2026-11-26
constexpr std::int64_t kDay = 86'400 * kSecond;

// A source whose parameters have these values besides their defaults.
class Source {
 public:
  Source() {
    def_.params = describe_params<CaptionedParams>();
    for (std::size_t i = 0; i < def_.params.size(); ++i) {
      with_.params.push_back({i, {def_.params[i].default_value}, false});
    }
    with_.devices = {"NVIDIA H100"};
    with_.programs = {"0.2.0"};
    with_.first = with_.last = WallTime{kNoon};
  }
  Source& values(const std::string& name, std::vector<Value> values, bool several = false) {
    auto& param = with_.params[*def_.index_of(name)];
    param.values = std::move(values);
    param.several = several;
    return *this;
  }
  MeasuredWith& with() { return with_; }
  WorkloadDef& def() { return def_; }
  CaptionSource get() const { return {&def_, with_}; }

 private:
  WorkloadDef def_;
  MeasuredWith with_;
};

QuerySpec rows(std::vector<std::string> names) {
  QuerySpec query;
  query.table.rows = std::move(names);
  return query;
}

Table captioned(const Source& source, const QuerySpec& query) {
  Table table;
  set_caption(table, {source.get()}, query);
  return table;
}

TEST(TableCaption, BesidePublishedFiguresSaysWhatIsOfTheMeasuredOnes) {
  QuerySpec query = rows({"model", "context", "source"});
  query.table.where = {{"precision", {"fp32"}}};
  EXPECT_EQ(captioned(Source(), query).caption,
            "fp32; measured: batch 4, not causal; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
  Source formula;
  formula.def().analytic = true;
  EXPECT_EQ(captioned(formula, query).caption,
            "fp32; by formula: batch 4, not causal; 2026-11-26; sweepd 0.2.0");
  query.table.metric = "figure.weights_bytes";
  EXPECT_EQ(captioned(Source(), query).caption,
            "fp32; by formula: batch 4, not causal; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, NamesWhatMattersAndIsNoAxis) {
  const Table table = captioned(Source(), rows({"model"}));
  EXPECT_EQ(table.caption,
            "batch 4, context 256, fp32, not causal; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
  const auto constant = [](const char* name, const char* value) {
    return Table::Constant{name, value};
  };
  EXPECT_THAT(
      table.constants,
      ElementsAre(constant("batch", "4"), constant("context", "256"), constant("precision", "fp32"),
                  constant("causal", "false"), constant("device_name", "NVIDIA H100"),
                  constant("date", "2026-11-26"), constant("sweepd", "0.2.0")));
}

TEST(TableCaption, ADefaultThatDoesNotMatterIsNamedOnceItIsSet) {
  Source source;
  source.values("dropout", {0.1})
      .values("causal", {true})
      .values("buffer", {std::int64_t{1 << 20}});
  source.values("note", {std::string("secret")});
  EXPECT_EQ(captioned(source, rows({"model", "batch", "context", "device_name"})).caption,
            "fp32, causal, dropout 0.1, buffer 1MiB; 2026-11-26; sweepd 0.2.0")
      << "a text is never named, because it may be long or private";
}

TEST(TableCaption, WhatDiffersWithinTheTableIsSaid) {
  Source source;
  source.values("context", {std::int64_t{64}, std::int64_t{4096}}, true)
      .values("batch", {std::int64_t{1}, std::int64_t{4}})
      .values("precision", {std::string("bf16"), std::string("fp32")});
  EXPECT_EQ(captioned(source, rows({"model"})).caption,
            "not causal; within the table: batch 1, 4; context 64 to 4096; precision bf16, fp32; "
            "NVIDIA H100; 2026-11-26; sweepd 0.2.0");
  QuerySpec query = rows({"model", "batch", "context"});
  query.table.values.resize(2);
  query.table.values[0].where = {{"precision", {"fp32"}}};
  query.table.values[1].where = {{"precision", {"bf16"}}};
  EXPECT_EQ(captioned(source, query).caption, "not causal; NVIDIA H100; 2026-11-26; sweepd 0.2.0")
      << "the columns have the precision";
}

TEST(TableCaption, ADefaultOfZeroIsNoValue) {
  Source source;
  source.values("layers", {std::int64_t{0}, std::int64_t{4}});
  EXPECT_EQ(captioned(source, rows({"model", "batch", "context", "precision", "causal"})).caption,
            "in some rows: layers 4; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, WhatIsComputedNamesNoDevice) {
  Source source;
  source.def().analytic = true;
  EXPECT_EQ(captioned(source, rows({"model", "batch", "context", "causal"})).caption,
            "fp32; by formula; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, ADroppedRowIsAConstant) {
  QuerySpec query = rows({"model", "batch", "context", "precision", "causal"});
  query.only_varying = true;
  Source source;
  source.values("context", {std::int64_t{64}, std::int64_t{128}}, true);
  EXPECT_EQ(captioned(source, query).caption,
            "model small, batch 4, fp32, not causal; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, AFilterIsNamedThoughItsValueIsADefault) {
  QuerySpec query = rows({"model", "batch", "context", "causal", "precision"});
  query.table.where = {{"dropout", {"0"}}};
  EXPECT_EQ(captioned(Source(), query).caption, "dropout 0; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, SeveralSourcesAreOneCaption) {
  Source first, second;
  second.values("batch", {std::int64_t{8}});
  second.with().devices = {"AMD EPYC"};
  second.with().programs = {"0.1.0"};
  second.with().last = WallTime{kNoon + 2 * kDay};
  Table table;
  set_caption(table, {first.get(), second.get()}, rows({"model", "causal"}));
  EXPECT_EQ(table.caption,
            "context 256, fp32; within the table: batch 4, 8; AMD EPYC, NVIDIA H100; 2026-11-26 to "
            "2026-11-28; sweepd 0.1.0, 0.2.0");
}

TEST(TableCaption, WhatASweepFileDeclaredIsNamedWithItsUnit) {
  Source source;
  ParamDef& note = source.def().params[*source.def().index_of("note")];
  note.declared = true;
  note.unit = "MB";
  source.values("note", {std::string("12")});
  EXPECT_EQ(captioned(source, rows({"model", "batch", "context", "precision", "causal"})).caption,
            "note 12 MB; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
  source.values("note", {std::string(50, 'x')});
  EXPECT_EQ(captioned(source, rows({"model", "batch", "context", "precision", "causal"})).caption,
            "note " + std::string(40, 'x') + "… MB; NVIDIA H100; 2026-11-26; sweepd 0.2.0");
}

TEST(TableCaption, NothingIsSaidOfWhatNeverRan) {
  Source source;
  for (auto& param : source.with().params) param.values.clear();
  source.with().devices.clear();
  source.with().programs.clear();
  source.with().first = source.with().last = std::nullopt;
  const Table table = captioned(source, rows({"model"}));
  EXPECT_EQ(table.caption, "");
  EXPECT_TRUE(table.constants.empty());
}

}  // namespace
}  // namespace sweepd
