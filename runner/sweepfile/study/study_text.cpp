#include "runner/sweepfile/study/study_text.h"

#include <fmt/format.h>

#include <utility>

#include "runner/model/vocabulary/cell_name.h"
#include "runner/model/vocabulary/condition.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

// A condition compares numbers, and a comparison of two results has no range of its own.
std::string unfit_for_conditions(const StudyFigure& figure) {
  std::string_view rest = figure.cell;
  int numbers = 0;
  for (std::size_t at = rest.find('{'); at != std::string_view::npos; at = rest.find('{')) {
    rest.remove_prefix(at + 1);
    const CellName* name = find_cell_name(rest.substr(0, rest.find_first_of(":}")));
    ++numbers;
    if (name == nullptr) continue;
    if (name->kind == NameKind::kCompared) return "divide or subtract two figures instead";
    if (name->name == "outcome" || name->name == "verdict") return "it is a word";
  }
  return numbers == 1 ? "" : "a cell with one number is needed, such as \"{mean:.1f}\"";
}

class PassageReader {
 public:
  PassageReader(const SourceText& source, Reporter& report, const ScaleValues& values,
                bool shown_here)
      : source_(source), report_(report), values_(values), shown_here_(shown_here) {}

  void read_figures(const Node& map) {
    if (!expect_map(report_, "figures", map)) return;
    for (const auto& [key, value] : map.entries) {
      const std::string& name = key->text;
      if (name == "figure" || name == "value" || name == "why") {
        report_.error(key->mark, fmt::format("figures: `{}` is the name of a tag", name));
      } else if (name.find_first_of("{} \t\n") != std::string::npos) {
        report_.error(key->mark, "figures: a name is one word without braces");
      }
      if (!read_text(report_, "figures: " + name, *value) || !shown_here_) continue;
      figures_[name] = read_figure(source_, report_, {"figures", name}, *value, values_);
    }
  }

  std::vector<StudyPassage> read(const Node& text) {
    std::vector<StudyPassage> passages;
    if (!text.is_list()) {
      if (read_text(report_, "text", text)) passages.push_back({prose(text), {}});
      return passages;
    }
    if (text.items.empty()) report_.error(text.mark, "text: the list is empty");
    for (const NodePtr& item : text.items) {
      if (item->is_map()) {
        passages.push_back({{}, read_claim(*item)});
      } else if (read_text(report_, "text", *item)) {
        passages.push_back({prose(*item), {}});
      }
    }
    return passages;
  }

 private:
  std::vector<StudyPiece> prose(const Node& node, bool why = false) {
    if (!shown_here_) return {};
    return read_prose(source_, report_, node, {values_, figures_, why});
  }

  StudyClaim read_claim(const Node& map) {
    StudyClaim claim;
    const Node* condition = nullptr;
    const auto words = [&](const char* name, std::vector<StudyPiece>& pieces, bool why) {
      return Field{name, [this, name, &pieces, why](const Node&, const Node& value) {
                     if (read_text(report_, name, value)) pieces = prose(value, why);
                   }};
    };
    read_fields(report_, "a claim", map,
                {{"claim", [&](const Node&, const Node& value) { condition = &value; }},
                 words("holds", claim.holds, false),
                 words("fails", claim.fails, false),
                 words("unknown", claim.unknown, true),
                 words("finding", claim.finding, false)});
    const std::pair<const char*, const char*> keys[]{
        {"claim", "the condition"},
        {"holds", "the text where the condition holds"},
        {"fails", "the text where it does not"},
        {"unknown", "the text where the figures are missing, suspect or within the noise"}};
    for (const auto& [key, what] : keys) {
      if (value_in(map, key) != nullptr) continue;
      report_.error(map.mark, fmt::format("the claim has no `{}`: {}", key, what));
    }
    if (condition != nullptr) read_condition(*condition, claim);
    return claim;
  }

  void read_condition(const Node& node, StudyClaim& claim) {
    const auto text = read_text(report_, "claim", node);
    if (!text) return;
    claim.line = node.mark.line;
    claim.column = node.mark.column;
    claim.condition = *text;
    const auto parsed = Condition::parse(*text);
    if (!parsed) return report_.error(node.mark, "claim: " + parsed.error().message);
    if (!shown_here_) return;
    std::vector<std::string> known;
    for (const auto& [name, figure] : figures_) known.push_back(name);
    for (const std::string& name : parsed->names()) {
      const auto figure = figures_.find(name);
      if (figure == figures_.end()) {
        report_.error(node.mark, fmt::format("claim: `figures` has no `{}`", shown(name)),
                      help_nearest(name, known));
        continue;
      }
      const std::string unfit = unfit_for_conditions(figure->second);
      if (parsed->computes_with(name) && !unfit.empty()) {
        report_.error(node.mark,
                      fmt::format("claim: {{{}}} cannot be compared: its cell is `{}`", shown(name),
                                  shown(figure->second.cell)),
                      unfit);
      }
      claim.figures.push_back(figure->second);
    }
  }

  const SourceText& source_;
  Reporter& report_;
  const ScaleValues& values_;
  bool shown_here_;
  NamedFigures figures_;
};

}  // namespace

std::vector<StudyPassage> read_passages(const SourceText& source, Reporter& report,
                                        const TextNodes& nodes, const ScaleValues& values,
                                        bool shown_here) {
  PassageReader reader(source, report, values, shown_here);
  if (nodes.figures != nullptr) reader.read_figures(*nodes.figures);
  if (nodes.text == nullptr) return {};
  std::vector<StudyPassage> passages = reader.read(*nodes.text);
  if (!shown_here) passages.clear();
  return passages;
}

}  // namespace sweepd::sweepfile
