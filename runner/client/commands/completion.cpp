#include <fmt/format.h>

#include <set>

#include "runner/base/ids.h"
#include "runner/base/say.h"
#include "runner/client/completion/scripts.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

namespace {

Result<std::set<std::string>> known_names(Client& client, const std::string& what) {
  std::set<std::string> names;  // several sweeps may have one name
  if (what == "sweeps") {
    const auto reply = client.call<rpc::List>({});
    if (!reply) return reply.error();
    for (const SweepRow& sweep : reply->sweeps) names.insert(sweep.name);
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
  // A database of before names were checked may have others.
  for (const std::string& name : *names) {
    if (is_sweep_name(name)) say("{}\n", name);
  }
  return Exit::kOk;
}

}  // namespace

void add_completion(Command& app, Client& client) {
  auto what = std::make_shared<std::string>();
  Command* command =
      app.add_subcommand("completion", "Print the completion script for bash, zsh or fish");
  command
      ->add_option("WORDS", *what,
                   "bash, zsh, fish: print the script; sweeps, workloads: print the names that a "
                   "running daemon knows, for the script")
      ->required()
      ->one_of({"bash", "zsh", "fish", "sweeps", "workloads"});
  command->footer(
      "Examples: source <(sweepctl completion bash)\n"
      "          source <(sweepctl completion zsh)\n"
      "          sweepctl completion fish | source");
  command->callback([&app, &client, what] {
    client.action = [&app, &client, what] {
      const std::string script = completion_script(app.app(), *what);
      if (script.empty()) return print_names(client, *what);
      print_exactly(stdout, script);
      return Exit::kOk;
    };
  });
}

}  // namespace sweepd
