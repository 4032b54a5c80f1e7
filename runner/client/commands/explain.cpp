#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "runner/base/printable.h"
#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

struct ExplainOptions {
  rpc::Explain::Request request;
  bool json = false;
};

Exit explain(Client& client, const ExplainOptions& options) {
  const auto reply = client.call<rpc::Explain>(options.request);
  if (!reply) return report_error(reply.error());
  if (options.json) {
    say("{}\n", to_message(*reply).dump());
    return Exit::kOk;
  }
  std::string label = printable(reply->attempt.label), where;
  if (!reply->device.empty()) {
    where = " on " + printable(reply->device);
    // That of an imported trace is not the one that the trial names.
    const std::size_t device = label.find(" device=");
    if (device != std::string::npos) label.erase(device, label.find(' ', device + 1) - device);
  }
  if (reply->step_ms > 0) where += fmt::format(": {:.3f} ms", reply->step_ms);
  say("{} {}{}\n", short_id(reply->attempt.id), label, where);
  if (!reply->attempt.verdict_reasons.empty()) {
    say("{}: {}\n", reply->attempt.verdict, printable(reply->attempt.verdict_reasons));
  }
  for (const rpc::Explain::Sentence& sentence : reply->sentences) {
    say("- {}\n", printable(sentence.text));
  }
  if (reply->sentences.empty()) say("- Nothing stands out.\n");
  return Exit::kOk;
}

}  // namespace

void add_explain(Command& app, Client& client) {
  auto options = std::make_shared<ExplainOptions>();
  Command* command =
      app.add_subcommand("explain", "Say what bounds the step of a profile, and what to try");
  command->add_option(
      "ATTEMPT", options->request.attempt,
      "an attempt of a profile pass, or a sweep with one [default: the latest sweep]");
  command->add_option("--rank", options->request.rank, "of this rank")->capture_default_str();
  command->add_flag("--json", options->json, "print the sentences as JSON");
  command->footer(
      "docs/WHY_SLOW.md lists the rules. A rule that does not apply says nothing.\n"
      "Example: sweepctl explain 5f3a");
  command->callback([&client, options] {
    client.action = [&client, options] { return explain(client, *options); };
  });
}

}  // namespace sweepd
