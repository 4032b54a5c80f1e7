#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "runner/base/text.h"
#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/client/picture.h"
#include "runner/client/table_options.h"
#include "runner/model/plot_shape.h"
#include "runner/report/plot.h"
#include "runner/wire/messages/plots.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

struct PlotOptions {
  std::string name, format, file = "-";
  rpc::Plot::Request request;
};

bool is_picture(const std::string& format) {
  return format == "svg" || format == "png";
}

const char* extension_of(const std::string& format) {
  if (format == "vega") return ".vl.json";
  if (format == "text") return ".txt";
  return format == "svg" ? ".svg" : ".png";
}

// What --format says, else what the file's name says, else text.
std::string format_of(const PlotOptions& options) {
  if (!options.format.empty()) return options.format;
  for (const char* format : {"svg", "png", "vega"}) {
    if (options.file.ends_with(extension_of(format))) return format;
  }
  return options.file.ends_with(".json") ? "vega" : "text";
}

bool is_folder(const std::string& file) {
  std::error_code ignored;
  return file.ends_with('/') || fs::is_directory(file, ignored);
}

// "Step time (ms) by size" -> "step-time-ms-by-size"
std::string file_name(const Plot& plot, std::size_t number) {
  std::string name;
  for (const char c : plot.title) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (!plain && !name.empty() && name.back() != '-') name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name.empty() ? fmt::format("plot-{}", number) : name;
}

void print_warnings(const Plot& plot) {
  for (std::size_t i = plot.data.notes.size() - plot.data.warnings; i < plot.data.notes.size();
       ++i) {
    fmt::print(stderr, "note: {}{}{}\n", plot.title, plot.title.empty() ? "" : ": ",
               plot.data.notes[i]);
  }
}

// Writes the picture, or without what draws it the specification.
Exit write_picture(const Plot& plot, const std::string& format, std::string file) {
  const std::string spec = to_vega_lite(plot);
  auto picture = draw_picture(spec, format);
  if (!picture && picture.error().code != ErrorCode::kUnavailable) {
    return report_error(picture.error());
  }
  if (picture) {
    const auto written = write_file(file, *picture);
    return written ? Exit::kOk : report_error(written.error());
  }
  fmt::print(stderr, "sweepctl: {}\n", picture.error().message);
  if (file == "-") return Exit::kNoPicture;
  file = fs::path(file).replace_extension(extension_of("vega"));
  if (const auto written = write_file(file, spec); !written) return report_error(written.error());
  fmt::print(stderr, "its Vega-Lite specification is in {}\n", file);
  return Exit::kNoPicture;
}

Exit write_plot(const Plot& plot, const std::string& format, const std::string& file) {
  if (is_picture(format)) return write_picture(plot, format, file);
  const std::string text = format == "vega" ? to_vega_lite(plot) : to_text(plot, terminal_width());
  const auto written = write_file(file, text);
  return written ? Exit::kOk : report_error(written.error());
}

Exit plot(Client& client, PlotOptions& options) {
  rpc::Plot::Request& request = options.request;
  const bool stated = !request.x.empty() || !request.y.empty();
  if (const auto name = check_name("a sweep or workload", options.name); !name) {
    return report_error(name.error());
  }
  (stated ? request.workload : request.sweep) = options.name;
  const auto reply = client.call<rpc::Plot>(request);
  if (!reply) return report_error(reply.error());
  const std::string format = format_of(options);
  const bool folder = is_folder(options.file);
  if (reply->plots.size() > 1 && !folder && (options.file != "-" || format != "text")) {
    std::vector<std::string> titles;
    for (const rpc::PlotEntry& each : reply->plots) titles.push_back("`" + each.title + "`");
    return report_error({ErrorCode::kInvalidArgument,
                         fmt::format("there are {} plots: {}; choose one with --plot, or write all "
                                     "into a folder with -o FOLDER/",
                                     titles.size(), join(titles, ", "))});
  }
  Exit worst = Exit::kOk;
  for (std::size_t i = 0; i < reply->plots.size(); ++i) {
    const auto made = rpc::plot_of(reply->plots[i]);
    if (!made) return report_error(made.error());
    print_warnings(*made);
    std::string file = options.file;
    if (folder) file = fs::path(file) / (file_name(*made, i + 1) + extension_of(format));
    if (i > 0 && file == "-") fmt::print("\n");
    const Exit exit = write_plot(*made, format, file);
    if (exit != Exit::kOk && exit != Exit::kNoPicture) return exit;
    worst = std::max(worst, exit);
  }
  return worst;
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
                     "the parameter that tells the series apart; of a heatmap the figure");
  command.add_option("--facet", r.facet, "the parameter of which each value has a plot of its own");
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
  command.add_option("--baseline", r.baseline, "NAME=VALUE: what y compares with");
  command
      .add_option("--pool", r.pool,
                  "parameters over which a point may average different trials; `all` allows any")
      ->delimiter(',');
  command.add_flag("--stack", r.stack, "bars on top of each other");
  command.add_flag("--warmup", r.warmup, "with --x step: show warm-up steps too");
  command.add_option("--title", r.title, "heading of the plot");
}

}  // namespace

void add_plot(Command& app, Client& client) {
  auto options = std::make_shared<PlotOptions>();
  Command* command =
      app.add_subcommand("plot", "Draw the plots that a sweep file declares, or any results");
  add_options(*command, *options);
  command->footer(
      "Pictures are drawn by Python's vl-convert (`pip install vl-convert-python`, found through\n"
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
