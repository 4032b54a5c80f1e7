#include <fmt/format.h>

#include "runner/base/units.h"
#include "runner/client/client.h"
#include "runner/client/output.h"
#include "runner/client/sweep_file.h"
#include "runner/client/watching.h"

namespace sweepd {
namespace {

struct SubmitOptions {
  SweepFiles sweep;
  bool wait = false;
};

std::string counts_text(const nlohmann::json& sweep) {
  const auto count = [&sweep](const char* name) {
    return with_thousands(sweep[name].get<std::int64_t>());
  };
  const auto points = [&sweep](const char* name) {
    return counted(sweep[name].get<std::int64_t>(), "point");
  };
  std::string text = fmt::format(
      "{}: {} to run", counted(sweep["trials"].get<std::int64_t>(), "trial"), count("queued"));
  if (sweep["reused"] != 0) text += fmt::format(", {} reused (measured before)", count("reused"));
  if (sweep["joined"] != 0) text += fmt::format(", {} already queued", count("joined"));
  if (sweep["excluded"] != 0) text += fmt::format(", {} excluded", points("excluded"));
  if (sweep["duplicates"] != 0) {
    text += fmt::format(", {} the same as another", points("duplicates"));
  }
  return text;
}

Exit submit(Client& client, const SubmitOptions& options) {
  const auto files = read_sweep_files(client, options.sweep);
  if (!files) return report_error(files.error());
  std::vector<std::string> ids;
  for (const SweepFile& file : *files) {
    const auto reply = client.call("submit", file.request());
    if (!reply) return report_error(reply.error());
    for (const auto& sweep : (*reply)["sweeps"]) {
      const std::string id = sweep["id"];
      fmt::print("sweep {} {}: {}\n", short_id(id), sweep["name"].get<std::string>(),
                 counts_text(sweep));
      ids.push_back(id);
    }
  }
  std::fflush(stdout);
  if (!options.wait) {
    if (!ids.empty()) fmt::print("watch it with: sweepctl watch {}\n", short_id(ids.back()));
    return Exit::kOk;
  }
  Exit worst = Exit::kOk;
  for (const std::string& id : ids) {
    const Exit exit = watch_sweep(client, id);
    if (exit != Exit::kOk) worst = exit;
    if (exit == Exit::kInterrupted) break;
  }
  return worst;
}

}  // namespace

void add_submit(Command& app, Client& client) {
  auto options = std::make_shared<SubmitOptions>();
  Command* command = app.add_subcommand(
      "submit", "Queue the sweeps of a file; what was measured before is reused");
  add_sweep_file_options(*command, options->sweep);
  command->add_flag("--wait", options->wait, "wait until every trial has ended");
  command->footer("Example: sweepctl submit lm.yaml --set model=tiny --set context=64,128 --wait");
  command->callback([&client, options] {
    client.action = [&client, options] { return submit(client, *options); };
  });
}

}  // namespace sweepd
