// Tests that published figures are read as their mapping says, and that mistakes have their places.
#include "runner/sweepfile/reference/reference.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "runner/sweepfile/yaml/csv.h"
#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

ParsedReference reference(const std::string& rows, const std::string& mapping = "reference: r\n") {
  return parse_reference({rows, "r.csv", mapping, "r.yaml"}, catalog());
}

std::string reference_mistakes(const std::string& rows,
                               const std::string& mapping = "reference: r\n") {
  const ParsedReference parsed = reference(rows, mapping);
  EXPECT_EQ(parsed.errors.empty(), !parsed.reference.rows.empty());
  return render(parsed.errors);
}

TEST(Csv, QuotesLinesAndPlaces) {
  const auto csv = sweepfile::parse_csv("a,b\r\n\"x,\"\"y\"\"\",\"two\nlines\"\n\nlast,\n");
  EXPECT_EQ(csv.fault_line, 0);
  ASSERT_EQ(csv.rows.size(), 3U);
  EXPECT_THAT(csv.rows[1].cells, ElementsAre("x,\"y\"", "two\nlines"));
  EXPECT_EQ(csv.rows[2].line, 5);
  EXPECT_THAT(csv.rows[2].cells, ElementsAre("last", ""));
  EXPECT_EQ(sweepfile::parse_csv("a\n\"b\n").fault_line, 2);
  EXPECT_EQ(sweepfile::parse_csv("a\n\"b\"c\n").fault_line, 2);
  EXPECT_TRUE(sweepfile::parse_csv("").rows.empty());
}

const std::string kRows =
    "source,workload,metric,unit,value,std,model,context,made_up\n"
    "003,lm_step,time,s,0.5,0.1,small,2K,x\n"
    "003,,speed,x,3,,,,\n";

TEST(Reference, ColumnsAreFieldsAndParameters) {
  const ParsedReference parsed = reference(kRows);
  ASSERT_EQ(render(parsed.errors), "");
  ASSERT_EQ(parsed.reference.rows.size(), 2U);
  const ReferenceRow& row = parsed.reference.rows[0];
  EXPECT_EQ(row.line, 2);
  EXPECT_EQ(row.source, "003");
  EXPECT_EQ(row.unit, "s");
  EXPECT_DOUBLE_EQ(row.value, 0.5);
  EXPECT_DOUBLE_EQ(row.std, 0.1);
  EXPECT_THAT(row.params, ElementsAre(Pair("context", "2000"), Pair("model", "small")));
  EXPECT_EQ(parsed.reference.rows[1].workload, "");
  EXPECT_TRUE(std::isnan(parsed.reference.rows[1].std));
}

TEST(Reference, RulesApplyInOrder) {
  const ParsedReference parsed = reference(
      "who,metric,value,std,pass,size\n001_x,sum,20,2,forward,small\n002_y,time,3,,backward,xl\n",
      "reference: r\n"
      "columns: {model: size}\n"
      "rules:\n"
      "  - {when: {who: 001_*}, set: {source: '001'}, doubt: a sum}\n"
      "  - {when: {who: [002_y]}, set: {source: '002'}, doubt: too fast, invalid: true}\n"
      "  - {set: {workload: lm_step}}\n"
      "  - {when: {metric: sum}, set: {metric: time}, divide: 10}\n"
      "  - {when: {pass: [forward, backward], who: 001_*}, set: {mode: forward}}\n");
  ASSERT_EQ(render(parsed.errors), "");
  const ReferenceRow& first = parsed.reference.rows[0];
  EXPECT_EQ(first.source, "001");
  EXPECT_EQ(first.metric, "time");
  EXPECT_DOUBLE_EQ(first.value, 2);
  EXPECT_DOUBLE_EQ(first.std, 0.2);
  EXPECT_THAT(first.doubts, ElementsAre("a sum"));
  EXPECT_FALSE(first.invalid);
  EXPECT_THAT(first.params, ElementsAre(Pair("mode", "forward"), Pair("model", "small")));
  const ReferenceRow& second = parsed.reference.rows[1];
  EXPECT_TRUE(second.invalid);
  EXPECT_THAT(second.params, ElementsAre(Pair("model", "xl")));
}

