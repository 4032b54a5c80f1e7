#include "runner/client/client.h"
#include "runner/client/output.h"

namespace sweepd {
namespace {

Exit report(Client& client, const std::string& sweep, const std::string& format) {
  const auto reply = client.call("report", {{"sweep", sweep}});
  if (!reply) return report_error(reply.error());
  const auto tables = tables_of((*reply)["tables"]);
  if (!tables) return report_error(tables.error());
  const auto printed = print_tables(*tables, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_report(CLI::App& app, Client& client) {
  auto sweep = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("md");
  CLI::App* command = app.add_subcommand("report", "The tables that a sweep file declares");
  command->add_option("SWEEP", *sweep, "name (its latest), id or unique prefix of an id")
      ->required();
  add_format_option(*command, *format);
  command->footer("Example: sweepctl report lm-end-to-end > tables.md");
  command->callback([&client, sweep, format] {
    client.action = [&client, sweep, format] { return report(client, *sweep, *format); };
  });
}

}  // namespace sweepd
