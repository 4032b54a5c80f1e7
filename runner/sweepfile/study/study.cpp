#include "runner/sweepfile/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runner/base/text.h"
#include "runner/sweepfile/study/study_files.h"
#include "runner/sweepfile/study/study_text.h"
#include "runner/sweepfile/yaml/load.h"
#include "runner/sweepfile/yaml/values.h"

namespace sweepd {
namespace sweepfile {
namespace {

class StudyReader {
 public:
  StudyReader(const SourceText& source, Reporter& report, std::string scale)
      : source_(source), report_(report), scale_(std::move(scale)) {}

  StudyDraft read(const Node& root) {
    if (!expect_map(report_, "a study", root)) return std::move(draft_);
    // The scales decide what the chapters may name, wherever they are in the file.
    for (const auto& [key, value] : root.entries) {
      if (key->text == "scales") read_scales(*value);
    }
    read_fields(report_, "a study", root,
                {text("study", draft_.study.name),
                 text("title", draft_.study.title),
                 text("description", draft_.study.description),
                 {"scales", [](const Node&, const Node&) {}},
                 {"references", [&](const Node&, const Node& value) { read_references(value); }},
                 {"chapters", [&](const Node&, const Node& value) { read_chapters(value); }}});
    for (const char* name : {"study", "scales", "chapters"}) {
      const bool given = std::any_of(root.entries.begin(), root.entries.end(),
                                     [&](const auto& entry) { return entry.key->text == name; });
      if (!given) report_.error(root.mark, fmt::format("`{}` is missing", name));
    }
    return std::move(draft_);
  }

 private:
  Field text(const char* name, std::string& member) {
    return {name, [this, name, &member](const Node&, const Node& value) {
              if (auto read = read_text(report_, name, value)) member = std::move(*read);
            }};
  }

  void read_scales(const Node& map) {
    if (!expect_map(report_, "scales", map)) return;
    std::vector<std::string>& names = draft_.study.scales;
    for (const auto& [key, value] : map.entries) names.push_back(key->text);
    if (scale_.empty() && !names.empty()) scale_ = names.front();
    draft_.study.scale = scale_;
    if (std::find(names.begin(), names.end(), scale_) == names.end()) {
      report_.error(
          map.mark,
          fmt::format("the study has no scale `{}`; it has {}", shown(scale_), join(names, ", ")),
          help_nearest(scale_, names));
    }
    for (const auto& [key, value] : map.entries) {
      if (!expect_map(report_, "scales: " + key->text, *value)) continue;
      // The other scales are read for their mistakes alone.
      std::string description;
      ScaleValues values;
      std::vector<StudySet> set;
      read_fields(report_, "a scale", *value,
                  {text("description", description),
                   {"values", [&](const Node&, const Node& v) { read_values(values, v); }},
                   {"set", [&](const Node&, const Node& v) { set = read_settings(report_, v); }}});
      if (key->text != scale_) continue;
      draft_.study.scale_description = std::move(description);
      values_ = std::move(values);
      draft_.set = std::move(set);
    }
  }

  void read_references(const Node& list) {
    if (!expect_list(report_, "references", "a list of files", list)) return;
    for (const NodePtr& item : list.items) {
      if (auto file = read_text(report_, "references", *item)) {
        draft_.study.references.push_back(std::move(*file));
      }
    }
  }

  void read_values(ScaleValues& values, const Node& map) {
    if (!expect_map(report_, "values", map)) return;
    for (const auto& [key, value] : map.entries) {
      if (const auto read = read_text(report_, "values: " + key->text, *value)) {
        values[key->text] = *read;
      }
    }
  }

  void read_chapters(const Node& list) {
    if (!expect_list(report_, "chapters", "a list of chapters", list)) return;
    if (list.items.empty()) report_.error(list.mark, "chapters: the list is empty");
    for (const NodePtr& item : list.items) {
      if (!expect_map(report_, "chapters", *item, "write `- title: ...`")) continue;
      StudyChapter chapter;
      std::vector<StudyFile> files;
      bool shown_here = true;
      read_fields(report_, "a chapter", *item,
                  {text("title", chapter.title),
                   scales_field(shown_here),
                   {"parts", [&](const Node&, const Node& v) { read_parts(chapter, files, v); }}});
      if (chapter.title.empty()) report_.error(item->mark, "a chapter needs a `title`");
      if (!shown_here || chapter.parts.empty()) continue;
      draft_.study.chapters.push_back(std::move(chapter));
      draft_.files.push_back(std::move(files));
    }
  }

  Field scales_field(bool& shown_here) {
    return {"scales", [&](const Node&, const Node& list) {
              if (!expect_list(report_, "scales", "a list of scales", list)) return;
              shown_here = false;
              for (const NodePtr& item : list.items) {
                const auto name = read_word(report_, "scales", draft_.study.scales, *item);
                shown_here |= name && *name == scale_;
              }
            }};
  }

  void read_parts(StudyChapter& chapter, std::vector<StudyFile>& files, const Node& list) {
    if (!expect_list(report_, "parts", "a list of parts", list)) return;
    for (const NodePtr& item : list.items) {
      if (!expect_map(report_, "parts", *item, "write `- text: ...` or `- file: ...`")) continue;
      StudyPart part;
      StudyFile file;
      bool shown_here = true;
      read_part(*item, part, file, shown_here);
      if (!shown_here) continue;
      chapter.parts.push_back(std::move(part));
      files.push_back(std::move(file));
    }
  }

