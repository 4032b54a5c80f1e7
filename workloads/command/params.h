// The parameters of `command`.
//
// A sweep's parameters are columns of the database, so they must be declared. A sweep file may do
// that for its program (model/vocabulary/program.h). A command without such a declaration has those
// below for its template, with the names and types that other workloads use for the same thing, so
// that one query can show a program's results beside theirs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/model/vocabulary/param.h"

namespace sweepd::command {

struct NameCollector {
  std::vector<std::string> all;
  void operator()(std::string_view name, auto&, std::string_view, const auto&...) {
    all.emplace_back(name);
  }
};

// A parameter that a sweep file declared, as a template inserts it: bytes as a number.
struct Declared {
  std::string name, value;
  Value typed;
};

// {"size":512,"label":"0012345"}: each as the sweep file declares it, for $SWEEPD_PARAMS. What is
// not finite is NaN, Infinity or -Infinity, as Python reads it.
std::string declared_as_json(const std::vector<Declared>& declared);

struct Params {
  std::string argv;
  std::string args;
  std::string env;
  std::string secrets;
  std::string interpreter, python, venv;
  std::string cwd;
  std::string watch;
  std::string code;
  std::string patterns;
  std::string reports = "samples", reports_file, reports_map;
  std::string work_tokens, work_flops, work_bytes;
  std::string observe = "nothing", step_ends = "optimizer", ranges;
  std::string profiler;
  std::string submitted_from, submitted_environment;

  std::string variant, model, mode, precision, implementation, dtype, compile, backend;
  std::int64_t context = 0, batch = 0, size = 0, heads = 0, sequence = 0, d_head = 0, d_model = 0;
  Bytes bytes{0};
  bool causal = false;
  std::string arg1, arg2, arg3, arg4;

  void visit(auto& field) {
    field("argv", argv,
          "the program and its arguments; {name} is the value of a parameter; no shell is involved",
          form_of(TextForm::kCommandLine, template_names()));
    field("args", args,
          "more arguments, behind those of argv; `auto` is `--NAME={NAME}` of each parameter that "
          "the sweep declares, and `auto dashes`, `auto flags` and others are its styles",
          form_of(TextForm::kWords, template_names()));
    field("env", env,
          "environment variables on top of the daemon's: `NAME=value ...`; the values are stored, "
          "so tokens and passwords belong in `secrets`",
          form_of(TextForm::kAssignments, template_names()));
    field("secrets", secrets,
          "names of environment variables whose values are never stored: they come from the file "
          "`secrets` in the state folder, one `NAME=value` a line, mode 0600",
          form_of(TextForm::kNames));
    field("interpreter", interpreter,
          "a program, with arguments, that runs argv: `julia --project`",
          form_of(TextForm::kWords, template_names()));
    field("python", python,
          "the interpreter of {python} and of an argv that begins with a `.py`; empty is that of "
          "`venv`, else $SWEEPD_PYTHON, else python3",
          form_of(TextForm::kTemplate, template_names()));
    field("venv", venv,
          "a virtual environment of Python, whose programs are found first; relative to the sweep "
          "file",
          form_of(TextForm::kTemplate, template_names()));
    field("cwd", cwd, "its working folder, relative to the sweep file; empty is the attempt's own",
          form_of(TextForm::kTemplate, template_names()));
    field(
        "watch", watch,
        "files and folders, besides those that argv names, whose content makes another trial: what "
        "the program includes or reads",
        form_of(TextForm::kTemplate, template_names()));
    field("code", code,
          "the program's content, as `NAME:HASH ...` of argv[0], of every word of argv that is a "
          "file, of the modules beside a script that it imports, and of `watch`; computed at "
          "submission, and checked when the attempt starts; `any` "
          "does neither",
          Computed());
    visit_read(field);
    field("submitted_from", submitted_from,
          "the folder of the sweep file; filled in at submission, and no part of the key",
          Scheduling());
    field("submitted_environment", submitted_environment,
          "`NAME=value` a line: PATH and others of the process that submitted; filled in at "
          "submission, and no part of the key",
          Scheduling());
    visit_free(field);
  }

