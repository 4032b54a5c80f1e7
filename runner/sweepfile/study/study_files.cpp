#include "runner/sweepfile/study/study_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "runner/base/text.h"
#include "runner/sweepfile/study/study_prose.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd::sweepfile {
namespace {

std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool contains_text(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

std::vector<const StudyFigure*> figures_in(const StudyPart& part) {
  std::vector<const StudyFigure*> figures;
  const auto add = [&figures](const std::vector<StudyPiece>& pieces) {
    for (const StudyPiece& piece : pieces) {
      if (piece.figure) figures.push_back(&*piece.figure);
    }
  };
  for (const StudyPassage& passage : part.text) {
    add(passage.prose);
    if (!passage.claim) continue;
    for (const auto* pieces : {&passage.claim->holds, &passage.claim->fails,
                               &passage.claim->unknown, &passage.claim->finding}) {
      add(*pieces);
    }
    for (const StudyFigure& figure : passage.claim->figures) figures.push_back(&figure);
  }
  for (const auto* read : {&part.timelines, &part.explain}) {
    for (const StudyFigure& figure : *read) figures.push_back(&figure);
  }
  return figures;
}

class FileCheck {
 public:
  FileCheck(Reporter& report, const Catalog& catalog, const ReadSweeps& read, StudyDraft& draft)
      : report_(report), catalog_(catalog), read_(read), draft_(draft) {}

  std::vector<std::string> run() {
    std::vector<StudyChapter>& chapters = draft_.study.chapters;
    for (std::size_t c = 0; c < chapters.size(); ++c) {
      for (std::size_t p = 0; p < chapters[c].parts.size(); ++p) {
        if (!chapters[c].parts[p].file.empty()) file(chapters[c].parts[p], draft_.files[c][p]);
      }
    }
    // Figures may name sweeps of later chapters.
    for (const StudyChapter& chapter : chapters) {
      for (const StudyPart& part : chapter.parts) {
        for (const StudyFigure* figure : figures_in(part)) {
          if (all_read_ && !report_.any()) check_figure(report_, catalog_, sweeps_, *figure);
        }
      }
    }
    return std::move(files_);
  }

 private:
  void file(StudyPart& part, const StudyFile& said) {
    if (!contains_text(files_, part.file)) files_.push_back(part.file);
    std::vector<Override> overrides;
    for (const StudySet& set : said.set) overrides.push_back(set.override);
    for (const StudySet& set : draft_.set) {
      const bool own = std::any_of(said.set.begin(), said.set.end(), [&](const StudySet& each) {
        return each.override.name == set.override.name;
      });
      if (!own) overrides.push_back(set.override);
    }
    const auto found = read_ ? read_(part.file, overrides) : std::nullopt;
    if (!found) {
      all_read_ = false;
      return;
    }
    if (!found->mistake.empty()) {
      report_.error(said.mark, fmt::format("{}: {}", part.file, found->mistake));
      return;
    }
    for (const Override& set : overrides) {
      if (!contains_text(found->unfit, set.name)) part.set.push_back(set.name + "=" + set.values);
    }
    std::vector<std::string> tables, plots;
    for (const Sweep& sweep : found->sweeps) {
      part.sweeps.push_back(sweep.name);
      add_sweep(sweep, part, said);
      for (const TableSpec& table : sweep.tables) tables.push_back(table.title);
      for (const PlotSpec& plot : sweep.plots) plots.push_back(plot.data.title);
    }
    part.tables = chosen("table", said.tables, tables, part.file);
    part.plots = chosen("plot", said.plots, plots, part.file);
    part.short_tables = chosen("table", said.short_tables, tables, part.file);
  }

  // A figure names a sweep by its name alone, so a study has each name once.
  void add_sweep(const Sweep& sweep, const StudyPart& part, const StudyFile& said) {
    const auto same = std::find_if(sweeps_.begin(), sweeps_.end(),
                                   [&](const Sweep& each) { return each.name == sweep.name; });
    if (same == sweeps_.end()) {
      sweeps_.push_back(sweep);
      sets_.push_back(part.set);
    } else if (sets_[static_cast<std::size_t>(same - sweeps_.begin())] != part.set) {
      report_.error(
          said.mark,
          fmt::format("the study has sweep `{}` already, with other overrides", sweep.name),
          "a file may be shown twice, with the same `set` each time");
    }
  }

  // `kind` is "table" or "plot".
  std::vector<std::string> chosen(const char* kind, const std::vector<StudyTitle>& wanted,
                                  const std::vector<std::string>& titles, const std::string& file) {
    std::vector<std::string> chosen;
    for (const StudyTitle& title : wanted) {
      const auto found = std::find_if(titles.begin(), titles.end(), [&](const std::string& each) {
        return in_lower_case(each).starts_with(in_lower_case(title.text));
      });
      if (found != titles.end()) {
        chosen.push_back(*found);
        continue;
      }
      std::string help = help_nearest(title.text, titles);
      if (help.empty()) help = "it has " + (titles.empty() ? "none" : join(titles, ", "));
      report_.error(title.mark,
                    fmt::format("{0}s: {1} has no {0} `{2}`", kind, file, shown(title.text)), help);
    }
    return chosen;
  }

  Reporter& report_;
  const Catalog& catalog_;
  const ReadSweeps& read_;
  StudyDraft& draft_;
  std::vector<std::string> files_;
  std::vector<Sweep> sweeps_;
  std::vector<std::vector<std::string>> sets_;  // of the parts of these sweeps
  bool all_read_ = true;
};

}  // namespace

std::vector<StudySet> read_settings(Reporter& report, const Node& map) {
  std::vector<StudySet> settings;
  if (!expect_map(report, "set", map, "write {model: tiny}")) return settings;
  for (const auto& [key, value] : map.entries) {
    const std::vector<NodePtr> items = value->is_list() ? value->items : std::vector{value};
    if (items.empty()) report.error(value->mark, fmt::format("set: `{}` has no values", key->text));
    std::vector<std::string> texts;
    for (const NodePtr& item : items) {
      auto text = read_text(report, "set: " + key->text, *item);
      if (!text) continue;
      if (text->find(',') != std::string::npos) {
        report.error(item->mark, fmt::format("set: `{}` contains a comma", shown(*text)),
                     "several values are a list: [a, b]");
      }
      texts.push_back(std::move(*text));
    }
    settings.push_back({{key->text, join(texts, ","), false}, key->mark});
  }
  return settings;
}

std::vector<std::string> check_files(Reporter& report, const Catalog& catalog,
                                     const ReadSweeps& read, StudyDraft& draft) {
  for (StudySet& set : draft.set) set.override.where_it_fits = true;
  return FileCheck(report, catalog, read, draft).run();
}

}  // namespace sweepd::sweepfile