  void read_part(const Node& node, StudyPart& part, StudyFile& file, bool& shown_here) {
    TextNodes words;
    Mark needs_file;  // a key that only a file has
    bool plots_given = false;
    const auto of_file = [&](const char* name, std::function<void(const Node&)> read) {
      return Field{name, [&needs_file, read = std::move(read)](const Node& key, const Node& value) {
                     needs_file = key.mark;
                     read(value);
                   }};
    };
    read_fields(
        report_, "a part", node,
        {{"text", [&](const Node&, const Node& v) { words.text = &v; }},
         {"figures", [&](const Node&, const Node& v) { words.figures = &v; }},
         {"file",
          [&](const Node&, const Node& v) {
            if (auto name = read_text(report_, "file", v)) part.file = std::move(*name);
            part.line = v.mark.line;
            part.column = v.mark.column;
            file.mark = v.mark;
          }},
         scales_field(shown_here),
         {"short",
          [&](const Node& key, const Node& v) {
            part.in_short = true;
            if (v.is_list() && !v.items.empty()) needs_file = key.mark;
            read_titles("short", file.short_tables, v);
          }},
         of_file("set", [&](const Node& v) { read_part_set(file, v); }),
         of_file("tables",
                 [&](const Node& v) {
                   part.all_tables = false;
                   read_titles("tables", file.tables, v);
                 }),
         of_file(
             "timelines",
             [&](const Node& v) { read_of_attempts("timelines", part.timelines, v, shown_here); }),
         of_file("explain",
                 [&](const Node& v) { read_of_attempts("explain", part.explain, v, shown_here); }),
         of_file("plots", [&](const Node& v) {
           plots_given = true;
           read_titles("plots", file.plots, v);
         })});
    part.all_plots = part.all_tables && !plots_given;
    if (part.file.empty() && needs_file.line != 0) {
      report_.error(needs_file, "the part has no `file` of sweeps that this is about");
    }
    if (part.file.empty() && words.text == nullptr) {
      report_.error(node.mark, "a part needs `text` or `file`");
    }
    part.text = read_passages(source_, report_, words, values_, shown_here);
  }

  void read_of_attempts(const char* key, std::vector<StudyFigure>& read, const Node& map,
                        bool shown_here) {
    if (!expect_map(report_, key, map)) return;
    for (const auto& [title, value] : map.entries) {
      if (!read_text(report_, fmt::format("{}: {}", key, title->text), *value) || !shown_here) {
        continue;
      }
      read.push_back(read_of_attempt(source_, report_, {key, title->text}, *value, values_));
    }
  }

  // `set: {all: {...}, cpu-small: {...}}`; what the scale sets replaces what `all` sets.
  void read_part_set(StudyFile& file, const Node& map) {
    if (!expect_map(report_, "set", map)) return;
    std::vector<StudySet> all;
    std::vector<std::string> names{"all"};
    names.insert(names.end(), draft_.study.scales.begin(), draft_.study.scales.end());
    for (const auto& [key, value] : map.entries) {
      if (!read_word(report_, "set", names, *key)) continue;
      for (StudySet& set : read_settings(report_, *value)) {
        if (key->text == "all") {
          all.push_back(std::move(set));
        } else if (key->text == scale_) {
          file.set.push_back(std::move(set));
        }
      }
    }
    for (StudySet& common : all) {
      const bool replaced = std::any_of(file.set.begin(), file.set.end(), [&](const StudySet& own) {
        return own.override.name == common.override.name;
      });
      if (!replaced) file.set.push_back(std::move(common));
    }
  }

  void read_titles(const char* what, std::vector<StudyTitle>& titles, const Node& list) {
    if (!expect_list(report_, what, "a list of titles", list)) return;
    for (const NodePtr& item : list.items) {
      if (auto title = read_text(report_, what, *item)) titles.push_back({*title, item->mark});
    }
  }

  const SourceText& source_;
  Reporter& report_;
  std::string scale_;
  ScaleValues values_;
  StudyDraft draft_;
};

}  // namespace
}  // namespace sweepfile

ParsedStudy parse_study(std::string_view text, std::string_view file, const std::string& scale,
                        const Catalog& catalog, const ReadSweeps& read) {
  const sweepfile::SourceText source(text);
  sweepfile::Reporter report(source, file);
  const std::vector<sweepfile::Document> documents = sweepfile::load_documents(source, report);
  ParsedStudy parsed;
  if (documents.empty() && !report.any()) {
    report.error(sweepfile::SourcePlace{1, 1, 1}, "the file has no study",
                 "begin with `study: name`");
  }
  if (documents.size() > 1) {
    report.error(documents[1].root->mark, "a study is one document", "remove the `---` above it");
  }
  if (!documents.empty()) {
    sweepfile::StudyDraft draft =
        sweepfile::StudyReader(source, report, scale).read(*documents.front().root);
    parsed.files = sweepfile::check_files(report, catalog, read, draft);
    parsed.study = std::move(draft.study);
  }
  parsed.errors = report.take();
  if (!parsed.errors.empty()) parsed.study = {};
  return parsed;
}

}  // namespace sweepd
