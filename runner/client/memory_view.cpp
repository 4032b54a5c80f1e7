#include "runner/client/memory_view.h"

#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/output.h"
#include "runner/report/memory_plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

Exit show_memory(Client& client, const std::string& what, const std::string& format) {
  const auto reply = client.call<rpc::Memory>({what});
  if (!reply) return report_error(reply.error());
  if (format == "text") {
    for (const MemoryPicture& picture : reply->pictures) {
      say("{}\n", memory_to_text(picture, terminal_width()));
    }
  }
  if (const auto printed = print_tables(reply->tables, format); !printed) {
    return report_error(printed.error());
  }
  for (const std::string& snapshot : reply->snapshots) {
    say(stderr, "snapshot for pytorch.org/memory_viz: {}\n", snapshot);
  }
  return Exit::kOk;
}

}  // namespace sweepd
