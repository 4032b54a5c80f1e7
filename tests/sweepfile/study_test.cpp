// Tests that a study is read at one scale, and that its mistakes are reported at their places.
#include "runner/sweepfile/study/study.h"

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
  EXPECT_EQ(s.chapters[1].parts[0].text.at(0).prose.at(0).markdown, "Here");
  EXPECT_THAT(parsed.files, ElementsAre("step.yaml"));
}

TEST(Study, ValuesAndFiguresOfTheProse) {
  const StudyPart part = study(kStudy).study.chapters.at(0).parts.at(0);
  ASSERT_EQ(part.text.size(), 1U);
  const std::vector<StudyPiece>& prose = part.text[0].prose;
  ASSERT_EQ(prose.size(), 2U);
  EXPECT_EQ(prose[0].markdown, "At tiny it takes\n");
  ASSERT_TRUE(prose[0].figure);
  const StudyFigure& figure = *prose[0].figure;
  EXPECT_EQ(figure.line, 12);
  EXPECT_EQ(figure.column, 11);
  EXPECT_EQ(figure.sweep, "a");
  EXPECT_EQ(figure.cell, "{mean:.1f} ms");
  EXPECT_THAT(figure.where, ElementsAre("model=tiny", "context=64"));
  EXPECT_THAT(figure.baseline, ElementsAre("model=small"));
  EXPECT_EQ(prose[1].markdown, ".\n");
}

TEST(Study, WhatOneAttemptHas) {
  const auto part = [](const std::string& key) {
    return "study: s\nscales: {a: {values: {m: tiny}}}\nchapters:\n  - title: x\n    parts:\n"
           "      - file: step.yaml\n        " +
           key + ": {Its title: sweep=a model=$m}\n";
  };
  const ParsedStudy explained = study(part("explain")), drawn = study(part("timelines"));
  ASSERT_EQ(render(explained.errors) + render(drawn.errors), "");
  const StudyFigure step = explained.study.chapters.at(0).parts.at(0).explain.at(0);
  EXPECT_EQ(step.name + "|" + step.metric, "Its title|fact.profile.step_ms");
  EXPECT_THAT(step.where, ElementsAre("model=tiny"));
  const StudyFigure memory = drawn.study.chapters.at(0).parts.at(0).timelines.at(0);
  EXPECT_EQ(memory.name + "|" + memory.metric, "Its title|peak_allocated_bytes");
  EXPECT_THAT(memory.where, ElementsAre("model=tiny", "phase=step"));
  EXPECT_THAT(study_mistakes("study: s\nscales: {a: {}}\nchapters:\n  - title: x\n    parts:\n"
                             "      - {text: y, explain: {z: sweep=a}}\n"),
              HasSubstr("the part has no `file` of sweeps that this is about"));
}

// A part of a study with named figures and this text.
std::string claiming(const std::string& text) {
  return "study: s\nscales: {a: {values: {m: tiny}}, b: {}}\nchapters:\n  - title: x\n    parts:\n"
         "      - file: step.yaml\n"
         "        scales: [a]\n"
         "        figures:\n"
         "          cold: sweep=a model=$m context=64 warmup=0 unit=ms cell=\"{mean:.1f}\"\n"
         "          warm: sweep=a model=$m context=64 unit=ms cell=\"{mean:.1f}\"\n"
         "          gain: sweep=a baseline.model=small cell=\"{ratio:.1f}\"\n"
         "          both: sweep=a cell=\"{mean:.1f} ms, {tflops:.1f}\"\n"
         "          word: sweep=a cell=\"{outcome}\"\n"
         "        text:\n" +
         text;
}

constexpr auto kClaim =
    "          - It takes {{ warm }} ms.\n"
    "          - claim: '{cold} > 1.1 * {warm}'\n"
    "            holds: Cold takes longer, {{ cold }} ms.\n"
    "            fails: Cold takes no longer.\n"
    "            unknown: Unknown, since {{ why }}.\n"
    "            finding: A cold step takes longer, {{ cold }} ms.\n"
    "          - And so on.\n";

