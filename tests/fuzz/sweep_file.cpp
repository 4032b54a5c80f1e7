#include <algorithm>
#include <string>

#include "runner/sweepfile/config/config.h"
#include "runner/sweepfile/reference/reference.h"
#include "runner/sweepfile/study/study.h"
#include "runner/sweepfile/sweep/sweepfile.h"
#include "tests/fuzz/target.h"
#include "tests/sweepfile/catalog.h"

namespace sweepd::fuzz {
namespace {

struct ProgramParams {
  std::string argv, args, python;
  std::int64_t size = 0;
  void visit(auto& field) {
    const std::vector<std::string> names{"size", "steps", "folder", "python", "scripts"};
    field("argv", argv, "what to run", form_of(TextForm::kCommandLine, names));
    field("args", args, "more of it", form_of(TextForm::kWords, names));
    field("python", python, "the interpreter", form_of(TextForm::kTemplate, names));
    field("size", size, "for the template");
  }
};

// With the workload that runs programs of a sweep file.
const Catalog& catalog() {
  static const Catalog made = [] {
    Catalog all = test::catalog();
    all.workloads.push_back(test::workload<ProgramParams>("command", {"timing"}, {}));
    return all;
  }();
  return made;
}

// Every mistake is within the file, and can be shown.
void require_places(const std::vector<Diagnostic>& errors, std::string_view text) {
  const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
  for (const Diagnostic& error : errors) {
    require(error.line >= 0 && error.line <= lines, "a mistake is on a line of the file");
    require(error.column >= (error.line > 0 ? 1 : 0), "a mistake has a column");
    require(error.length >= 1, "a mistake has a length");
    require(!error.message.empty(), "a mistake has a message");
    const std::string shown = render(error);
    require(std::ranges::none_of(
                shown, [](char c) { return c >= 0 && c < ' ' && c != '\n' && c != '\t'; }),
            "a message has no control characters");
  }
}

void sweeps(std::string_view text) {
  const Parsed parsed = parse_sweeps(text, "f.yaml", catalog(), {});
  require(parsed.errors.empty() != parsed.sweeps.empty(), "a file has sweeps or mistakes");
  require_places(parsed.errors, text);
  for (const Sweep& sweep : parsed.sweeps) {
    const WorkloadDef* def = sweep.program ? sweep.program.get() : catalog().find(sweep.workload);
    require(def != nullptr, "a sweep has a workload");
    constexpr std::int64_t kMostPoints = 500;
    if (count_points(sweep) > kMostPoints) continue;
    for (const ExpandedTrial& each : expand(sweep, *def).trials) {
      require(each.key == key_of(*def, each.trial), "a trial's key is that of its values");
    }
  }
}

void study(std::string_view text) {
  const auto same = [](const std::string& file, const std::vector<Override>& set) {
    Parsed parsed = parse_sweeps(
        "sweep: a\nworkload: lm_step\nmatrix: {model: [tiny, small]}\n"
        "tables: [{title: Memory, rows: [model, context]}]\n",
        file, catalog(), set);
    StudySweeps found{std::move(parsed.sweeps), std::move(parsed.unfit), ""};
    if (!parsed.errors.empty()) found.mistake = parsed.errors.front().message;
    return file.empty() ? std::nullopt : std::optional(std::move(found));
  };
  require_places(parse_study(text, "s.yaml", "", catalog(), same).errors, text);
}

void config(std::string_view text) {
  const auto none = [](const std::string&) { return std::optional<std::string>(); };
  require_places(parse_config({{"c.yaml", std::string(text)}}, none).errors, text);
}

// Rows, an empty line, the mapping.
void reference(std::string_view text) {
  const std::size_t gap = text.find("\n\n");
  const std::string_view rows = text.substr(0, gap);
  const std::string_view mapping = gap == std::string_view::npos ? "" : text.substr(gap + 2);
  for (const Diagnostic& error :
       parse_reference({rows, "r.csv", mapping, "m.yaml"}, catalog()).errors) {
    require(!render(error).empty(), "a mistake can be shown");
  }
}

}  // namespace

void sweep_file(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const std::string_view first = bytes.substr(0, end);
  const std::string_view rest = bytes.substr(std::min(bytes.size(), end + 1));
  if (first == "#study") return study(rest);
  if (first == "#config") return config(rest);
  if (first == "#reference") return reference(rest);
  sweeps(bytes);
}

}  // namespace sweepd::fuzz
