// Tests that a study is read at one scale, and that its mistakes are reported at their places.
#include "runner/sweepfile/study.h"

#include <gmock/gmock.h>

#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Two sweep files, read as the daemon reads them.
std::optional<StudySweeps> two_files(const std::string& file, const std::vector<Override>& set) {
  const std::string text = file == "step.yaml"
                               ? kHead +
                                     "matrix: {model: [tiny, small], context: [64, 128]}\n"
                                     "tables: [{title: Step time, rows: [model, context]}, "
                                     "{title: Memory, rows: [model, context]}]\n"
                               : "sweep: b\nworkload: noop\nmatrix: {steps: [3, 4]}\n";
  if (file != "step.yaml" && file != "noop.yaml") return std::nullopt;
  Parsed parsed = parse_sweeps(text, file, catalog(), set);
  StudySweeps found{std::move(parsed.sweeps), std::move(parsed.unfit), ""};
  if (!parsed.errors.empty()) found.mistake = parsed.errors.front().message;
  return found;
}

ParsedStudy study(const std::string& text, const std::string& scale = "") {
  return parse_study(text, "s.yaml", scale, catalog(), two_files);
}

std::string study_mistakes(const std::string& text, const std::string& scale = "") {
  const ParsedStudy parsed = study(text, scale);
  EXPECT_EQ(parsed.errors.empty(), !parsed.study.name.empty());
  return parsed.errors.empty() ? "" : "\n" + render(parsed.errors);
}

const std::string kStudy = R"(study: s
title: All of it
description: What it is
scales:
  small: {description: Quick., values: {model: tiny, context: 64}, set: {device: cpu, sleep: 1ms}}
  large: {values: {model: small, context: 128}}
chapters:
  - title: First
    parts:
      - text: |
          At {{ value model }} it takes
          {{ figure sweep=a model=$model context=$context cell="{mean:.1f} ms" baseline.model=small }}.
      - file: step.yaml
        set: {all: {steps: 3, warmup: 1}, small: {warmup: 0, model: [tiny]}}
        tables: [memory]
  - title: Second
    scales: [large]
    parts: [{text: Only there}, {file: noop.yaml}]
  - title: Third
    parts: [{text: Here, scales: [small]}, {text: There, scales: [large]}]
)";

TEST(Study, IsReadAtItsFirstScale) {
  const ParsedStudy parsed = study(kStudy);
  ASSERT_EQ(render(parsed.errors), "");
  const Study& s = parsed.study;
  EXPECT_EQ(s.name, "s");
  EXPECT_EQ(s.title, "All of it");
  EXPECT_EQ(s.scale, "small");
  EXPECT_EQ(s.scale_description, "Quick.");
  EXPECT_THAT(s.scales, ElementsAre("small", "large"));
  ASSERT_EQ(s.chapters.size(), 2U);
  EXPECT_EQ(s.chapters[0].title, "First");
  EXPECT_EQ(s.chapters[1].title, "Third");
  ASSERT_EQ(s.chapters[1].parts.size(), 1U);
  EXPECT_EQ(s.chapters[1].parts[0].text[0].markdown, "Here");
  EXPECT_THAT(parsed.files, ElementsAre("step.yaml"));
}

TEST(Study, ValuesAndFiguresOfTheProse) {
  const StudyPart part = study(kStudy).study.chapters.at(0).parts.at(0);
  ASSERT_EQ(part.text.size(), 2U);
  EXPECT_EQ(part.text[0].markdown, "At tiny it takes\n");
  ASSERT_TRUE(part.text[0].figure);
  const StudyFigure& figure = *part.text[0].figure;
  EXPECT_EQ(figure.line, 12);
  EXPECT_EQ(figure.column, 11);
  EXPECT_EQ(figure.sweep, "a");
  EXPECT_EQ(figure.cell, "{mean:.1f} ms");
  EXPECT_THAT(figure.where, ElementsAre("model=tiny", "context=64"));
  EXPECT_THAT(figure.baseline, ElementsAre("model=small"));
  EXPECT_EQ(part.text[1].markdown, ".\n");
}

