#include <fmt/format.h>

#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct ReportOptions {
  std::string sweep;
  std::string table;
  std::vector<std::string> with;
  std::string format = "md";
};

Exit report(Client& client, const ReportOptions& options) {
  const auto reply = client.call<rpc::Report>({options.sweep, options.table, options.with});
  if (!reply) return report_error(reply.error());
  if (reply->plots && !reply->plots->empty() && options.table.empty()) {
    std::string titles;
    for (const std::string& title : *reply->plots) {
      titles += fmt::format("{}`{}`", titles.empty() ? "" : ", ", title);
    }
    fmt::print(stderr, "note: `sweepctl plot {}` draws {}\n", reply->sweep.name, titles);
  }
  const auto printed = print_tables(reply->tables, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_report(Command& app, Client& client) {
  auto options = std::make_shared<ReportOptions>();
  Command* command = app.add_subcommand("report", "Print the tables that a sweep file declares");
  command->add_option(
      "SWEEP", options->sweep,
      "name (its latest sweep), id or unique prefix of an id [default: the latest sweep]");
  command->add_option(
      "--table", options->table,
      "print only this table: its number from 1, its title, or the beginning of its title");
  add_with_option(*command, options->with);
  add_format_option(*command, options->format);
  command->footer(
      "Examples: sweepctl report lm-end-to-end > tables.md\n"
      "          sweepctl report lm-end-to-end --table 'Step time' --format csv");
  command->callback([&client, options] {
    client.action = [&client, options] { return report(client, *options); };
  });
}

}  // namespace sweepd
