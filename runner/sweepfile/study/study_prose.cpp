#include "runner/sweepfile/study/study_prose.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "runner/base/text.h"
#include "runner/sweepfile/table/table_parts.h"

namespace sweepd::sweepfile {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kSpace = " \t\n\r";
constexpr std::string_view kBaseline = "baseline.";

// Returns where the tag that begins before `at` ends: its `}}`, but not one inside quotes.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  bool quoted = false;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text.substr(i).starts_with(kClose)) return i;
  }
  return std::string_view::npos;
}

// One word, or one KEY="TEXT" with its quotes removed.
std::string_view next_word(std::string_view& rest, std::string& word) {
  rest.remove_prefix(std::min(rest.find_first_not_of(kSpace), rest.size()));
  const std::string_view begin = rest;
  bool quoted = false;
  word.clear();
  while (!rest.empty() && (quoted || kSpace.find(rest.front()) == std::string_view::npos)) {
    if (rest.front() == '"') {
      quoted = !quoted;
    } else {
      word += rest.front();
    }
    rest.remove_prefix(1);
  }
  return begin;
}

class ProseReader {
 public:
  ProseReader(Reporter& report, const TagNames& names) : report_(report), names_(names) {}

  // `body` is what the tag has between its braces.
  void read(const SourcePlace& place, std::string_view body, StudyPiece& piece,
            std::vector<StudyPiece>& pieces) {
    place_ = place;
    std::string kind;
    next_word(body, kind);
    if (kind == "value") {
      std::string name, more;
      next_word(body, name);
      next_word(body, more);
      if (name.empty() || !more.empty())
        return mistake("a value has one name, as in {{ value model }}");
      if (const auto text = value_of(name)) piece.markdown += *text;
    } else if (kind == "figure") {
      piece.figure = figure(body);
      pieces.push_back(std::exchange(piece, {}));
    } else if (const auto named = names_.figures.find(kind); named != names_.figures.end()) {
      piece.figure = named->second;
      pieces.push_back(std::exchange(piece, {}));
    } else if (kind == "why" && names_.why) {
      piece.why = true;
      pieces.push_back(std::exchange(piece, {}));
    } else {
      no_tag(kind);
    }
  }

  // `text` is what `figures` has for the name.
  StudyFigure read_named(const SourcePlace& place, const FigureName& name, std::string_view text) {
    place_ = place;
    what_ = fmt::format("{}: {}", name.what, name.name);
    StudyFigure read = figure(text);
    read.name = name.name;
    return read;
  }

 private:
  void no_tag(const std::string& kind) {
    std::vector<std::string> tags{"figure", "value"};
    for (const auto& [name, figure] : names_.figures) tags.push_back(name);
    if (names_.why) tags.push_back("why");
    mistake(
        fmt::format("`{}` is not a tag; expected one of {}", shown(kind), join(tags, ", ")),
        kind == "why" ? "only the `unknown` of a claim has a reason" : help_nearest(kind, tags));
  }

  void mistake(const std::string& message, std::string_view help = "") {
    report_.error(place_, what_ + ": " + message, help);
  }

  std::optional<std::string> value_of(const std::string& name) {
    const auto found = names_.values.find(name);
    if (found != names_.values.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, text] : names_.values) names.push_back(known);
    mistake(fmt::format("the scale has no value `{}`", shown(name)),
            names.empty() ? "write it below `values` of each scale" : help_nearest(name, names));
    return std::nullopt;
  }

  StudyFigure figure(std::string_view rest) {
    StudyFigure figure;
    figure.line = place_.line;
    figure.column = place_.column;
    std::string word;
    for (next_word(rest, word); !word.empty(); next_word(rest, word)) {
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
        mistake(fmt::format("figure: `{}` is not KEY=TEXT", shown(word)));
        continue;
      }
      const std::string key = word.substr(0, equals);
      std::string text = word.substr(equals + 1);
      if (text.starts_with('$')) {
        const auto value = value_of(text.substr(1));
        if (!value) continue;
        text = *value;
      }
      set(figure, key, text);
    }
    if (figure.sweep.empty()) mistake("figure: `sweep` is missing", "write sweep=NAME");
    if (figure.cell.empty()) mistake("figure: `cell` is missing", "write cell=\"{mean:.1f}\"");
    if (figure.top.empty() != figure.by.empty()) {
      mistake("figure: `top` and `by` need each other", "as in top=kernel by=kernel_time");
    }
    return figure;
  }

  void set(StudyFigure& figure, const std::string& key, const std::string& text) {
    const std::pair<std::string_view, std::string*> members[]{
        {"sweep", &figure.sweep}, {"cell", &figure.cell}, {"metric", &figure.metric},
        {"unit", &figure.unit},   {"top", &figure.top},   {"by", &figure.by}};
    for (const auto& [name, member] : members) {
      if (key != name) continue;
      if (!member->empty()) mistake(fmt::format("figure: `{}` is given twice", key));
      *member = text;
      if (key == "cell") {
        const std::string fault = fault_in_cell(text);
        if (!fault.empty()) mistake("figure: cell: " + fault);
      }
      return;
    }
    const bool compares = key.starts_with(kBaseline);
    (compares ? figure.baseline : figure.where)
        .push_back((compares ? key.substr(kBaseline.size()) : key) + "=" + text);
  }

  Reporter& report_;
  const TagNames& names_;
  SourcePlace place_;
  std::string what_ = "text";
};

}  // namespace

