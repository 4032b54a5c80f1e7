#include "workloads/command/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "runner/base/text.h"
#include "runner/model/attempt/rank_variables.h"
#include "workloads/command/cuda_observer.h"
#include "workloads/command/variables.h"
#include "workloads/command/words.h"

namespace sweepd::command {
namespace {

namespace fs = std::filesystem;
using Environment = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> words_of(const std::string& text, const char* what,
                                  const std::vector<Variable>& variables, bool has_folder) {
  std::vector<std::string> words;
  for (const std::string& word : split_words(text, what)) {
    const bool needs_folder =
        word.find("{folder}") != std::string::npos || word.find("{report}") != std::string::npos;
    if (needs_folder && !has_folder) continue;
    std::ranges::move(substitute_words(word, variables, what), std::back_inserter(words));
  }
  return words;
}

// Sets or replaces a variable.
void set(Environment& environment, const std::string& name, std::string value) {
  const auto found =
      std::ranges::find(environment, name, [](const auto& own) { return own.first; });
  if (found != environment.end()) {
    found->second = std::move(value);
  } else {
    environment.emplace_back(name, std::move(value));
  }
}

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found =
      std::ranges::find(environment, name, [](const auto& own) { return own.first; });
  if (found != environment.end()) return found->second;
  const char* own = std::getenv(name.c_str());
  return own == nullptr ? "" : own;
}

// What the submitter's process had. Which GPUs a rank sees is what its lease says.
Environment submitted(const Params& params) {
  Environment environment;
  for (const std::string& line : split(params.submitted_environment, '\n')) {
    const std::size_t equal = line.find('=');
    if (equal == 0 || equal == std::string::npos || line.starts_with("CUDA_VISIBLE_DEVICES=")) {
      continue;
    }
    environment.emplace_back(line.substr(0, equal), line.substr(equal + 1));
  }
  return environment;
}

// Relative to the sweep file.
fs::path below_origin(const Params& params, const fs::path& path) {
  const bool as_it_is = path.empty() || path.is_absolute() || params.submitted_from.empty();
  return as_it_is ? path : fs::path(params.submitted_from) / path;
}

fs::path cwd_of(const Params& params, const std::vector<Variable>& variables) {
  return below_origin(params, substitute(params.cwd, variables, "cwd"));
}

fs::path venv_of(const Params& params, const std::vector<Variable>& variables) {
  return below_origin(params, substitute(params.venv, variables, "venv"));
}

void add_assignments(const Params& params, const std::vector<Variable>& variables, bool has_folder,
                     Environment& environment) {
  for (const std::string& word : words_of(params.env, "env", variables, has_folder)) {
    const std::size_t equal = word.find('=');
    if (equal == 0) {
      throw std::invalid_argument(
          fmt::format("env: `{}` is not an assignment; expected NAME=value, or NAME", word));
    }
    if (equal == std::string::npos) continue;  // a name: `submitted` has its value
    set(environment, word.substr(0, equal), word.substr(equal + 1));
  }
}

// What the program gets in addition to the worker's environment. `env` may set any of it, but does
// not hide what sweepd adds to PATH and PYTHONPATH.
Environment environment_of(const Params& params, const std::vector<Variable>& variables,
                           bool has_folder) {
  Environment environment = submitted(params);
  for (const Declared& own : params.declared) {
    environment.emplace_back("SWEEPD_PARAM_" + own.name, own.value);
  }
  add_assignments(params, variables, has_folder, environment);
  if (const fs::path venv = venv_of(params, variables); !venv.empty()) {
    if (!fs::exists(venv / "bin" / "python")) {
      throw std::invalid_argument(fmt::format(
          "venv: `{}` has no bin/python; expected a virtual environment of Python", venv.string()));
    }
    set(environment, "VIRTUAL_ENV", venv.string());
    set(environment, "PATH", (venv / "bin").string() + ":" + value_of(environment, "PATH"));
  }
  // `sweepctl emit` works in any script: sweepctl is beside the worker, or beside its launcher.
  std::error_code error;
  fs::path own = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (own.filename() == "libexec") own = own.parent_path() / "bin";
  if (!own.empty()) set(environment, "PATH", value_of(environment, "PATH") + ":" + own.string());
  // `import sweepd_metrics` works in any program.
  if (const fs::path scripts = scripts_folder() / "metrics"; scripts.is_absolute()) {
    const std::string before = value_of(environment, "PYTHONPATH");
    set(environment, "PYTHONPATH", scripts.string() + (before.empty() ? "" : ":" + before));
  }
  return environment;
}

Program program_with(const Params& params, const std::vector<Variable>& variables,
                     const Environment& environment, fs::path folder, bool has_folder) {
  Program program;
  program.origin = params.submitted_from;
  program.folder = std::move(folder);
  program.path = value_of(environment, "PATH");
  program.argv = words_of(params.interpreter, "interpreter", variables, has_folder);
  const auto argv = words_of(params.argv, "argv", variables, has_folder);
  // `mm.py` alone is a script for Python.
  const bool script = program.argv.empty() && !argv.empty() && argv.front().ends_with(".py");
  if (script) program.argv.push_back(substitute("{python}", variables, "argv"));
  program.argv.insert(program.argv.end(), argv.begin(), argv.end());
  if (argv.empty()) return program;  // no program
  for (std::string& word : words_of(params.args, "args", variables, has_folder)) {
    program.argv.push_back(std::move(word));
  }
  program.watch = words_of(params.watch, "watch", variables, has_folder);
  return program;
}

std::vector<Variable> variables_before(const Params& params, const RunParams& run) {
  return variables_of(params, run,
                      {run.device,
                       Pass::kTiming,
                       0,
                       static_cast<int>(run.world_size),
                       static_cast<int>(run.threads),
                       {}});
}

void check_ranges(const std::string& ranges) {
  const std::vector<std::string> words = split_words(ranges, "ranges");
  const auto is_depth = [](const std::string& word) {
    return word.size() == 1 && word[0] >= '1' && word[0] <= '9';
  };
  const bool fits =
      words.empty() ||
      (words[0] == "modules" && (words.size() == 1 || (words.size() == 2 && is_depth(words[1]))));
  if (fits) return;
  throw std::invalid_argument(fmt::format(
      "ranges: `{}`; expected `modules`, or `modules 3` with a depth from 1 to 9", ranges));
}

// Python imports `sitecustomize` of the first folder that has one before the program.
void put_observer(const Params& params, const Context& context, Environment& environment) {
  const fs::path observer = scripts_folder() / "observe";
  if (!fs::exists(observer / "sitecustomize.py")) {
    throw std::runtime_error(
        fmt::format("observe: {} has no sitecustomize.py; the installation is not complete",
                    observer.string()));
  }
  const std::string before = value_of(environment, "PYTHONPATH");
  set(environment, "PYTHONPATH", observer.string() + (before.empty() ? "" : ":" + before));
  set(environment, "SWEEPD_STEP_ENDS", params.step_ends);
  check_ranges(params.ranges);
  set(environment, "SWEEPD_RANGES", params.ranges);
  set(environment, "SWEEPD_FOLDER", context.folder.string());
}

// It runs the program, and leaves its files in the attempt's folder.
void put_profiler(const Params& params, const std::vector<Variable>& variables,
                  ProgramStart& plan) {
  std::vector<std::string> words = words_of(params.profiler, "profiler", variables, true);
  if (words.empty()) {
    throw std::invalid_argument(
        "profiler: the profile pass needs one, such as `perf stat -o {folder}/perf.txt`");
  }
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  plan.argv = std::move(words);
}

// A program that was written for torchrun chooses the GPU of its LOCAL_RANK among all of them. The
// ranks of an attempt have $SWEEPD_GPUS, in order; ranks that share a GPU see only theirs.
void show_all_gpus(const Context& context, Environment& environment) {
  const char* all = std::getenv("SWEEPD_GPUS");
  if (context.world_size < 2 || all == nullptr || *all == 0) return;
  std::vector<std::string> gpus = split(all, ',');
  std::ranges::sort(gpus);
  if (std::ranges::adjacent_find(gpus) == gpus.end()) set(environment, "CUDA_VISIBLE_DEVICES", all);
}

}  // namespace

