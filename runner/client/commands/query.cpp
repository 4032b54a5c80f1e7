#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/wire/table_json.h"

namespace sweepd {
namespace {

struct Options {
  QuerySpec query;
  std::vector<std::string> where;
  std::string format = "text";
};

Result<void> add_filters(Options& options) {
  for (const std::string& text : options.where) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorCode::kInvalidArgument,
                   "--where: `" + text + "` must be name=value or name=value,value,..."};
    }
    options.query.table.where.push_back(
        {text.substr(0, equals), split(text.substr(equals + 1), ',')});
  }
  return {};
}

Exit query(Client& client, Options& options) {
  if (const auto added = add_filters(options); !added) return report_error(added.error());
  const auto reply = client.call("query", to_json(options.query));
  if (!reply) return report_error(reply.error());
  const auto table = table_from_json((*reply)["table"]);
  if (!table) return report_error(table.error());
  const auto printed = print_table(*table, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

void add_options(CLI::App& command, Options& options) {
  TableSpec& table = options.query.table;
  command.add_option("WORKLOAD", options.query.workload,
                     "the results of this workload, or use --sweep");
  command.add_option("--sweep", options.query.sweep, "only the trials of this sweep (name or id)");
  command.add_option("--where", options.where, "NAME=VALUE[,VALUE...]: only these")
      ->take_all()
      ->allow_extra_args(false);
  command.add_option("--rows", table.rows, "parameters that make the rows, such as model,context")
      ->delimiter(',');
  command
      .add_option("--columns", table.columns,
                  "parameters that make the columns, such as precision,phase")
      ->delimiter(',');
  command.add_option("--cell", table.cell,
                     "template of a cell: n mean std min p05 median p95 max mad sum, tokens_per_s "
                     "tflops gbps mfu bandwidth_share, as {mean:.1f}");
  command.add_option("--metric", table.metric,
                     "time, host_time, setup_time, loss ... [default: time]");
  command.add_option("--unit", table.unit, "ns us ms s; B KB MB GB KiB MiB GiB");
  command.add_option("--sort", options.query.sort, "by these; - in front for descending")
      ->delimiter(',');
  command.add_option("--limit", options.query.limit, "at most this many rows; 0 is all");
  command.add_flag("--only-varying", options.query.only_varying,
                   "leave out parameters that have one value");
  command.add_flag("--warmup", table.warmup, "with `step` in rows or columns: warm-up steps too");
  command.add_option("--title", table.title, "heading of the table");
}

}  // namespace

void add_query(CLI::App& app, Client& client) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("query", "A table of results by any parameters");
  add_options(*command, *options);
  add_format_option(*command, options->format);
  command->footer(
      "Example: sweepctl query lm_step --where mode=train_step --rows model,context \\\n"
      "           --columns precision,phase --cell '{mean:.1f} ± {std:.1f}' --format md");
  command->callback([&client, options] {
    client.action = [&client, options] { return query(client, *options); };
  });
}

}  // namespace sweepd
