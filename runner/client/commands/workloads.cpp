#include <fmt/format.h>

#include <filesystem>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/model/vocabulary/plugin.h"
#include "runner/report/cell/layout.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

std::string limits_of(const ParamDef& def) {
  const std::string grows = def.grows_memory ? "; grows memory" : "";
  if (def.type == ValueType::kChoice) return join(def.choices, ", ") + grows;
  std::string text{name_of(def.type)};
  const auto limit = [&def](double value) {
    return def.type == ValueType::kReal
               ? to_text(Value(value), def.type)
               : to_text(Value(static_cast<std::int64_t>(value)), def.type);
  };
  if (def.minimum) text += ", at least " + limit(*def.minimum);
  if (def.maximum) text += ", at most " + limit(*def.maximum);
  return text + grows;
}

Table params_table(const WorkloadDef& def, bool run_params) {
  Table table;
  table.title = run_params ? "Run parameters (every workload has them)" : "Parameters";
  table.columns = {{"parameter", "", Align::kLeft},
                   {"default", "", Align::kLeft},
                   {"values", "", Align::kLeft},
                   {"meaning", "", Align::kLeft}};
  for (const ParamDef& param : def.params) {
    if (param.run_param != run_params) continue;
    table.rows.push_back({{param.name, {}},
                          {param.text(param.default_value), {}},
                          {limits_of(param), {}},
                          {param.help, {}}});
  }
  return table;
}

Table overview(const Catalog& catalog) {
  Table table;
  table.title = "Workloads";
  table.columns = {{"workload", "", Align::kLeft},
                   {"phases", "", Align::kLeft},
                   {"passes", "", Align::kLeft},
                   {"what it measures", "", Align::kLeft}};
  for (const WorkloadDef& def : catalog.workloads) {
    table.rows.push_back({{def.name, {}},
                          {join(def.phases, ", "), {}},
                          {join(def.passes, ", "), {}},
                          {def.help, {}}});
  }
  return table;
}

void print_wrapped(const std::string& text) {
  const std::size_t width = terminal_width();
  for (const std::string& line : report::wrap(text, width == 0 ? text.size() : width)) {
    say("{}\n", line);
  }
}

Exit workloads(Client& client, const std::string& name, const std::string& format) {
  // The daemon's working folder is another one.
  const std::string whole =
      names_plugin_file(name) ? std::filesystem::absolute(name).string() : name;
  const auto catalog = client.call<rpc::Workloads>({whole});
  if (!catalog) return report_error(catalog.error());
  std::vector<Table> tables;
  if (name.empty()) {
    tables.push_back(overview(*catalog));
  } else {
    const WorkloadDef& def = catalog->workloads.front();
    if (format == "text") {
      print_wrapped(fmt::format("{} (version {}): {}", def.name, def.version, def.help));
      print_wrapped("phases: " + (def.phases.empty() ? "" : join(def.phases, ", ") + ", ") +
                    "step");
      print_wrapped("passes: " + join(def.passes, ", "));
      say("\n");
    }
    tables.push_back(params_table(def, false));
    tables.push_back(params_table(def, true));
  }
  const auto printed = print_tables(tables, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_workloads(Command& app, Client& client) {
  auto name = std::make_shared<std::string>();
  auto format = std::make_shared<std::string>("text");
  Command* command =
      app.add_subcommand("workloads", "List the workloads, or describe one and its parameters");
  command->add_option("WORKLOAD", *name, "describe this workload in full; or a plugin's file");
  add_format_option(*command, *format);
  command->footer("Example: sweepctl workloads lm_step");
  command->callback([&client, name, format] {
    client.action = [&client, name, format] { return workloads(client, *name, *format); };
  });
}

}  // namespace sweepd
