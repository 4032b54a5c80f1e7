#include "runner/client/memory_view.h"

#include <fmt/format.h>

#include "runner/client/output.h"
#include "runner/report/memory_plot.h"
#include "runner/wire/memory_json.h"

namespace sweepd {

Exit show_memory(Client& client, const std::string& what, const std::string& format) {
  const auto reply = client.call("memory", {{"what", what}});
  if (!reply) return report_error(reply.error());
  const auto pictures = memory_pictures_from_json((*reply)["pictures"]);
  if (!pictures) return report_error(pictures.error());
  const auto tables = tables_of((*reply)["tables"]);
  if (!tables) return report_error(tables.error());
  if (format == "text") {
    for (const MemoryPicture& picture : *pictures) {
      fmt::print("{}\n", memory_to_text(picture, terminal_width()));
    }
  }
  if (const auto printed = print_tables(*tables, format); !printed) {
    return report_error(printed.error());
  }
  for (const auto& snapshot : (*reply)["snapshots"]) {
    fmt::print(stderr, "snapshot for pytorch.org/memory_viz: {}\n", snapshot.get<std::string>());
  }
  return Exit::kOk;
}

}  // namespace sweepd