  // The readers of its output.
  void visit_read(auto& field) {
    field("patterns", patterns,
          "figures to read from its output, one `METRIC[.PHASE][:UNIT] = REGEX` or `fact.NAME = "
          "REGEX` a line; no part of the key: `sweepctl reread` reads stored output again",
          Scheduling());
    field("reports", reports,
          "samples: it runs once and reports its steps; nothing: each step is one run of it, timed "
          "from outside; others: the format of what it writes",
          one_of({"samples", "nothing", "ndjson", "csv", "hyperfine", "google-benchmark",
                  "pytest-benchmark", "nccl-tests", "llama-bench", "torchtitan", "vllm"}),
          Immaterial());
    field(
        "reports_file", reports_file,
        "the file that the program writes in that format, below its working folder; empty is "
        "`{report}`, or what it prints; `file` of `reports` sets it, and it is no part of the key",
        form_of(TextForm::kTemplate, template_names()), Scheduling());
    field(
        "reports_map", reports_map,
        "whose columns or keys are which figures, one `METRIC[.PHASE][:UNIT] = THEIRS` a line, or "
        "`step` or `warmup`; `map` of `reports` sets it, and it is no part of the key",
        Scheduling());
    visit_observed(field);
    field("profiler", profiler,
          "of the profile pass: a program, with arguments, that runs argv: `perf stat -o "
          "{folder}/perf.txt`; no part of the key",
          form_of(TextForm::kWords, template_names()), Scheduling());
  }

  void visit_observed(auto& field) {
    field("work_tokens", work_tokens,
          "tokens of a step, a formula: `{batch} * {context}`; the section `work` sets it",
          form_of(TextForm::kTemplate, template_names()), Scheduling());
    field("work_flops", work_flops,
          "FLOPs of a step, a formula with a multiply-add as two; `count`: those that PyTorch "
          "counts in the first step, which must be warm-up, under `observe: torch`; the section "
          "`work` sets it",
          form_of(TextForm::kTemplate, template_names()), Scheduling());
    field(
        "work_bytes", work_bytes,
        "fewest bytes of a step through the device's memory, a formula; the section `work` sets it",
        form_of(TextForm::kTemplate, template_names()), Scheduling());
    field(
        "observe", observe,
        "torch: the steps of a Python program that trains with PyTorch are found without a change "
        "to it: forward, backward, optimizer, their memory, kernels and operators; after `warmup` "
        "and `steps` the program is ended. cuda: the kernels, copies and device memory of any "
        "program that uses CUDA, in the profile and memory passes; its steps are NVTX ranges such "
        "as `step`, else what is between cudaProfilerStart and cudaProfilerStop, else the run",
        one_of({"nothing", "torch", "cuda"}));
    field("step_ends", step_ends,
          "what ends a step under `observe`: `optimizer`, `backward`, `forward` of a program that "
          "only infers, or the name of a function: `train_step`, `Trainer.step`, `engine.run`");
    field(
        "ranges", ranges,
        "ranges of the profile under `observe`, besides the program's own: `modules`, or `modules "
        "3` down to that depth, are the modules of the model by name");
  }

  // What a sweep file declared, in the order of its definition.
  std::vector<Declared> declared;

  // Takes what was declared, which is behind the run parameters (model/vocabulary/program.h), and
  // returns the others. A declared name may be one of those below, with another type.
  std::vector<std::pair<std::string, Value>> take_declared(
      std::vector<std::pair<std::string, Value>> values);

  // All names that a template may use, in the order of variables_of.
  static std::vector<std::string> template_names() {
    NameCollector names;
    Params().visit_free(names);
    for (const char* name : {"device", "world_size", "rank", "warmup", "steps", "seed", "threads",
                             "memory_limit", "pass", "folder", "report", "python", "scripts"}) {
      names.all.emplace_back(name);
    }
    return std::move(names.all);
  }

  // These have only the meaning that the template gives them.
  void visit_free(auto& field) {
    field("variant", variant, "for the template: which of several programs or settings", Matters());
    field("model", model, "for the template", Matters());
    field("mode", mode, "for the template", Matters());
    field("precision", precision, "for the template", Matters());
    field("implementation", implementation, "for the template", Matters());
    field("dtype", dtype, "for the template", Matters());
    field("compile", compile, "for the template", Matters());
    field("backend", backend, "for the template", Matters());
    field("context", context, "for the template");
    field("batch", batch, "for the template");
    field("size", size, "for the template");
    field("heads", heads, "for the template");
    field("sequence", sequence, "for the template");
    field("d_head", d_head, "for the template");
    field("d_model", d_model, "for the template");
    field("bytes", bytes, "for the template, which gets the number of bytes");
    field("causal", causal, "for the template, which gets true or false");
    field("arg1", arg1, "for the template: anything else", Matters());
    field("arg2", arg2, "for the template: anything else", Matters());
    field("arg3", arg3, "for the template: anything else", Matters());
    field("arg4", arg4, "for the template: anything else", Matters());
  }
};

}  // namespace sweepd::command
