// `sweepctl completion bash`: reads verbs, options and the kind of each positional from the parser,
// so that the script cannot differ from the program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <set>

#include "runner/base/text.h"
#include "runner/client/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

namespace {

// {0} verbs, {1} global options, {2} cases of a verb's options, {3} cases of the kind of its words.
constexpr const char* kScript =
    R"(# bash completion of sweepctl, made by `sweepctl completion bash`.
# Try it: source <(sweepctl completion bash)

# The names that a running daemon knows; none when none runs, and none is started.
_sweepctl_names() {{
  local i state=()
  for ((i = 1; i + 1 < COMP_CWORD; i++)); do
    [[ ${{COMP_WORDS[i]}} == --state-dir ]] && state=(--state-dir "${{COMP_WORDS[i + 1]}}")
  done
  "${{COMP_WORDS[0]/#\~/$HOME}}" "${{state[@]}}" completion "$1" 2>/dev/null
}}

_sweepctl() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} verb='' i words=''
  local verbs=' {0} '
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ $verbs == *" ${{COMP_WORDS[i]}} "* ]]; then verb=${{COMP_WORDS[i]}} && break; fi
  done
  case $prev in
    --format) words='md csv json text latex html' ;;
    --sweep) words=$(_sweepctl_names sweeps) ;;
    --state-dir | --db) COMPREPLY=() && return ;;
  esac
  if [[ -z $words && $cur == -* ]]; then
    case $verb in
{2}    esac
    words="$words {1}"
  elif [[ -z $words ]]; then
    case $verb in
      '') words=$verbs ;;
{3}    esac
  fi
  local IFS=$' \n'
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}

# What has no words of ours is a file.
complete -o default -F _sweepctl sweepctl
)";

std::string options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return join(names, " ");
}

// Returns what the first positional of a verb names, as `completion` can list it; "" for files and
// others.
std::string names_of_positional(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name(true);
    if (name == "SWEEP" || name == "WHAT") return "sweeps";
    if (name == "WORKLOAD") return "workloads";
  }
  return "";
}

std::string script(const CLI::App& app) {
  std::vector<std::string> verbs;
  std::string options, positionals;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string& verb = command->get_name();
    verbs.push_back(verb);
    options += fmt::format("      {}) words='{}' ;;\n", verb, options_of(*command));
    const std::string names = names_of_positional(*command);
    if (!names.empty()) {
      positionals += fmt::format("      {}) words=$(_sweepctl_names {}) ;;\n", verb, names);
    }
  }
  return fmt::format(kScript, join(verbs, " "), options_of(app), options, positionals);
}

Result<std::set<std::string>> known_names(Client& client, const std::string& what) {
  std::set<std::string> names;  // several sweeps may have one name
  if (what == "sweeps") {
    const auto reply = client.call<rpc::List>({});
    if (!reply) return reply.error();
    for (const rpc::SweepEntry& sweep : reply->sweeps) names.insert(sweep.name);
  } else {
    const auto catalog = client.call<rpc::Workloads>({});
    if (!catalog) return catalog.error();
    for (const WorkloadDef& workload : catalog->workloads) names.insert(workload.name);
  }
  return names;
}

// Prints one name per line for the script. Prints no error if names cannot be had.
Exit print_names(Client& client, const std::string& what) {
  client.no_start = true;
  const auto names = known_names(client, what);
  if (!names) return Exit::kUnavailable;
  for (const std::string& name : *names) fmt::print("{}\n", name);
  return Exit::kOk;
}

}  // namespace

void add_completion(Command& app, Client& client) {
  auto what = std::make_shared<std::string>();
  Command* command = app.add_subcommand("completion", "Print the completion script for bash");
  command
      ->add_option("WORDS", *what,
                   "bash: print the script; sweeps, workloads: print the names that a running "
                   "daemon knows, for the script")
      ->required()
      ->one_of({"bash", "sweeps", "workloads"});
  command->footer("Example: source <(sweepctl completion bash)");
  command->callback([&app, &client, what] {
    client.action = [&app, &client, what] {
      if (*what != "bash") return print_names(client, *what);
      fmt::print("{}", script(app.app()));
      return Exit::kOk;
    };
  });
}

}  // namespace sweepd