// The part's own overrides win over those for all scales, and both over those of the scale, which
// apply where a workload has the parameter: lm_step has no `sleep`.
TEST(Study, OverridesOfAPart) {
  const StudyPart part = study(kStudy).study.chapters.at(0).parts.at(1);
  EXPECT_THAT(part.set, ElementsAre("warmup=0", "model=tiny", "steps=3", "device=cpu"));
  EXPECT_THAT(part.sweeps, ElementsAre("a"));
  EXPECT_FALSE(part.all_tables);
  EXPECT_THAT(part.tables, ElementsAre("Memory"));
  const ParsedStudy large = study(kStudy, "large");
  EXPECT_THAT(large.study.chapters.at(0).parts.at(1).set, ElementsAre("steps=3", "warmup=1"));
  EXPECT_THAT(large.files, ElementsAre("step.yaml", "noop.yaml"));
  EXPECT_TRUE(large.study.chapters.at(1).parts.at(1).all_tables);
}

TEST(Study, FilesThatWereNotReadYetAreNamed) {
  const ParsedStudy parsed = parse_study(kStudy, "s.yaml", "large", catalog(), {});
  EXPECT_EQ(render(parsed.errors), "");
  EXPECT_THAT(parsed.files, ElementsAre("step.yaml", "noop.yaml"));
}

TEST(StudyMistakes, Keys) {
  EXPECT_EQ(study_mistakes("study: s\nscale: {}\nchapters: []\n"), R"(
s.yaml:1:1: error: `scales` is missing
  1 | study: s
    | ^~~~~

s.yaml:2:1: error: `scale` is not a key of a study; expected one of study, title, description, scales, references, chapters
  2 | scale: {}
    | ^~~~~
    = help: did you mean `scales`?

s.yaml:3:11: error: chapters: the list is empty
  3 | chapters: []
    |           ^~
)");
  const std::string parts = study_mistakes(
      "study: s\nscales: {a: {}}\nchapters:\n"
      "  - {title: x, parts: [{tables: [a]}, {txt: b}, {}]}\n  - {parts: []}\n");
  EXPECT_THAT(parts, HasSubstr("s.yaml:4:24: error: a part needs `text` or `file`"));
  EXPECT_THAT(parts,
              HasSubstr("s.yaml:4:25: error: the part has no `file` of sweeps that this is about"));
  EXPECT_THAT(parts, HasSubstr("s.yaml:4:40: error: `txt` is not a key of a part"));
  EXPECT_THAT(parts, HasSubstr("s.yaml:5:5: error: a chapter needs a `title`"));
}

TEST(StudyMistakes, Scales) {
  EXPECT_THAT(study_mistakes(kStudy, "smal"),
              HasSubstr("s.yaml:5:3: error: the study has no scale `smal`; "
                        "it has small, large"));
  const std::string head = "study: s\nscales: {a: {}, b: {}}\nchapters:\n";
  EXPECT_THAT(study_mistakes(head + "  - title: x\n    parts:\n      - {text: a, scales: [c]}\n"),
              HasSubstr("s.yaml:6:28: error: scales: `c` is not one of a, b"));
  EXPECT_THAT(
      study_mistakes(head + "  - title: x\n    parts:\n      - {file: step.yaml, set: {c: {}}}\n"),
      HasSubstr("s.yaml:6:33: error: set: `c` is not one of all, a, b"));
}