std::vector<StudyPiece> read_prose(const SourceText& source, Reporter& report, const Node& node,
                                   const TagNames& names) {
  std::vector<StudyPiece> pieces;
  StudyPiece piece;
  ProseReader reader(report, names);
  const std::string_view text = node.text;
  // Tags stand in the file as they do in the text, so the n-th `{{` here is the n-th there.
  std::size_t in_file = source.offset(node.mark.line, node.mark.column);
  std::size_t done = 0;
  for (std::size_t at = text.find(kOpen); at != std::string_view::npos;
       at = text.find(kOpen, done)) {
    in_file = source.text().find(kOpen, in_file);
    const SourcePlace place = in_file == std::string_view::npos
                                  ? SourcePlace{node.mark.line, node.mark.column, 1}
                                  : source.place_at(in_file, 2);
    piece.markdown += text.substr(done, at - done);
    const std::size_t end = end_of_tag(text, at + kOpen.size());
    if (end == std::string_view::npos) {
      report.error(place, "text: `{{` is not closed by `}}`");
      return pieces;
    }
    const std::string_view body = text.substr(at + kOpen.size(), end - at - kOpen.size());
    reader.read(place, body, piece, pieces);
    done = end + kClose.size();
    if (in_file != std::string_view::npos) {
      in_file = source.text().find(kClose, in_file);
      if (in_file != std::string_view::npos) in_file += kClose.size();
    }
  }
  piece.markdown += text.substr(done);
  if (!piece.markdown.empty()) pieces.push_back(std::move(piece));
  return pieces;
}

StudyFigure read_figure(const SourceText& source, Reporter& report, const FigureName& name,
                        const Node& node, const ScaleValues& values) {
  const SourcePlace place = place_of_value(source, node.mark.line, node.mark.column);
  return ProseReader(report, {values, {}}).read_named(place, name, node.text);
}

StudyFigure read_of_attempt(const SourceText& source, Reporter& report, const FigureName& name,
                            const Node& node, const ScaleValues& values) {
  Node measured = node;
  measured.text += std::string_view(name.what) == "timelines"
                       ? " metric=peak_allocated_bytes phase=step cell={max}"
                       : " metric=fact.profile.step_ms cell={max}";
  return read_figure(source, report, name, measured, values);
}

void check_figure(Reporter& report, const Catalog& catalog, const std::vector<Sweep>& sweeps,
                  const StudyFigure& figure) {
  const SourcePlace place{figure.line, figure.column, 2};
  const auto sweep = std::find_if(sweeps.begin(), sweeps.end(),
                                  [&](const Sweep& each) { return each.name == figure.sweep; });
  if (sweep == sweeps.end()) {
    std::vector<std::string> names;
    for (const Sweep& each : sweeps) names.push_back(each.name);
    std::string help = help_nearest(figure.sweep, names);
    if (help.empty()) help = "it has " + join(names, ", ");
    report.error(
        place,
        fmt::format("figure: the study has no sweep `{}` at this scale", shown(figure.sweep)),
        help);
    return;
  }
  const WorkloadDef* known = catalog.find(sweep->workload);
  if (known == nullptr) return;  // a program that the file declares, and that nobody submitted yet
  const WorkloadDef& def = *known;
  if (!figure.top.empty() && def.find(figure.top) == nullptr && !is_result_column(figure.top)) {
    report.error(place, fmt::format("figure: top: `{}` is neither a parameter of {} nor a column "
                                    "of results",
                                    shown(figure.top), def.name));
  }
  for (const auto* names : {&figure.where, &figure.baseline}) {
    for (const std::string& text : *names) {
      const std::string name = text.substr(0, text.find('='));
      const std::string value = text.substr(name.size() + 1);
      if (const ParamDef* param = def.find(name)) {
        if (const auto parsed = param->parse(value); !parsed) {
          report.error(place, "figure: " + parsed.error().message);
        }
      } else if (!is_result_column(name)) {
        report.error(
            place,
            fmt::format("figure: `{}` is neither a parameter of {} nor a column of results",
                        shown(name), def.name),
            help_nearest(name, def.param_names()));
      }
    }
  }
}

}  // namespace sweepd::sweepfile