TEST(Reference, ARuleCopiesColumnsForItsRowsAndRemarks) {
  const ParsedReference parsed = reference(
      "source,workload,metric,value,what,size\n001,lm_step,kernel_time,2,gemm,small\n"
      "001,lm_step,time,3,eager,xl\n",
      "reference: r\nrules:\n"
      "  - when: {metric: kernel_time}\n    copy: {kernel: what, model: size}\n"
      "    remark: of one step\n");
  ASSERT_EQ(render(parsed.errors), "");
  const ReferenceRow& kernel = parsed.reference.rows[0];
  EXPECT_THAT(kernel.params, ElementsAre(Pair("kernel", "gemm"), Pair("model", "small")));
  EXPECT_THAT(kernel.remarks, ElementsAre("of one step"));
  EXPECT_TRUE(kernel.doubts.empty());
  EXPECT_TRUE(parsed.reference.rows[1].params.empty());
  EXPECT_THAT(reference_mistakes(kRows, "reference: r\nrules: [{copy: {model: modle}}]\n"),
              HasSubstr("copy: the file has no column `modle`"));
}

TEST(Reference, APointWithoutAFigureMayBeOfEveryPhase) {
  const std::string head = "source,workload,metric,value,outcome,phase\n";
  const ParsedReference parsed = reference(head + "003,lm_step,time,,oom,*\n", "reference: r\n");
  ASSERT_EQ(render(parsed.errors), "");
  EXPECT_EQ(parsed.reference.rows[0].phase, "");
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,1,,*\n"),
              HasSubstr("phase: `*` is of a point without a figure"));
}

TEST(ReferenceMistakes, InTheRows) {
  const std::string head = "source,workload,metric,value,model,outcome,n\n";
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,1,small,,\n003,lm_step,time,1,smal,,\n"),
              HasSubstr("r.csv:3:1: error: model: `smal`"));
  EXPECT_THAT(reference_mistakes(head + "003,lmstep,time,1,,,\n"),
              HasSubstr("workload: `lmstep` is not one of"));
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,,,,\n"),
              HasSubstr("r.csv:2:1: error: `value` is empty"));
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,fast,,,\n"), HasSubstr("value: "));
  EXPECT_THAT(reference_mistakes(head + ",lm_step,time,1,,,\n"), HasSubstr("`source` is empty"));
  EXPECT_THAT(reference_mistakes(head + "measured,lm_step,time,1,,,\n"),
              HasSubstr("the name of measured results"));
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,,,lost,\n"),
              HasSubstr("outcome: `lost` is not one of"));
  EXPECT_THAT(reference_mistakes(head + "003,lm_step,time,1,,,0\n"),
              HasSubstr("n: `0` is not a number of steps"));
  EXPECT_THAT(reference_mistakes(head + "003,lm_step\n"),
              HasSubstr("2 values in a row; the first row has 7 columns"));
  EXPECT_THAT(reference_mistakes(head), HasSubstr("expected a row with the names of the columns"));
  EXPECT_THAT(reference_mistakes(head + "\"003\n"),
              HasSubstr("r.csv:2:1: error: a quote is not closed"));
}

TEST(ReferenceMistakes, InTheMapping) {
  EXPECT_THAT(reference_mistakes(kRows, "columns: {model: size}\n"),
              HasSubstr("r.yaml:1:18: error: columns: the file has no column `size`"));
  EXPECT_THAT(reference_mistakes(kRows, "name: r\n"),
              HasSubstr("`name` is not a key of a mapping"));
  EXPECT_THAT(reference_mistakes(kRows, "reference: r\nrules: [{when: {modle: small}}]\n"),
              HasSubstr("r.yaml:2:17: error: when: the file has no column `modle`"));
  EXPECT_THAT(reference_mistakes(kRows, "reference: r\nrules: [{divide: 0}]\n"),
              HasSubstr("divide: `0` is not a number above 0"));
  EXPECT_THAT(reference_mistakes(kRows, "reference: r\nrules: [{invalid: true}]\n"),
              HasSubstr("invalid: give the reason under `doubt`"));
}

std::string shipped(const std::string& name) {
  std::ifstream file(std::string(SWEEPD_SOURCE_DIR) + "/experiments/reference/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Csv, OfTheShippedReferenceHasAllItsRows) {
  EXPECT_EQ(sweepfile::parse_csv(shipped("writeups.csv")).rows.size(), 2173U);
}

}  // namespace
}  // namespace sweepd::test
