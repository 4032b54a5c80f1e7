#include <fmt/format.h>

#include "runner/base/units.h"
#include "runner/client/client.h"
#include "runner/client/progress_view.h"

namespace sweepd {
namespace {

Exit status(Client& client) {
  const auto reply = client.call("status", nlohmann::json::object());
  if (!reply) return report_error(reply.error());
  const nlohmann::json& s = *reply;
  fmt::print("sweepd {} ({}), pid {}\n", s["version"].get<std::string>(),
             s["commit"].get<std::string>(), s["pid"].get<int>());
  fmt::print("database {}\n", s["database"].get<std::string>());
  fmt::print("{} queued, {} running\n", s["queued"].get<std::int64_t>(), s["running"].size());
  for (const auto& run : s["running"]) {
    const std::string id = run["attempt"];
    fmt::print(
        "  {} {} pass, {} step {} for {}: {}\n", short_id(id), run["pass"].get<std::string>(),
        run["phase"].get<std::string>(), run["step"].get<std::int64_t>(),
        to_human(Duration{run["elapsed_ns"].get<std::int64_t>()}), run["label"].get<std::string>());
  }
  if (const auto trouble = s.value("trouble", std::string()); !trouble.empty()) {
    fmt::print("{}\n", trouble_line(trouble));
  }
  return Exit::kOk;
}

}  // namespace

void add_status(Command& app, Client& client) {
  Command* command = app.add_subcommand("status", "Show the daemon and what it is running");
  command->footer("Example: sweepctl status");
  command->callback([&client] { client.action = [&client] { return status(client); }; });
}

}  // namespace sweepd
