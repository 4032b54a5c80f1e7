// Tests a sweep file's valid and invalid declarations for a user's program.
#include <gmock/gmock.h>

#include "runner/model/vocabulary/program.h"
#include "runner/sweepfile/sweep/templates.h"
#include "tests/sweepfile/parse.h"

namespace sweepd::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct CommandLikeParams {
  std::string argv, args, python, variant, work_tokens, work_flops, observe;
  std::int64_t size = 0;
  void visit(auto& field) {
    const std::vector<std::string> names{"variant", "size", "steps", "folder", "python"};
    field("argv", argv, "what to run", form_of(TextForm::kCommandLine, names));
    field("args", args, "more of it", form_of(TextForm::kWords, names));
    field("python", python, "the interpreter", form_of(TextForm::kTemplate, names));
    field("work_tokens", work_tokens, "", form_of(TextForm::kTemplate, names), Scheduling());
    field("work_flops", work_flops, "", form_of(TextForm::kTemplate, names), Scheduling());
    field("observe", observe, "");
    field("variant", variant, "for the template");
    field("size", size, "for the template");
  }
};

class ProgramFile : public testing::Test {
 protected:
  Parsed parse(const std::string& text, const std::vector<std::string>& sets = {}) const {
    return parse_sweeps(text, "f.yaml", catalog_, overrides_of(sets));
  }
  // Of a file with these sections, "line:column message".
  std::vector<std::string> mistakes(const std::string& sections) const {
    std::vector<std::string> found;
    for (const Diagnostic& d : parse("sweep: a\nprogram: mm\n" + sections).errors) {
      found.push_back(std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message);
    }
    return found;
  }
  Sweep one(const std::string& text, const std::vector<std::string>& sets = {}) const {
    Parsed parsed = parse(text, sets);
    EXPECT_EQ(render(parsed.errors), "");
    return parsed.sweeps.empty() ? Sweep{} : std::move(parsed.sweeps.front());
  }
  Sweep declare(const std::string& sections) const {
    return one("sweep: a\nprogram: mm\n" + sections);
  }
  // As the database does when a sweep is stored.
  void store(const Sweep& sweep) { catalog_.programs->set(*sweep.program); }

  static std::vector<std::string> labels(const Sweep& sweep) {
    std::vector<std::string> found;
    for (const ExpandedTrial& trial : expand(sweep, *sweep.program).trials) {
      found.push_back(label_of(*sweep.program, trial.trial));
    }
    return found;
  }
  static TrialKey key(const Sweep& sweep) {
    const ExpandedTrial trial = expand(sweep, *sweep.program).trials.at(0);
    EXPECT_EQ(trial.key, key_of(*sweep.program, trial.trial));
    return trial.key;
  }

  Catalog catalog_{{workload<CommandLikeParams>("command", {"timing"}, {})}};
};

TEST_F(ProgramFile, TheSectionWorkSetsParametersThatAreNoPartOfTheKey) {
  const std::string text = "parameters: {batch: 8}\nparams: {argv: a}\n";
  const Sweep sweep = declare(text + "work: {tokens: '{batch} * 512', flops: 6e9}\n");
  const auto value = [&](const char* name) {
    const auto found =
        std::ranges::find(sweep.params, *sweep.program->index_of(name), &Setting::param);
    return found == sweep.params.end() ? Value("none") : found->value;
  };
  EXPECT_EQ(value("work_tokens"), Value("{batch} * 512"));
  EXPECT_EQ(value("work_flops"), Value("6e9"));
  EXPECT_EQ(key(sweep), key(declare(text)));
  EXPECT_THAT(
      mistakes(text + "work: {token: 1}\n"),
      ElementsAre(HasSubstr("5:8 work: `token` is unknown; expected tokens, flops or bytes")));
  EXPECT_THAT(mistakes(text + "work: {tokens: '{bach}'}\n"), ElementsAre(HasSubstr("bach")));
  EXPECT_THAT(
      mistakes("parameters: {batch: 8}\nparams: {argv: a, work_tokens: 5}\nwork: {tokens: 1}\n"),
      ElementsAre(HasSubstr("work: `work_tokens` has a value under `params` too")));
}

TEST_F(ProgramFile, ObserveDeclaresItsPhases) {
  const std::string text = "phases: [load, forward]\nparams: {argv: a, observe: ";
  EXPECT_THAT(declare(text + "torch}\n").program->phases,
              ElementsAre("load", "forward", "data", "backward", "optimizer"));
  EXPECT_THAT(declare(text + "no}\n").program->phases, ElementsAre("load", "forward"));
}

