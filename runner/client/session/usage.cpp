#include "runner/client/session/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runner/base/printable.h"
#include "runner/base/text.h"

namespace sweepd {
namespace {

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  return names;
}

std::vector<std::string> options_of(const CLI::App& app, const CLI::App& verb) {
  std::vector<std::string> names;
  for (const CLI::App* one : {&verb, &app}) {
    for (const CLI::Option* option : one->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::string no_verb(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word.starts_with('-')) {
      const std::string option = word.substr(0, word.find('='));
      return fmt::format("no option `{}`{}; `{} --help` lists them", option,
                         did_you_mean(option, options_of(app, app)), app.get_name());
    }
    return fmt::format("no command `{}`{}; `{} --help` lists them", word,
                       did_you_mean(word, verbs_of(app)), app.get_name());
  }
  return "";
}

// For `phase=step` without an option before it: names the option of the verb that takes such a
// word. Returns "" if there is none.
std::string hint_of_setting(const CLI::App& app, const CLI::App& verb, const std::string& word) {
  if (word.find('=') == std::string::npos) return "";
  const auto options = options_of(app, verb);
  for (const char* option : {"--where", "--set"}) {
    if (std::find(options.begin(), options.end(), option) == options.end()) continue;
    return fmt::format("; did you mean `{0} {1}`? Each such word needs its own {0}", option, word);
  }
  return "";
}

std::string one_too_many(const CLI::App& app, const CLI::App& verb, const std::string& word,
                         const std::string& name) {
  if (!word.starts_with('-')) {
    const std::string hint = hint_of_setting(app, verb, word);
    if (!hint.empty()) return fmt::format("`{}` is one word too many{}", word, hint);
    return fmt::format("`{}` is one word too many; see `{} --help`", word, name);
  }
  const std::string option = word.substr(0, word.find('='));
  return fmt::format("`{}` has no option `{}`{}; `{} --help` lists them", name, option,
                     did_you_mean(option, options_of(app, verb)), name);
}

std::string explanation_of(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> verbs = app->get_subcommands();  // those that were given
  if (verbs.empty()) {
    const std::string said = no_verb(*app);
    return said.empty() ? app->help() : app->get_name() + ": " + said + "\n";
  }
  const CLI::App& verb = *verbs.front();
  const std::string name = app->get_name() + " " + verb.get_name();
  const std::vector<std::string> rest = app->remaining(true);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !rest.empty()) {
    return fmt::format("{}: {}\n", app->get_name(), one_too_many(*app, verb, rest.front(), name));
  }
  return fmt::format("{}: {}; see `{} --help`\n", app->get_name(), error.what(), name);
}

}  // namespace

std::string explain_usage(const CLI::App* app, const CLI::Error& error) {
  return printable_lines(explanation_of(app, error));
}

}  // namespace sweepd
