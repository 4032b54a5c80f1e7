#include <fmt/format.h>

#include <type_traits>

#include "runner/client/render/output.h"
#include "runner/client/render/plot_output.h"
#include "runner/client/render/table_options.h"
#include "runner/client/session/client.h"
#include "runner/model/sweep/plot_shape.h"
#include "runner/wire/messages/plots.h"

namespace sweepd {
namespace {

struct PlotOptions {
  std::string name, format, file = "-";
  rpc::Plot::Request request;
};

// The first option given that says what a plot of one's own shows; "" without any.
std::string drawing_option(const rpc::Plot::Request& request) {
  std::string first;
  rpc::Plot::Request::visit(request, [&](std::string_view name, const auto& member, const char*) {
    if (name == "workload" || name == "plot" || name == "newest" || !first.empty()) return;
    bool given = false;
    if constexpr (std::is_same_v<decltype(member), const bool&>) {
      given = member;
    } else {
      given = !member.empty() && !(name == "mark" && request.mark == rpc::Plot::Request{}.mark);
    }
    if (given) first = fmt::format("--{}", name);
  });
  return first;
}

// Sets what NAME is: with --x or --y a workload, else a sweep.
Result<void> read_name(const PlotOptions& options, rpc::Plot::Request& request) {
  if (auto checked = check_name("a sweep or workload", options.name); !checked) return checked;
  const std::string option = drawing_option(request);
  const auto wrong = [](std::string message) -> Result<void> {
    return Error{ErrorCode::kInvalidArgument, std::move(message)};
  };
  if (!request.x.empty() || !request.y.empty()) {
    if (!request.plot.empty())
      return wrong("--plot chooses a declared plot; leave out --x and --y");
    request.workload = options.name;
    return {};
  }
  if (!option.empty()) return wrong(option + " is for a plot of your own; add --x and --y");
  request.sweep = options.name;
  return {};
}

Exit plot(Client& client, PlotOptions& options) {
  rpc::Plot::Request& request = options.request;
  if (const auto read = read_name(options, request); !read) return report_error(read.error());
  const auto reply = client.call<rpc::Plot>(request);
  if (!reply) return report_error(reply.error());
  return write_plots(reply->plots, options.format, options.file);
}

void add_options(Command& command, PlotOptions& options) {
  rpc::Plot::Request& r = options.request;
  command.add_option("NAME", options.name,
                     "a sweep, whose file declares plots [default: the latest]; with --x a "
                     "workload");
  command.add_option("--plot", r.plot,
                     "only this plot of the sweep: its number from 1, its title, or the beginning "
                     "of its title");
  command
      .add_option("--format", options.format,
                  "vega (a Vega-Lite specification with its data), svg, png or text [default: as "
                  "the file's name ends, else text]")
      ->one_of({"vega", "svg", "png", "text"});
  command
      .add_option("-o", options.file,
                  "the file to write, or a folder with one for each plot; `-` is standard output")
      ->capture_default_str();
  command.add_option("--x", r.x,
                     "a plot of any results: the parameter or column along x, such as "
                     "context; context=Length sets the axis' title");
  command.add_option("--y", r.y,
                     "the figure, such as median, mean, tokens_per_s, speedup; of a "
                     "heatmap a parameter or column");
  command.add_option("--color", r.color,
                     "the parameter with a series for each value; of a heatmap the figure");
  command.add_option("--facet", r.facet, "the parameter with a small plot for each value");
  command.add_option("--mark", r.mark, "how to draw")->one_of(mark_words())->capture_default_str();
  command.add_option("--sweep", r.sweep, "with --x: only the trials of this sweep (name or id)");
  command.add_option("--where", r.where,
                     "NAME=VALUE[,VALUE...]: only results with one of these values");
  command.add_option("--metric", r.metric, "as of `query` [default: time]");
  command.add_option("--unit", r.unit, "ns us ms s; B KB MB GB KiB MiB GiB; MB/s GB/s GiB/s");
  command.add_option("--scale", r.scale, "log, x=log or y=log");
  command.add_option("--error", r.error, "std, ci95 or min-max, as bars; std=band as a band");
  command.add_option("--beside", r.beside,
                     "KEY=TEXT[,KEY=TEXT...]: a series beside, such as name=Floor,y=floor; keys: "
                     "name y metric unit where.NAME, and x instead of y for a vertical line");
  command.add_option("--baseline", r.baseline, "NAME=VALUE: the point that y is compared with");
  command
      .add_option("--pool", r.pool,
                  "parameters over which a point may average different trials; `all` allows any")
      ->delimiter(',');
  command.add_flag("--stack", r.stack, "bars on top of each other");
  command.add_flag("--warmup", r.warmup, "with --x step: show warm-up steps too");
  command.add_option("--title", r.title, "heading of the plot");
  add_newest_option(command, r.newest);
}

}  // namespace

void add_plot(Command& app, Client& client) {
  auto options = std::make_shared<PlotOptions>();
  Command* command =
      app.add_subcommand("plot", "Draw the plots that a sweep file declares, or any results");
  add_options(*command, *options);
  command->footer(
      "Only a PNG needs Python's vl-convert (`pip install vl-convert-python`, found through\n"
      "$SWEEPD_PYTHON or python3). Without it the exit code is 6, and the specification is "
      "written\n"
      "instead: Vega's online editor, Altair and notebooks draw it.\n"
      "Examples: sweepctl plot lm-end-to-end\n"
      "          sweepctl plot lm-end-to-end --plot 1 -o time.vl.json\n"
      "          sweepctl plot lm_step --sweep lm-end-to-end --x context --y median \\\n"
      "            --color precision --facet model --scale log --error min-max \\\n"
      "            --beside name=Floor,y=floor");
  command->callback([&client, options] {
    client.action = [&client, options] { return plot(client, *options); };
  });
}

}  // namespace sweepd
