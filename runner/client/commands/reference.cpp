#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/commands/reference_file.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"

namespace sweepd {
namespace {

struct ReferenceOptions {
  std::string what, file, mapping;
  std::string format = "text";
};

Exit add(Client& client, const ReferenceOptions& options) {
  const auto added = add_reference_file(client, options.file, options.mapping);
  if (!added) return report_error(added.error());
  say("reference {}: {}, {} for tables, {} with something wrong; sources {}\n", added->name,
      counted(added->rows, "figure"), with_thousands(added->shown), with_thousands(added->doubted),
      join(added->sources, ", "));
  return Exit::kOk;
}

Exit list(Client& client, const ReferenceOptions& options) {
  const auto reply = client.call<rpc::ReferenceList>({});
  if (!reply) return report_error(reply.error());
  Table table;
  table.columns = {{"reference", "", Align::kLeft},   {"figures", "", Align::kRight},
                   {"for tables", "", Align::kRight}, {"doubted", "", Align::kRight},
                   {"added", "", Align::kLeft},       {"sources", "", Align::kLeft},
                   {"description", "", Align::kLeft}};
  const auto number = [](std::int64_t n) {
    return Cell{with_thousands(n), static_cast<double>(n)};
  };
  for (const ReferenceSummary& one : reply->references) {
    table.rows.push_back({{one.name, {}},
                          number(one.rows),
                          number(one.shown),
                          number(one.doubted),
                          {local_time(one.added.ns), {}},
                          {join(one.sources, ", "), {}},
                          {one.description, {}}});
  }
  const auto printed = print_table(table, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

Exit remove(Client& client, const ReferenceOptions& options) {
  const auto reply = client.call<rpc::ReferenceRemove>({options.file});
  if (!reply) return report_error(reply.error());
  say("reference {}: {} removed\n", options.file, counted(reply->rows, "figure"));
  return Exit::kOk;
}

Exit reference(Client& client, const ReferenceOptions& options) {
  if (options.what == "list") return list(client, options);
  if (options.file.empty()) {
    return report_error({ErrorCode::kInvalidArgument, options.what == "add"
                                                          ? "reference add: name a file of figures"
                                                          : "reference remove: name a reference"});
  }
  return options.what == "add" ? add(client, options) : remove(client, options);
}

}  // namespace

void add_reference(Command& app, Client& client) {
  auto options = std::make_shared<ReferenceOptions>();
  Command* command =
      app.add_subcommand("reference", "Add published figures to show beside measured ones");
  command->add_option("ACTION", options->what, "add, list or remove")
      ->one_of({"add", "list", "remove"})
      ->required();
  command->add_option("FILE", options->file,
                      "add: a CSV file (schemas/reference.md); remove: a reference's name");
  command->add_option(
      "--map", options->mapping,
      "the mapping of the CSV file's columns [default: FILE with .yaml, if it exists]");
  add_format_option(*command, options->format);
  command->footer(
      "Published figures are never in a table that does not name `source`.\n"
      "Example: sweepctl reference add experiments/reference/writeups.csv\n"
      "         sweepctl reference list");
  command->callback([&client, options] {
    client.action = [&client, options] { return reference(client, *options); };
  });
}

}  // namespace sweepd
