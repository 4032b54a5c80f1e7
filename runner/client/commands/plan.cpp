#include <fmt/format.h>

#include <algorithm>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/commands/planning.h"
#include "runner/client/render/output.h"
#include "runner/client/render/plan_view.h"
#include "runner/client/session/client.h"
#include "runner/client/session/sweep_file.h"
#include "runner/report/cell/report.h"
#include "runner/wire/json_text.h"

namespace sweepd {

namespace {

constexpr std::int64_t kSamples = 5;

struct PlanOptions {
  SweepFiles sweep;
  bool all = false;
  std::string format = "text";
};

void print_plan(const SweepPlan& plan, std::size_t width) {
  say("{}\n", plan_text(plan));
  Table table = trials_table(plan);
  const auto more = plan.trials - static_cast<std::int64_t>(table.rows.size());
  table.title = more > 0 ? "Some of the trials" : "Trials";
  say("{}", to_text(table, width));
  if (more > 0) say("… {} more\n", with_thousands(more));
}

void print_all(const std::vector<SweepPlan>& plans, const PlanOptions& options) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (i > 0) say("\n");
    print_plan(plans[i], terminal_width());
  }
  const std::string again = join(options.sweep.all_sets(), " --set ");
  say("\nNothing is queued yet: sweepctl submit {}{}{}\n", join(options.sweep.files, " "),
      again.empty() ? "" : " --set ", again);
}

Exit plan(Client& client, const PlanOptions& options) {
  const auto files = read_sweep_files(client, options.sweep);
  if (!files) return report_error(files.error());
  std::vector<SweepPlan> plans;
  for (const SweepFile& file : *files) {
    rpc::Plan::Request request = file.plan();
    request.limit = kSamples;
    request.all = options.all;
    auto sweeps = plan_sweeps(client, request);
    if (!sweeps) return report_error(sweeps.error());
    for (SweepPlan& one : *sweeps) plans.push_back(std::move(one));
  }
  if (options.format == "text") {
    print_all(plans, options);
    return Exit::kOk;
  }
  if (options.format == "json") {
    say("{}\n", printable_json(to_indented_json(to_message(plans))));
    return Exit::kOk;
  }
  std::vector<Table> tables;
  for (const SweepPlan& one : plans) tables.push_back(trials_table(one));
  const auto printed = print_tables(tables, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_plan(Command& app, Client& client) {
  auto options = std::make_shared<PlanOptions>();
  Command* command =
      app.add_subcommand("plan", "Show what a file would run, reuse and cost; queues nothing");
  add_sweep_file_options(*command, options->sweep);
  command->add_flag("--all", options->all, "list every trial, not just a few");
  add_format_option(*command, options->format);
  command->footer(
      "text shows the whole plan, and so does json, for scripts; md and csv show only the trials.\n"
      "Times are estimated from past attempts on this host. Memory is a lower bound by formula:\n"
      "weights, gradients, optimizer state, operands.\n"
      "Example: sweepctl plan lm.yaml --set context=512,1024 --all");
  command->callback([&client, options] {
    client.action = [&client, options] { return plan(client, *options); };
  });
}

}  // namespace sweepd