TEST(Study, ProseAndClaimsOfAText) {
  const ParsedStudy parsed = study(claiming(kClaim));
  ASSERT_EQ(render(parsed.errors), "");
  const StudyPart& part = parsed.study.chapters.at(0).parts.at(0);
  ASSERT_EQ(part.text.size(), 3U);
  EXPECT_FALSE(part.text[0].claim);
  EXPECT_EQ(part.text[0].prose.at(0).figure->name, "warm");
  EXPECT_EQ(part.text[2].prose.at(0).markdown, "And so on.");
  ASSERT_TRUE(part.text[1].claim);
  const StudyClaim& claim = *part.text[1].claim;
  EXPECT_EQ(claim.line, 16);
  EXPECT_EQ(claim.condition, "{cold} > 1.1 * {warm}");
  ASSERT_EQ(claim.figures.size(), 2U);
  EXPECT_EQ(claim.figures[0].name, "cold");
  EXPECT_EQ(claim.figures[0].line, 9);
  EXPECT_THAT(claim.figures[0].where, ElementsAre("model=tiny", "context=64", "warmup=0"));
  EXPECT_EQ(claim.holds.at(0).figure->name, "cold");
  EXPECT_EQ(claim.fails.at(0).markdown, "Cold takes no longer.");
  EXPECT_TRUE(claim.unknown.at(0).why);
  EXPECT_EQ(claim.finding.at(0).figure->name, "cold");
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

TEST(StudyMistakes, TheLargestOfSeveral) {
  EXPECT_EQ(of_text("{{ figure sweep=a top=kernel by=kernel_time cell=\"{top}\" }}"), "");
  EXPECT_THAT(of_text("{{ figure sweep=a top=kernel cell={n} }}"),
              HasSubstr("`top` and `by` need each other"));
  EXPECT_THAT(of_text("{{ figure sweep=a top=kernl by=time cell={n} }}"),
              HasSubstr("top: `kernl` is neither a parameter of lm_step"));
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

TEST(StudyMistakes, ClaimsNeedAConditionAndThreeTexts) {
  const std::string mistakes =
      study_mistakes(claiming("          - {claim: '{cold} > {warm}', fails: b}\n"
                              "          - {holds: a, fails: b, unknown: c}\n"));
  EXPECT_THAT(mistakes,
              HasSubstr("s.yaml:15:13: error: the claim has no `holds`: the text where the "
                        "condition holds"));
  EXPECT_THAT(mistakes, HasSubstr("s.yaml:15:13: error: the claim has no `unknown`: the text where "
                                  "the figures are missing, suspect or within the noise"));
  EXPECT_THAT(mistakes, HasSubstr("s.yaml:16:13: error: the claim has no `claim`: the condition"));
  // At the other scale the part is not shown, and is still checked.
  const std::string other =
      study_mistakes(claiming("          - {claim: '{cold} >', fails: b, unknown: c}\n") +
                         "  - {title: y, parts: [{text: z}]}\n",
                     "b");
  EXPECT_THAT(other, HasSubstr("has no `holds`"));
  EXPECT_THAT(other, HasSubstr("expected a number or a figure"));
}

std::string of_condition(const std::string& condition) {
  return study_mistakes(
      claiming("          - {claim: '" + condition + "', holds: a, fails: b, unknown: c}\n"));
}

TEST(StudyMistakes, Conditions) {
  EXPECT_EQ(of_condition("{cold} > {warm}"), "");
  EXPECT_THAT(of_condition("{cold} > {wram}"),
              HasSubstr("s.yaml:15:21: error: claim: `figures` has no `wram`"));
  EXPECT_THAT(of_condition("{cold} > {wram}"), HasSubstr("did you mean `warm`?"));
  EXPECT_THAT(of_condition("{cold} = {warm}"), HasSubstr("expected one of <, <=, >, >=, ~"));
  EXPECT_THAT(of_condition("{gain} > 1"),
              HasSubstr("{gain} cannot be compared: its cell is `{ratio:.1f}`"));
  EXPECT_THAT(of_condition("{gain} > 1"), HasSubstr("divide or subtract two figures instead"));
  EXPECT_THAT(of_condition("{both} > 1"), HasSubstr("a cell with one number is needed"));
  EXPECT_THAT(of_condition("{word} > 1"), HasSubstr("it is a word"));
  EXPECT_EQ(of_condition("{word} is OOM"), "");
}

TEST(StudyMistakes, NamedFigures) {
  EXPECT_THAT(
      study_mistakes(claiming("          - '{{ why }}'\n")),
      HasSubstr("`why` is not a tag; expected one of figure, value, both, cold, gain, warm, "
                "word"));
  EXPECT_THAT(study_mistakes(claiming("          []\n")), HasSubstr("text: the list is empty"));
  const std::string head =
      "study: s\nscales: {a: {}}\nchapters:\n  - title: x\n    parts:\n"
      "      - text: '{{ one }}'\n        file: step.yaml\n        figures:\n";
  EXPECT_THAT(study_mistakes(head + "          value: sweep=a cell={n}\n"),
              HasSubstr("figures: `value` is the name of a tag"));
  EXPECT_THAT(study_mistakes(head + "          one: sweep=a\n"),
              HasSubstr("s.yaml:9:16: error: figures: one: figure: `cell` is missing"));
  EXPECT_THAT(study_mistakes(head + "          one: sweep=c cell={n}\n"),
              HasSubstr("s.yaml:9:16: error: figure: the study has no sweep `c` at this scale"));
}

TEST(StudyMistakes, OneDocument) {
  EXPECT_THAT(study_mistakes(""), HasSubstr("the file has no study"));
  EXPECT_THAT(study_mistakes(kStudy + "---\n" + kStudy), HasSubstr("a study is one document"));
  EXPECT_THAT(study_mistakes("study: [\n"), HasSubstr("s.yaml:2:1: error: `,` or `]` is missing"));
}

}  // namespace
}  // namespace sweepd::test