TEST(StudyMistakes, FilesAndTheirTables) {
  const std::string head = "study: s\nscales: {a: {}}\nchapters:\n  - title: x\n    parts:\n";
  EXPECT_THAT(study_mistakes(head + "      - {file: step.yaml, set: {a: {modle: tiny}}}\n"),
              HasSubstr("s.yaml:6:16: error: step.yaml: `modle` is not a parameter of lm_step"));
  EXPECT_THAT(study_mistakes(head + "      - {file: step.yaml, tables: [Step time, Memry]}\n"),
              HasSubstr("s.yaml:6:47: error: tables: step.yaml has no table `Memry`\n"
                        "  6 |       - {file: step.yaml, tables: [Step time, Memry]}\n"
                        "    |                                               ^~~~~\n"
                        "    = help: did you mean `Memory`?"));
  EXPECT_THAT(study_mistakes(head + "      - {file: step.yaml, set: {a: {model: 'a,b'}}}\n"),
              HasSubstr("s.yaml:6:44: error: set: `a,b` contains a comma"));
  EXPECT_THAT(
      study_mistakes(
          head + "      - {file: step.yaml}\n      - {file: step.yaml, set: {a: {steps: 4}}}\n"),
      HasSubstr("s.yaml:7:16: error: the study has sweep `a` already, with other overrides"));
}

// Text of a figure, and where the mistake is.
std::string of_text(const std::string& text) {
  return study_mistakes(
      "study: s\nscales: {a: {values: {m: tiny}}}\nchapters:\n  - title: x\n    parts:\n"
      "      - file: step.yaml\n        text: |\n          A line.\n          And " +
      text + "\n");
}

TEST(StudyMistakes, Tags) {
  EXPECT_EQ(of_text("{{ value m }} {{ figure sweep=a cell=\"{mean}\" }}"), "");
  EXPECT_THAT(
      of_text("{{ value m }} {{ fig a }}"),
      HasSubstr("s.yaml:9:29: error: text: `fig` is not a tag; expected one of figure, value"));
  EXPECT_THAT(of_text("{{ value n }}"),
              HasSubstr("s.yaml:9:15: error: text: the scale has no value `n`"));
  EXPECT_THAT(of_text("{{ value m n }}"), HasSubstr("a value has one name"));
  EXPECT_THAT(of_text("{{ figure sweep=a "), HasSubstr("text: `{{` is not closed by `}}`"));
  EXPECT_THAT(of_text("{{ figure sweep=a }}"), HasSubstr("text: figure: `cell` is missing"));
  EXPECT_THAT(of_text("{{ figure cell={n} }}"), HasSubstr("text: figure: `sweep` is missing"));
  EXPECT_THAT(of_text("{{ figure sweep=a cell={n} small }}"),
              HasSubstr("text: figure: `small` is not KEY=TEXT"));
  EXPECT_THAT(of_text("{{ figure sweep=a cell=\"{mean\" }}"),
              HasSubstr("text: figure: cell: `{` is not closed"));
  EXPECT_THAT(of_text("{{ figure sweep=a sweep=a cell={n} }}"),
              HasSubstr("`sweep` is given twice"));
  EXPECT_THAT(of_text("{{ figure sweep=a cell={n} model=$n }}"), HasSubstr("has no value `n`"));
}

TEST(StudyMistakes, NamesInFigures) {
  EXPECT_THAT(of_text("{{ figure sweep=c cell={n} }}"),
              HasSubstr("s.yaml:9:15: error: figure: the study has no sweep `c` at this scale"));
  EXPECT_THAT(
      of_text("{{ figure sweep=a cell={n} modle=tiny }}"),
      HasSubstr("figure: `modle` is neither a parameter of lm_step nor a column of results"));
  EXPECT_THAT(of_text("{{ figure sweep=a cell={n} context=many }}"),
              HasSubstr("figure: context: "));
  EXPECT_EQ(of_text("{{ figure sweep=a cell={n} phase=forward context=2K }}"), "");
}

TEST(StudyMistakes, OneDocument) {
  EXPECT_THAT(study_mistakes(""), HasSubstr("the file has no study"));
  EXPECT_THAT(study_mistakes(kStudy + "---\n" + kStudy), HasSubstr("a study is one document"));
  EXPECT_THAT(study_mistakes("study: [\n"), HasSubstr("s.yaml:2:1: error: `,` or `]` is missing"));
}

}  // namespace
}  // namespace sweepd::test
