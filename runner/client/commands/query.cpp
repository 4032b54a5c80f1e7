#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/client/render/output.h"
#include "runner/client/render/table_options.h"
#include "runner/client/session/client.h"
#include "runner/report/render/option_text.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct QueryOptions {
  QuerySpec query;
  std::vector<std::string> where, baseline, values;
  std::string bold = "none";
  std::string format = "text";
  std::string notes = "few";
};

Result<void> read_options(QueryOptions& options) {
  TableSpec& table = options.query.table;
  if (auto name = check_name("a workload", options.query.workload); !name) return name;
  // Several sweeps are a filter of one of them, as `from` of a table in a file.
  const std::vector<std::string> sweeps = split(options.query.sweep, ',');
  if (sweeps.size() > 1) {
    options.query.sweep = sweeps.front();
    table.where.push_back({"sweep", sweeps});
  }
  for (const std::string& text : options.where) {
    auto filter = filter_from_text("--where", text);
    if (!filter) return filter.error();
    table.where.push_back(std::move(*filter));
  }
  for (const std::string& text : options.baseline) {
    auto filter = baseline_from_text(text);
    if (!filter) return filter.error();
    table.baseline.push_back(std::move(*filter));
  }
  for (const std::string& text : options.values) {
    auto value = parse_value_option(text);
    if (!value) return value.error();
    table.values.push_back(std::move(*value));
  }
  split_headings(table.rows, table.headings);
  split_headings(table.columns, table.headings);
  const auto bold = bold_from(options.bold);
  if (!bold) return bold.error();
  table.bold = *bold;
  if (scope_of(table.bold) == BoldScope::kBaseline && table.baseline.empty()) {
    return Error{
        ErrorCode::kInvalidArgument,
        fmt::format("--bold {}: nothing is compared; add --baseline NAME=VALUE", options.bold)};
  }
  // A baseline that no cell uses would have no effect, so a column of changes is added.
  if (!table.baseline.empty() && table.cell.empty() && table.values.empty()) {
    table.values = {{}, {"change", "{change:+.1%}", "", "", {}, {}, {}}};
  }
  return {};
}

Exit query(Client& client, QueryOptions& options) {
  if (const auto read = read_options(options); !read) return report_error(read.error());
  const auto reply = client.call<rpc::Query>(options.query);
  if (!reply) return report_error(reply.error());
  const auto printed =
      print_table(with_chosen_notes(reply->table, options.notes, options.format), options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

void add_options(Command& command, QueryOptions& options) {
  TableSpec& table = options.query.table;
  command.add_option("WORKLOAD", options.query.workload,
                     "the results of this workload, or use --sweep");
  command.add_option("--sweep", options.query.sweep,
                     "only the trials of this sweep (name or id), or of several: A,B");
  command.add_option("--where", options.where,
                     "NAME=VALUE[,VALUE...]: only results with one of these values");
  command
      .add_option("--rows", table.rows,
                  "parameters to use as rows, such as model,context; model=Size sets the heading")
      ->delimiter(',');
  command
      .add_option("--columns", table.columns,
                  "parameters to use as columns, such as precision,phase")
      ->delimiter(',');
  command.add_option(
      "--cell", table.cell,
      "template of a cell: n mean std sem ci95 min p05 median p95 max mad sum, tokens_per_s "
      "tokens_per_joule tflops "
      "hardware_tflops gbps mfu hfu bandwidth_share, floor reached, such as {mean:.1f}; the words "
      "outcome verdict "
      "text; with "
      "--baseline also p, and difference change ratio speedup baseline of the means, "
      "difference_median ... of the medians, such as {change:+.1%}");
  command.add_option("--value", options.values,
                     "KEY=TEXT[,KEY=TEXT...]: a figure in columns of its own; give it once per "
                     "figure; keys: name cell metric unit warmup bold where.NAME");
  command.add_option("--baseline", options.baseline,
                     "NAME=VALUE: compare every cell with the same point at this value");
  command
      .add_option("--pool", table.pool,
                  "parameters over which a cell may average different trials, such as seed; `all` "
                  "allows any; repeats of one trial are pooled anyway")
      ->delimiter(',');
  command
      .add_option("--bold", options.bold,
                  "which cells to print bold: comparisons that are faster or slower by the rules "
                  "of `compare` "
                  "(with --baseline), or the best in each row or column; best is a short time, "
                  "little memory or a high rate, else write smallest or largest")
      ->one_of(bold_names())
      ->capture_default_str();
  command.add_option("--metric", table.metric,
                     "time, host_time, setup_time, steady_from, loss, peak_allocated_bytes, "
                     "figure.NAME, fact.NAME "
                     "... [default: time]");
  command.add_option("--unit", table.unit, "ns us ms s; B KB MB GB KiB MiB GiB; MB/s GB/s GiB/s");
  command
      .add_option("--sort", options.query.table.sort,
                  "sort by rows, figures or names of values; a leading - sorts descending")
      ->delimiter(',');
  command.add_option("--limit", options.query.table.limit, "at most this many rows; 0 is all");
  command.add_flag("--only-varying", options.query.only_varying,
                   "leave out parameters that have only one value");
  command.add_flag("--warmup", table.warmup,
                   "with `step` in rows or columns: show warm-up steps too");
  command.add_option("--title", table.title, "heading of the table");
}

}  // namespace

void add_query(Command& app, Client& client) {
  auto options = std::make_shared<QueryOptions>();
  Command* command = app.add_subcommand("query", "Print a table of results by any parameters");
  add_options(*command, *options);
  add_newest_option(*command, options->query.newest);
  add_with_option(*command, options->query.with);
  add_format_option(*command, options->format);
  add_notes_option(*command, options->notes);
  command->footer(
      "Example: sweepctl query --sweep lm-end-to-end --where mode=train_step --rows model,context "
      "\\\n"
      "           --columns precision,phase --cell '{mean:.1f} ± {std:.1f}' --format md\n"
      "         sweepctl query lm_step --where batch=1 --rows model,context --columns precision "
      "\\\n"
      "           --baseline precision=fp32 --bold changed\n"
      "         sweepctl query lm_step --where batch=1 --rows model,context --columns precision "
      "\\\n"
      "           --bold best_in_row\n"
      "         sweepctl query lm_step --rows model --pool all --value 'name=Min,cell={min:.1f}' "
      "\\\n"
      "           --value 'name=Backward,cell={mean:,.1f},unit=us,where.phase=backward'");
  command->callback([&client, options] {
    client.action = [&client, options] { return query(client, *options); };
  });
}

}  // namespace sweepd