Program program_of(const Params& params, const RunParams& run) {
  const std::vector<Variable> variables = variables_before(params, run);
  const Environment environment = environment_of(params, variables, /*has_folder=*/false);
  const bool known = params.cwd.find("{folder}") == std::string::npos;
  return program_with(params, variables, environment,
                      known ? cwd_of(params, variables) : fs::path(),
                      /*has_folder=*/false);
}

ProgramStart plan_of(const Params& params, const Context& context, const Secrets& secrets) {
  const std::vector<Variable> variables =
      variables_of(params, context.run,
                   {std::string(context.device.kind()), context.pass, context.rank,
                    context.world_size, context.threads, context.folder});
  ProgramStart plan;
  plan.environment = environment_of(params, variables, /*has_folder=*/true);
  plan.environment.emplace_back("SWEEPD_PARAMS", declared_as_json(params.declared));
  for (const auto& [name, value] : secrets.variables()) {
    // clang 14 cannot capture `name`.
    const std::string& wanted = name;
    const bool twice =
        std::ranges::any_of(plan.environment, [&](const auto& own) { return own.first == wanted; });
    if (twice) {
      throw std::invalid_argument(
          fmt::format("env sets {}, which secrets names too: its value would be stored", name));
    }
    plan.environment.emplace_back(name, value);
  }
  const fs::path cwd = cwd_of(params, variables);
  plan.folder = cwd.empty() ? context.folder : cwd;
  const Program program =
      program_with(params, variables, plan.environment, plan.folder, /*has_folder=*/true);
  if (program.argv.empty()) {
    throw std::invalid_argument("argv: a command needs a program, such as `echo {context}`");
  }
  plan.argv = with_paths(program);
  if (const auto found = find_program(program)) plan.argv.front() = found->string();
  if (params.observe == "torch") put_observer(params, context, plan.environment);
  if (observes_cuda(params, context.pass)) {
    for (auto& [name, value] : cuda_observer(context.folder, context.rank)) {
      set(plan.environment, name, std::move(value));
    }
  }
  const bool profiles_itself = params.observe != "nothing" && params.profiler.empty();
  if (context.pass == Pass::kProfile && !profiles_itself) put_profiler(params, variables, plan);
  show_all_gpus(context, plan.environment);
  // A program that finds them takes itself for one of several ranks: nanoGPT then begins DDP.
  if (context.world_size == 1) plan.without.assign(kRankVariables.begin(), kRankVariables.end());
  return plan;
}

void refuse_changed_code(const Params& params, const RunParams& run) {
  if (params.code.empty() || params.code == kAnyCode) return;
  const std::vector<std::string> changed = changed_since(params.code, program_of(params, run));
  if (changed.empty()) return;
  throw std::invalid_argument(fmt::format(
      "the program changed after it was submitted: {}; submit the sweep again, or, where the "
      "program itself writes it, leave it out: `watch: \"!NAME\"`",
      join(changed, ", ")));
}

}  // namespace sweepd::command
