#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "runner/base/ids.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/model/sweep/sentinel.h"
#include "runner/model/sweep/trial.h"
#include "runner/model/vocabulary/catalog.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/sweepfile/sweep/overrides.h"
#include "runner/sweepfile/sweep/plugin.h"
#include "runner/sweepfile/sweep/program.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "runner/sweepfile/sweep/table_pooling.h"
#include "runner/sweepfile/yaml/draft.h"
#include "runner/sweepfile/yaml/load.h"
#include "runner/sweepfile/yaml/product.h"
#include "runner/sweepfile/yaml/reporter.h"
#include "runner/sweepfile/yaml/sections.h"
#include "runner/sweepfile/yaml/utf8.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd {
namespace sweepfile {
namespace {

void read_name(Reporter& report, Draft& draft, const Node& node) {
  const auto name = read_text(report, "sweep", node);
  if (!name) return;
  draft.name_mark = node.mark;
  if (is_sweep_name(*name, kLongestGivenName)) {
    draft.sweep.name = *name;
  } else {
    report.error(node.mark, fmt::format("sweep: `{}` is not a name; expected 1 to 64 letters, "
                                        "digits, `.`, `_` or `-`",
                                        shown(*name)));
  }
}

// Reads the workload before every other key, wherever it is in the file, because it decides which
// names are valid.
void read_workload(Reporter& report, const Catalog& catalog, const PluginFinder& plugins,
                   FilePrograms& programs, Draft& draft, const Node& root) {
  if (has_program(root)) return read_program(report, catalog, programs, draft, root);
  for (const auto& [key, node] : root.entries) {
    if (key->text != "workload") continue;
    if (node->is_scalar() && is_plugin(plugins, node->text)) {
      return read_plugin(report, catalog, plugins, draft, *node);
    }
    std::vector<std::string> names = catalog.names();
    for (const auto& [name, program] : programs) names.push_back(name);
    const auto name = read_word(report, "workload", names, *node);
    if (!name) return;
    draft.sweep.workload = *name;
    const auto program = programs.find(*name);
    if (program != programs.end()) draft.sweep.program = program->second;
    draft.def = draft.sweep.program ? draft.sweep.program.get() : catalog.find(*name);
    if (plugins.find && draft.def->base == kPluginBase) {
      report.error(node->mark,
                   fmt::format("workload: `{}` is a plugin's, whose file is needed", *name),
                   "write `workload: ./NAME.so`, or list it under `plugins` in the configuration");
    }
    return;
  }
  report.error(root.mark, "`workload` is missing",
               "expected one of " + join(catalog.names(), ", "));
}

void read_passes(Reporter& report, Draft& draft, const Node& node) {
  const std::string help =
      node.is_scalar() && node.text.size() <= 60 ? fmt::format("write [{}]", node.text) : "";
  if (!expect_list(report, "passes", "a list of passes", node, help)) return;
  if (node.items.empty()) report.error(node.mark, "passes: the list is empty");
  draft.sweep.passes.clear();
  for (const NodePtr& item : node.items) {
    const auto name = read_word(report, "passes", pass_words(), *item);
    if (!name) continue;
    const Pass pass = *pass_from(*name);
    auto& passes = draft.sweep.passes;
    const std::vector<std::string>* offered = draft.def ? &draft.def->passes : nullptr;
    if (offered && std::find(offered->begin(), offered->end(), *name) == offered->end()) {
      report.error(item->mark, fmt::format("passes: {} has no {} pass; it has {}", draft.def->name,
                                           *name, join(*offered, ", ")));
    } else if (std::find(passes.begin(), passes.end(), pass) != passes.end()) {
      report.error(item->mark, fmt::format("passes: `{}` is listed twice", *name));
    } else {
      passes.push_back(pass);
    }
  }
}

void read_order(Reporter& report, Draft& draft, const Node& node) {
  const auto name = read_word(report, "order", {"interleaved", "sequential", "shuffled"}, node);
  if (name) draft.sweep.order = *order_from(*name);
}

void read_sentinel(Reporter& report, const Catalog& catalog, Draft& draft, const Node& node) {
  const auto text = read_text(report, "sentinel", node);
  if (!text) return;
  const auto every = parse_duration(*text);
  if (!every || *every < kLeastSentinelInterval || *every > kMostSentinelInterval) {
    report.error(node.mark, fmt::format("sentinel: `{}` is not how often it runs; expected a "
                                        "duration from 1s to 24h, such as 5m",
                                        shown(*text)));
  } else if (catalog.find(kSentinelWorkload) == nullptr) {
    report.error(node.mark, fmt::format("sentinel: it measures `{}`, which this worker lacks",
                                        kSentinelWorkload));
  } else if (draft.def != nullptr && draft.def->analytic) {
    report.error(node.mark, fmt::format("sentinel: {} consists of formulas, which do not depend "
                                        "on the machine",
                                        draft.def->name));
  } else {
    draft.sweep.sentinel = *every;
  }
}

std::vector<Field> fields_of(Reporter& report, const Catalog& catalog, Draft& draft) {
  using Reader = void (*)(Reporter&, Draft&, const Node&);
  const auto section = [&](const char* name, Reader read) {
    return Field{name, [&, read](const Node&, const Node& value) { read(report, draft, value); }};
  };
  return {section("sweep", read_name),
          {"description",
           [&](const Node&, const Node& value) {
             if (auto text = read_text(report, "description", value)) {
               draft.sweep.description = std::move(*text);
             }
           }},
          // read_workload has read these
          {"workload", [](const Node&, const Node&) {}},
          {"program", [](const Node&, const Node&) {}},
          {"parameters", [](const Node&, const Node&) {}},
          {"metrics", [](const Node&, const Node&) {}},
          {"phases", [](const Node&, const Node&) {}},
          section("passes", read_passes),
          section("params", read_params),
          section("work", read_work),
          {"matrix",
           [&](const Node& key, const Node& value) {
             draft.size_mark = key.mark;
             read_matrix(report, draft, value);
           }},
          {"zip",
           [&](const Node& key, const Node& value) {
             if (draft.size_mark.line == 0) draft.size_mark = key.mark;
             read_zip(report, draft, value);
           }},
          section("exclude", read_exclude),
          section("include", read_include),
          section("order", read_order),
          {"sentinel",
           [&](const Node&, const Node& value) { read_sentinel(report, catalog, draft, value); }},
          {"frontier",
           [&](const Node&, const Node& value) {
             const auto word = read_word(report, "frontier", {"on", "off"}, value);
             if (word) draft.sweep.frontier = *word == "on";
           }},
          section("tables", read_tables),
          section("plots", read_plots)};
}

void check_required(Reporter& report, const Draft& draft, const Node& root) {
  const auto given = [&](std::string_view name) { return entry_in(root, name) != nullptr; };
  if (!given("sweep"))
    report.error(root.mark, "`sweep` is missing", "give it a name: `sweep: ...`");
  if (draft.def && !given("passes")) {
    const auto& passes = draft.def->passes;
    if (std::find(passes.begin(), passes.end(), "timing") == passes.end()) {
      report.error(root.mark,
                   fmt::format("{} has no timing pass; name its passes with `passes`: {}",
                               draft.def->name, join(passes, ", ")));
    }
  }
}

// Returns what the documents say of their names and workloads, without looking for mistakes.
SweepsInFile sweeps_in(const std::vector<Document>& documents) {
  SweepsInFile found;
  for (const Document& document : documents) {
    std::string name, workload;
    for (const auto& [key, value] : document.root->entries) {
      if (key->text == "sweep") name = value->text;
      if (key->text == "workload") workload = value->text;
    }
    found.emplace(name, workload);
  }
  return found;
}

// Reads one YAML document into one sweep. The draft is complete only if nothing was reported. Adds
// the document's program to `programs`.
Draft read_document(Reporter& report, const Catalog& catalog, const PluginFinder& plugins,
                    FilePrograms& programs, const SweepsInFile& in_file, const Document& document) {
  Draft draft;
  draft.catalog = &catalog;
  draft.in_file = in_file;
  draft.sweep.source = document.source;
  const Node& root = *document.root;
  if (!expect_map(report, "a sweep", root)) return draft;
  read_workload(report, catalog, plugins, programs, draft, root);
  read_fields(
      report, "a sweep", root, fields_of(report, catalog, draft), [&](const std::string& key) {
        const bool param = draft.def != nullptr && draft.def->index_of(key).has_value();
        return param ? fmt::format("`{}` is a parameter of {}; put it under `params` or `matrix`",
                                   key, draft.def->name)
                     : std::string();
      });
  check_required(report, draft, root);
  if (draft.def != nullptr) check_exclude(report, draft);
  set_own_defaults(draft);
  if (draft.size_mark.line == 0) draft.size_mark = draft.name_mark;
  return draft;
}

}  // namespace
}  // namespace sweepfile

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
                    const PlotCheck& plot_check, const PluginFinder& plugins) {
  const sweepfile::SourceText source(sweepfile::without_byte_order_mark(text));
  Reporter report(source, file);
  const std::vector<sweepfile::Document> documents = sweepfile::load_documents(source, report);
  std::vector<Draft> drafts;
  drafts.reserve(documents.size());
  sweepfile::FilePrograms programs;
  const sweepfile::SweepsInFile in_file = sweepfile::sweeps_in(documents);
  for (const sweepfile::Document& document : documents) {
    drafts.push_back(
        sweepfile::read_document(report, catalog, plugins, programs, in_file, document));
  }
  check_names(report, drafts);
  for (const Draft& draft : drafts) {
    sweepfile::check_tables(report, draft, check);
    sweepfile::check_plots(report, draft, plot_check);
  }
  if (documents.empty() && !report.any()) {
    report.error(sweepfile::SourcePlace{1, 1, 1}, "the file has no sweep",
                 "begin with `sweep: name`");
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
