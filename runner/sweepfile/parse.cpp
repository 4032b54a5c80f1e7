#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <utility>

#include "runner/base/units.h"
#include "runner/sweepfile/document.h"
#include "runner/sweepfile/load.h"
#include "runner/sweepfile/overrides.h"
#include "runner/sweepfile/plots.h"
#include "runner/sweepfile/product.h"
#include "runner/sweepfile/reporter.h"
#include "runner/sweepfile/sweepfile.h"
#include "runner/sweepfile/table_pooling.h"
#include "runner/sweepfile/tables.h"
#include "runner/sweepfile/utf8.h"

namespace sweepd {
namespace {

using sweepfile::Draft;
using sweepfile::kMaxPoints;
using sweepfile::Reporter;

// Two sweeps of one name in one file are probably a copied document whose name was not changed.
void check_names(Reporter& report, const std::vector<Draft>& drafts) {
  std::map<std::string, int> lines;
  for (const Draft& draft : drafts) {
    if (draft.sweep.name.empty()) continue;
    const auto [first, added] = lines.try_emplace(draft.sweep.name, draft.name_mark.line);
    if (added) continue;
    report.error(draft.name_mark, fmt::format("a sweep `{}` is already in this file, at line {}",
                                              draft.sweep.name, first->second));
  }
}

// Checked after the overrides, since a file that is too large may be run in parts.
void check_size(Reporter& report, const Draft& draft) {
  const std::int64_t points = count_points(draft.sweep);
  if (points <= kMaxPoints) return;
  const std::string count = points == INT64_MAX ? "more than 2^63" : with_thousands(points);
  report.error(draft.size_mark, fmt::format("the sweep has {} points; at most {}", count,
                                            with_thousands(kMaxPoints)));
}

}  // namespace

Parsed parse_sweeps(std::string_view text, std::string_view file, const Catalog& catalog,
                    const std::vector<Override>& overrides, const TableCheck& check,
                    const PlotCheck& plot_check) {
  const sweepfile::SourceText source(sweepfile::without_byte_order_mark(text));
  Reporter report(source, file);
  const std::vector<sweepfile::Document> documents = sweepfile::load_documents(source, report);
  std::vector<Draft> drafts;
  drafts.reserve(documents.size());
  sweepfile::FilePrograms programs;
  const sweepfile::SweepsInFile in_file = sweepfile::sweeps_in(documents);
  for (const sweepfile::Document& document : documents) {
    drafts.push_back(sweepfile::read_document(report, catalog, programs, in_file, document));
  }
  check_names(report, drafts);
  for (const Draft& draft : drafts) {
    sweepfile::check_tables(report, draft, check);
    sweepfile::check_plots(report, draft, plot_check);
  }
  if (documents.empty() && !report.any()) {
    report.error(sweepfile::Place{1, 1, 1}, "the file has no sweep", "begin with `sweep: name`");
  }
  Parsed parsed;
  if (!report.any()) parsed.unfit = sweepfile::apply_overrides(report, drafts, overrides);
  if (!report.any()) {
    for (Draft& draft : drafts) spell_out_args(report, draft);
  }
  if (!report.any()) {
    for (const Draft& draft : drafts) check_size(report, draft);
  }
  if (!report.any()) sweepfile::check_pooling(report, drafts, overrides);
  parsed.errors = report.take();
  if (!parsed.errors.empty()) return parsed;
  for (Draft& draft : drafts) parsed.sweeps.push_back(std::move(draft.sweep));
  return parsed;
}

}  // namespace sweepd