TEST_F(ProgramFile, ParametersHaveTheTypeThatIsWrittenOrMeant) {
  const Sweep sweep = declare(R"(
parameters:
  size: {type: integer, default: 1K, minimum: 1, unit: rows, help: of both matrices}
  block: {type: bytes, default: 64KiB}
  rate: 0.5
  fast: true
  note: hello
  kernel: {choices: [naive, blocked]}
  Empty: {type: text}
metrics:
  gflops: {unit: GFLOP/s, better: higher, help: by the median}
  misses: {better: lower}
  joules: J
phases: [load, compute]
)");
  const WorkloadDef& def = *sweep.program;
  EXPECT_EQ(sweep.workload, "mm");
  EXPECT_EQ(def.base, "command");
  std::vector<std::string> found;
  for (const ParamDef& param : def.params) {
    if (!param.declared) continue;
    found.push_back(param.name + " " + std::string(name_of(param.type)) + " " +
                    param.text(param.default_value) + param.unit);
  }
  EXPECT_THAT(found, ElementsAre("size integer 1000rows", "block bytes 64KiB", "rate real 0.5",
                                 "fast boolean true", "note text hello", "kernel choice naive",
                                 "Empty text "));
  EXPECT_EQ(def.find("variant"), nullptr) << "what `command` only offers to templates";
  EXPECT_EQ(unit_of(def.metrics, "gflops"), "GFLOP/s");
  EXPECT_EQ(better_of(def.metrics, "gflops"), Better::kLarger);
  EXPECT_EQ(better_of(def.metrics, "misses"), Better::kSmaller);
  EXPECT_EQ(unit_of(def.metrics, "joules"), "J");
  EXPECT_THAT(def.phases, ElementsAre("load", "compute"));
}

TEST_F(ProgramFile, ParametersAreAxesAndNamesOfTemplates) {
  const Sweep sweep = declare(
      "parameters: {size: 8, kernel: {choices: [naive, blocked]}}\n"
      "params: {argv: \"mm {size} {kernel}\"}\n"
      "matrix: {kernel: [naive, blocked]}\ninclude: [{size: 16}]\n");
  EXPECT_THAT(labels(sweep),
              ElementsAre("argv=mm {size} {kernel}", "argv=mm {size} {kernel} kernel=blocked",
                          "argv=mm {size} {kernel} size=16"));
}

// `python` is a word of templates and a parameter too, which may stay empty.
TEST_F(ProgramFile, AWordThatIsAParameterStaysInTemplates) {
  const std::string argv = "params: {argv: \"{python} mm.py\"}\n";
  const Sweep program = declare(argv);
  EXPECT_NE(program.program->find("python"), nullptr);
  EXPECT_EQ(mistake_in_templates(*program.program, expand(program, *program.program), program),
            std::nullopt);
  const WorkloadDef& command = *catalog_.find("command");
  const Sweep plain = one("sweep: a\nworkload: command\n" + argv);
  EXPECT_EQ(mistake_in_templates(command, expand(plain, command), plain), std::nullopt);
}

TEST_F(ProgramFile, ATextMaySetToNothingAndMayBeLong) {
  const std::string head = "sweep: a\nworkload: command\nparams: {argv: ";
  const Sweep sweep = one(head + "mm, variant: xl}\n", {"variant="});
  const WorkloadDef& command = *catalog_.find("command");
  EXPECT_EQ(label_of(command, expand(sweep, command).trials.at(0).trial), "argv=mm");
  const auto with_argv = [&](std::size_t bytes) {
    return parse(head + std::string(bytes, 'm') + "}\n");
  };
  EXPECT_EQ(with_argv(16384).errors.size(), 0U);
  ASSERT_EQ(with_argv(16385).errors.size(), 1U);
  EXPECT_EQ(with_argv(16385).errors[0].message, "argv: a value of 16385 bytes; at most 16384");
}

