// Tests `reports: {format: ..., file: ..., map: ...}` of a program.
#include <gmock/gmock.h>

#include "runner/model/vocabulary/program.h"
#include "runner/sweepfile/sweep/templates.h"
#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ReportingParams {
  std::string argv, reports = "samples", reports_file, reports_map;
  void visit(auto& field) {
    field("argv", argv, "what to run", form_of(TextForm::kCommandLine));
    field("reports", reports, "", one_of({"samples", "nothing", "csv", "ndjson", "hyperfine"}));
    field("reports_file", reports_file, "", form_of(TextForm::kTemplate, {"steps"}), Scheduling());
    field("reports_map", reports_map, "", Scheduling());
  }
};

const Catalog& reporting_catalog() {
  static const Catalog catalog{{workload<ReportingParams>("command", {"timing"}, {})}};
  return catalog;
}

std::string with_reports(const std::string& reports) {
  return "sweep: a\nprogram: mm\nparameters: {batch: 8}\nparams:\n  argv: a\n  reports: " +
         reports + "\n";
}

Sweep reporting_sweep(const std::string& reports) {
  Parsed parsed = parse_sweeps(with_reports(reports), "f.yaml", reporting_catalog(), {});
  EXPECT_EQ(render(parsed.errors), "");
  return parsed.sweeps.empty() ? Sweep{} : std::move(parsed.sweeps.front());
}

std::string reporting_key(const Sweep& sweep) {
  return expand(sweep, *sweep.program).trials.at(0).key;
}

TEST(ReportsSection, SetsParametersThatAreNoPartOfTheKey) {
  const Sweep sweep = reporting_sweep(
      "{format: csv, file: 'out/{batch}.csv', map: {step: iter, time: ms/iter, 'time.load:s': l}}");
  const auto value = [&](const char* name) {
    const auto found =
        std::ranges::find(sweep.params, *sweep.program->index_of(name), &Setting::param);
    return found == sweep.params.end() ? Value("none") : found->value;
  };
  EXPECT_EQ(value("reports"), Value("csv"));
  EXPECT_EQ(value("reports_file"), Value("out/{batch}.csv"));
  EXPECT_EQ(value("reports_map"), Value("step = iter\ntime = ms/iter\ntime.load:s = l\n"));
  EXPECT_EQ(reporting_key(sweep), reporting_key(reporting_sweep("csv")));
  EXPECT_EQ(mistake_in_templates(*sweep.program, expand(sweep, *sweep.program), sweep),
            std::nullopt);
  const Sweep typo = reporting_sweep("{format: csv, file: 'out/{bach}.csv'}");
  EXPECT_THAT(mistake_in_templates(*typo.program, expand(typo, *typo.program), typo).value_or(""),
              HasSubstr("reports_file: "));
}

TEST(ReportsSection, MistakesHaveTheirPlace) {
  const struct {
    std::string reports, mistake;
  } rows[] = {
      {"{format: csv, maps: {}}",
       "6:26 `maps` is not a key of reports; expected one of format, file, map"},
      {"{file: a.csv}", "6:12 reports: `format` is missing"},
      {"{format: cvs}", "6:21 reports: `cvs` is not one of"},
      {"{format: csv, file: ../a.csv}", "6:32 reports: file: `../a.csv`; expected a file below"},
      {"{format: csv, file: /a.csv}", "6:32 reports: file: `/a.csv`; expected a file below"},
      {"{format: csv, map: [a]}", "6:31 reports: map: expected a map"},
      {"{format: csv, map: {val/loss: x}}",
       "6:32 reports: map: `val/loss`: `val/loss` is not the name of a metric"},
      {"{format: csv, map: {'loss:s': x}}", "6:32 reports: map: `loss:s`: `loss` is no time"},
      {"{format: csv, map: {time: x, loss: x}}", "6:47 reports: map: `x` is `time` already"},
      {"{format: csv, map: {time: ''}}", "6:38 reports: map: `time` names no column and no key"},
      {"{format: hyperfine, map: {time: x}}",
       "6:32 reports: `map` is for csv and ndjson, and the format is hyperfine"},
      {"{format: nothing, file: x}", "6:30 reports: `nothing` is no format of a file"},
      {"{format: csv, file: a}\n  reports_file: b",
       "7:3 `reports_file` is given under reports too"},
      {"csv\nmatrix: {reports: [{format: csv}]}",
       "7:10 `reports` is given under params too, at line 6"},
  };
  for (const auto& row : rows) {
    std::vector<std::string> found;
    for (const Diagnostic& d :
         parse_sweeps(with_reports(row.reports), "f.yaml", reporting_catalog(), {}).errors) {
      found.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message);
    }
    EXPECT_THAT(found, testing::Contains(HasSubstr(row.mistake))) << row.reports;
  }
}

}  // namespace
}  // namespace sweepd::test
