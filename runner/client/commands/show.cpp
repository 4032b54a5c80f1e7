#include <fmt/format.h>

#include "runner/base/units.h"
#include "runner/client/client.h"
#include "runner/client/commands/show_kernels.h"
#include "runner/client/memory_view.h"
#include "runner/client/output.h"

namespace sweepd {

using nlohmann::json;

namespace {

struct ShowOptions {
  std::string what;
  bool steps = false;
  bool source = false;
  bool memory = false;
  std::int64_t limit = 200;
  std::string format = "text";
  KernelOptions kernels;
};

Table attempts_table(const json& attempts) {
  Table table;
  table.title = "Attempts";
  table.columns = {{"attempt", "", Align::kLeft}, {"trial", "", Align::kLeft},
                   {"pass", "", Align::kLeft},    {"repeat", "", Align::kRight},
                   {"state", "", Align::kLeft},   {"verdict", "", Align::kLeft},
                   {"took", "", Align::kRight},   {"parameters", "", Align::kLeft},
                   {"why", "", Align::kLeft}};
  std::vector<std::string> keys;
  for (const json& attempt : attempts) keys.push_back(attempt["trial"]);
  const std::size_t digits = telling_digits(keys);
  for (const json& attempt : attempts) {
    const std::string id = attempt["id"];
    const std::string trial = attempt["trial"];
    Cell took;
    if (attempt.contains("started_ns") && attempt.contains("ended_ns")) {
      const Duration d{attempt["ended_ns"].get<std::int64_t>() -
                       attempt["started_ns"].get<std::int64_t>()};
      took = {to_human(d), d.seconds()};
    }
    const std::string detail = attempt["detail"];
    const std::string reasons = attempt["verdict_reasons"];
    const bool both = !detail.empty() && !reasons.empty();
    table.rows.push_back({{std::string(short_id(id)), {}},
                          {trial.substr(0, digits), {}},
                          {attempt["pass"], {}},
                          {std::to_string(attempt["repeat"].get<int>()), {}},
                          {attempt["state"], {}},
                          {attempt["verdict"], {}},
                          took,
                          {attempt["label"], {}},
                          {detail + (both ? "; " : "") + reasons, {}}});
  }
  return table;
}

void print_sweep_head(const json& sweep) {
  const json& counts = sweep["counts"];
  const std::string description = sweep["description"];
  fmt::print("sweep {} `{}` of {}, submitted {}{}\n", sweep["id"].get<std::string>(),
             sweep["name"].get<std::string>(), sweep["workload"].get<std::string>(),
             local_time(sweep["submitted_ns"]),
             sweep["cancelled"].get<bool>() ? ", cancelled" : "");
  if (!description.empty()) fmt::print("{}\n", description);
  fmt::print("{}, {} of {} done\n\n", counted(sweep["trials"].get<std::int64_t>(), "trial"),
             with_thousands(counts["done"].get<std::int64_t>()),
             counted(counts["total"].get<std::int64_t>(), "attempt"));
}

Exit show(Client& client, const ShowOptions& options) {
  if (options.memory) return show_memory(client, options.what, options.format);
  if (options.kernels.wanted) {
    return show_kernels(client, options.what, options.kernels, options.format);
  }
  const auto reply = client.call(
      "show", {{"what", options.what}, {"steps", options.steps}, {"limit", options.limit}});
  if (!reply) return report_error(reply.error());
  const json& shown = *reply;
  if (options.source && shown["kind"] == "sweep") {
    fmt::print("{}", shown["source"].get<std::string>());
    return Exit::kOk;
  }
  std::vector<Table> tables;
  if (shown.contains("attempts")) tables.push_back(attempts_table(shown["attempts"]));
  if (shown.contains("tables")) {
    auto more = tables_of(shown["tables"]);
    if (!more) return report_error(more.error());
    tables.insert(tables.end(), more->begin(), more->end());
  }
  if (shown["kind"] == "sweep" && options.format == "text") print_sweep_head(shown["sweep"]);
  const auto printed = print_tables(tables, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_show(Command& app, Client& client) {
  auto options = std::make_shared<ShowOptions>();
  Command* command =
      app.add_subcommand("show", "Show everything known about a sweep, a trial or an attempt");
  command->add_option(
      "WHAT", options->what,
      "a sweep's name, or the id of a sweep, trial or attempt [default: the latest sweep]");
  command->add_flag("--steps", options->steps,
                    "for an attempt: list every sample, including warm-up");
  command->add_flag(
      "--memory", options->memory,
      "for a memory pass: draw live memory over one step and list what it consists of");
  command->add_flag("--source", options->source, "for a sweep: print the file as it was submitted");
  command
      ->add_option("--limit", options->limit, "for a sweep: at most this many attempts; 0 is all")
      ->capture_default_str();
  add_kernel_options(*command, options->kernels);
  add_format_option(*command, options->format);
  command->footer("Example: sweepctl show lm-end-to-end; sweepctl show 3f9c2a7b --memory");
  command->callback([&client, options] {
    client.action = [&client, options] { return show(client, *options); };
  });
}

}  // namespace sweepd