TEST_F(ProgramFile, AutoPassesWhatTheFileDeclares) {
  const std::string text =
      "sweep: a\nprogram: mm\nparameters: {size: 8, fast: false}\n"
      "params: {argv: mm, args: auto}\n";
  const auto args = [](const Sweep& sweep) {
    return expand(sweep, *sweep.program).trials.at(0).trial.text(*sweep.program, "args");
  };
  EXPECT_EQ(args(one(text)), "--size={size} --fast={fast}");
  EXPECT_EQ(args(one(text, {"args=-n {size}"})), "-n {size}");
  EXPECT_EQ(args(one(text, {"args=auto flags spaces"})), "--size {size} {fast=true?--fast}");
  EXPECT_THAT(mistakes("parameters: {n: 1}\nparams: {argv: mm, args: auto flag}\n"),
              ElementsAre(HasSubstr("args: `auto flag` is no style")));
  EXPECT_THAT(mistakes("params: {argv: mm, args: auto}\n"),
              ElementsAre(HasSubstr("args: `auto` passes the parameters of a program")));
  store(declare("parameters: {depth: 1}\n"));
  EXPECT_EQ(args(one(text)), "--size={size} --fast={fast}") << "not what other files declare";
  EXPECT_EQ(args(declare("params: {argv: mm, args: auto}\n")), "--depth={depth}")
      << "a file that declares none has all";
}

TEST_F(ProgramFile, AListIsWordsInAnyNotation) {
  const Sweep sweep =
      one("sweep: a\nprogram: mm\nparameters: {sizes: {type: list, default: '1 2'}}\n"
          "params: {argv: mm}\nmatrix: {sizes: [[64, 128], '64 256', []]}\n");
  EXPECT_THAT(labels(sweep), ElementsAre(HasSubstr("sizes=64 128"), HasSubstr("sizes=64 256"),
                                         testing::Not(HasSubstr("64"))));
  EXPECT_THAT(mistakes("parameters: {sizes: {type: list, default: \"'a\"}}\n"),
              ElementsAre(HasSubstr("sizes: a ' is not closed")));
  EXPECT_THAT(mistakes("parameters: {n: 1}\nmatrix: {n: [[1, 2]]}\n"),
              ElementsAre(HasSubstr("n: expected one value, found a list")));
}

TEST_F(ProgramFile, MistakesAreToldAtTheirPlaces) {
  EXPECT_THAT(
      mistakes("parameters:\n"
               "  steps: 1\n"
               "  phase: a\n"
               "  ARGV: a\n"
               "  folder: a\n"
               "  two words: 1\n"
               "  a: {type: int}\n"
               "  b: {type: choice}\n"
               "  c: {help: no type}\n"
               "  d: {type: integer, default: many}\n"
               "  e: {type: text, minimum: 1}\n"
               "  f: {type: integer, default: 1, minimum: 2}\n"
               "  g: {choices: [x, x]}\n"
               "metrics:\n"
               "  time: ms\n"
               "  peak_bytes: B\n"
               "  rate: {better: up}\n"),
      ElementsAre(HasSubstr("4:3 parameters: `steps` is reserved: every workload has a parameter"),
                  HasSubstr("5:3 parameters: `phase` is reserved: every table of results has"),
                  HasSubstr("6:3 parameters: `ARGV` is reserved: every program has a parameter"),
                  HasSubstr("7:3 parameters: `folder` is reserved: `{folder}` in a template"),
                  HasSubstr("8:3 parameters: `two words` is not a name; expected a letter"),
                  HasSubstr("9:13 parameter `a`: type: `int` is not one of integer"),
                  HasSubstr("10:3 parameter `b`: a choice needs `choices`"),
                  HasSubstr("11:3 parameter `c`: expected `type`, `choices` or `default`"),
                  HasSubstr("12:31 d: `many`"),
                  HasSubstr("13:28 parameter `e`: minimum: values of type text have none"),
                  HasSubstr("14:31 f: 1 is too small; expected at least 2"),
                  HasSubstr("15:20 parameter `g`: choices: `x` is listed twice"),
                  HasSubstr("17:3 metrics: `time` is reserved: a metric of this name is sweepd's "
                            "own, in ms"),
                  HasSubstr("18:3 metrics: `peak_bytes` is reserved"),
                  HasSubstr("19:18 metric `rate`: better: `up` is not one of higher, lower")));
}

