#include "runner/client/completion/scripts.h"

#include <CLI/CLI.hpp>

#include "runner/base/text.h"
#include "runner/report/cell/report.h"

namespace sweepd {
namespace {

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return text;
}

std::vector<Outline::Option> options_of(const CLI::App& command) {
  std::vector<Outline::Option> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      options.push_back({"--" + name, on_one_line(option->get_description()),
                         option->get_items_expected_max() > 0});
    }
  }
  return options;
}

std::string names_of_positional(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name(true);
    if (name == "SWEEP" || name == "WHAT") return "sweeps";
    if (name == "WORKLOAD") return "workloads";
  }
  return "";
}

}  // namespace

Outline outline_of(const CLI::App& app) {
  Outline outline;
  outline.options = options_of(app);
  outline.formats = join(format_words(), " ");
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    outline.verbs.push_back({command->get_name(), on_one_line(command->get_description()),
                             options_of(*command), names_of_positional(*command)});
  }
  return outline;
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  if (shell == "bash") return bash_script(outline_of(app));
  if (shell == "zsh") return zsh_script(outline_of(app));
  if (shell == "fish") return fish_script(outline_of(app));
  return "";
}

}  // namespace sweepd
