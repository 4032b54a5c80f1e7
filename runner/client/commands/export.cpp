#include <fmt/format.h>

#include <algorithm>

#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/report/memory_plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct ExportOptions {
  std::string what;
  std::string svg;
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
  const auto written = write_file(options.svg, memory_to_svg(*found));
  return written ? Exit::kOk : report_error(written.error());
}

}  // namespace

void add_export(Command& app, Client& client) {
  auto options = std::make_shared<ExportOptions>();
  Command* command = app.add_subcommand("export", "Write pictures of an attempt to files");
  command
      ->add_option("WHAT", options->what,
                   "id or unique prefix of a memory pass's attempt, or of its trial")
      ->required();
  command
      ->add_option("--svg", options->svg,
                   "write the timeline of live memory to this file; `-` is standard output")
      ->required();
  command->add_option("--rank", options->rank, "the rank whose timeline to draw")
      ->capture_default_str();
  command->footer("Example: sweepctl export 3f9c2a7b --svg memory.svg");
  command->callback([&client, options] {
    client.action = [&client, options] { return export_memory(client, *options); };
  });
}

}  // namespace sweepd
