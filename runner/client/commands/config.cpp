#include <fmt/format.h>

#include <memory>

#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {

namespace {

Exit config(Client& client, const std::string& format) {
  const auto reply = client.call<rpc::Config>({});
  if (!reply) return report_error(reply.error());
  Table table;
  table.title = "Configuration";
  table.columns = {
      {"key", "", Align::kLeft}, {"value", "", Align::kLeft}, {"from", "", Align::kLeft}};
  for (const ConfigValue& value : reply->values) {
    table.rows.push_back({{value.key, {}}, {value.value, {}}, {value.source, {}}});
  }
  for (const ConfigFile& file : reply->files) {
    table.notes.push_back(
        fmt::format("{}: {}", file.path, file.exists ? "read" : "there is no such file"));
  }
  if (!reply->changed.empty()) {
    table.notes.push_back(reply->changed);
    table.warnings = 1;
  }
  const auto printed = print_table(table, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_config(Command& app, Client& client) {
  auto format = std::make_shared<std::string>("text");
  Command* command =
      app.add_subcommand("config", "Show the configuration, with the file and line of each value");
  add_format_option(*command, *format);
  command->footer("Example: sweepctl config");
  command->callback(
      [&client, format] { client.action = [&client, format] { return config(client, *format); }; });
}

}  // namespace sweepd