TEST_F(ProgramFile, AProgramNeedsAName) {
  const auto first = [&](const std::string& text) {
    const auto errors = parse(text).errors;
    return errors.empty() ? "" : errors.front().message;
  };
  EXPECT_EQ(first("sweep: a\nworkload: command\nparameters: {size: 1}\n"),
            "`parameters` belongs to a program, and the sweep names none");
  EXPECT_THAT(first("sweep: a\nprogram: command\n"), HasSubstr("`command` is taken: the workload"));
  EXPECT_THAT(first("sweep: a\nprogram: Command\n"), HasSubstr("`command` is called so"));
  EXPECT_THAT(first("sweep: a\nprogram: mm_memory\n"), HasSubstr("`mm_memory` is reserved"));
  EXPECT_THAT(first("sweep: a\nprogram: 3d\n"), HasSubstr("`3d` is not a name"));
  EXPECT_THAT(first("sweep: a\nprogram: mm\nworkload: noop\n"),
              HasSubstr("workload: `noop` is not one of command"));
}

TEST_F(ProgramFile, ALaterFileAddsToTheProgram) {
  store(declare("parameters: {size: 8}\nphases: [load]\n"));
  const Sweep later =
      declare("parameters: {kernel: {choices: [naive]}}\nphases: [compute, load]\n");
  EXPECT_EQ(later.program->params.back().name, "kernel");
  EXPECT_NE(later.program->find("size"), nullptr);
  EXPECT_THAT(later.program->phases, ElementsAre("load", "compute"));
  store(later);
  // Existing parameters keep their places, because queued trials refer to values by place.
  EXPECT_EQ(catalog_.find("mm")->index_of("size"),
            declare("parameters: {size: 8}\n").program->index_of("size"));
}

TEST_F(ProgramFile, AContradictionIsAMistakeAtItsPlace) {
  store(declare("parameters: {size: 8}\nmetrics: {gflops: GFLOP/s}\n"));
  EXPECT_THAT(mistakes("parameters:\n  size: big\nmetrics:\n  gflops: MFLOP/s\n"),
              ElementsAre(HasSubstr("4:3 parameters: `size` is text here, but program `mm` has "
                                    "results in which it is integer; give the parameter or the "
                                    "program another name"),
                          HasSubstr("6:3 metrics: `gflops` is in `MFLOP/s` here")));
  EXPECT_THAT(mistakes("parameters: {size: 16}\n"), IsEmpty()) << "a default may differ";
  EXPECT_THAT(mistakes("parameters: {Size: 8}\n"),
              ElementsAre(HasSubstr("`Size` and `size` of program `mm` differ by case alone")));
  const Parsed twice = parse(
      "sweep: a\nprogram: mm2\nparameters: {n: 1}\n---\n"
      "sweep: b\nprogram: mm2\nparameters: {n: x}\n");
  ASSERT_EQ(twice.errors.size(), 1U) << "in one file too";
  EXPECT_EQ(twice.errors[0].line, 7);
}

// Otherwise an edited default would show the results of the old one.
TEST_F(ProgramFile, AKeyDoesNotDependOnDefaults) {
  const std::string argv = "params: {argv: mm}\n";
  const Sweep eight = declare("parameters: {size: 8}\n" + argv);
  store(eight);
  const Sweep sixteen = declare("parameters: {size: 16}\n" + argv);
  EXPECT_NE(key(eight), key(sixteen));
  EXPECT_EQ(key(sixteen), key(declare("parameters: {size: 8}\nparams: {argv: mm, size: 16}\n")));
  EXPECT_THAT(labels(sixteen), ElementsAre("argv=mm size=16"));
  EXPECT_THAT(labels(declare("parameters: {size: 16}\n" + argv + "matrix: {size: [8, 32]}\n")),
              ElementsAre("argv=mm", "argv=mm size=32"));
}

TEST_F(ProgramFile, AKeyDoesNotDependOnWhatOtherFilesDeclare) {
  const std::string text = "parameters: {size: 8}\nparams: {argv: mm}\n";
  const TrialKey before = key(declare(text));
  store(declare("parameters: {size: 8, depth: 3}\n"));
  EXPECT_EQ(key(declare(text)), before);
}

TEST_F(ProgramFile, IsAWorkloadForLaterFiles) {
  store(declare("parameters: {size: 8}\n"));
  const Parsed later =
      parse("sweep: b\nworkload: mm\nparams: {argv: mm}\nmatrix: {size: [1, 2]}\n");
  EXPECT_EQ(render(later.errors), "");
  const Parsed one_file = parse(
      "sweep: a\nprogram: new\nparameters: {n: 1}\nparams: {argv: x}\n---\n"
      "sweep: b\nworkload: new\nparams: {argv: x}\nmatrix: {n: [1, 2]}\n");
  EXPECT_EQ(render(one_file.errors), "");
}

}  // namespace
}  // namespace sweepd::test
