#include <fmt/format.h>

#include <algorithm>

#include "runner/client/render/output.h"
#include "runner/client/render/plot_output.h"
#include "runner/client/session/client.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct ExportOptions {
  std::string what;
  std::string file = "-", format;
  int rank = 0;
};

Exit export_memory(Client& client, const ExportOptions& options) {
  const auto reply = client.call<rpc::Memory>({options.what});
  if (!reply) return report_error(reply.error());
  const auto& pictures = reply->pictures;
  const auto found =
      std::find_if(pictures.begin(), pictures.end(),
                   [&](const MemoryPicture& picture) { return picture.rank == options.rank; });
  if (found == pictures.end()) {
    return report_error(
        {ErrorCode::kNotFound,
         fmt::format("attempt {} has no memory timeline for rank {}; {} rank(s) have one",
                     reply->attempt, options.rank, pictures.size())});
  }
  const Drawing drawing{[&] { return memory_to_text(*found, terminal_width()); },
                        [&] { return memory_to_vega_lite(*found); },
                        [&] { return memory_to_svg(*found); }};
  return write_drawing(drawing, options.format, options.file);
}

}  // namespace

void add_export(Command& app, Client& client) {
  auto options = std::make_shared<ExportOptions>();
  Command* command = app.add_subcommand("export", "Write pictures of an attempt to files");
  command
      ->add_option("WHAT", options->what,
                   "id or unique prefix of a memory pass's attempt, or of its trial")
      ->required();
  command->add_option("-o", options->file, "the file to write; `-` is standard output")
      ->capture_default_str();
  command
      ->add_option("--format", options->format,
                   "vega (a Vega-Lite specification with its data), svg, png or text [default: as "
                   "the file's name ends, else text]")
      ->one_of({"vega", "svg", "png", "text"});
  command->add_option("--rank", options->rank, "the rank whose timeline to draw")
      ->capture_default_str();
  command->footer(
      "The picture is the timeline of live memory, stacked by kind. Only a PNG needs Python's\n"
      "vl-convert (sweepctl plot --help).\n"
      "Example: sweepctl export 3f9c2a7b -o memory.svg");
  command->callback([&client, options] {
    client.action = [&client, options] { return export_memory(client, *options); };
  });
}

}  // namespace sweepd
