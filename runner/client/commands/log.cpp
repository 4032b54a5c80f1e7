#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

Exit log(Client& client, const std::string& attempt, std::int64_t rank) {
  const auto reply = client.call<rpc::Log>({.attempt = attempt, .rank = rank});
  if (!reply) return report_error(reply.error());
  if (reply->skipped_bytes > 0) {
    say(stderr, "(the first {} bytes are in {})\n", reply->skipped_bytes, reply->path);
  }
  print_data(stdout, reply->text);
  return Exit::kOk;
}

}  // namespace

void add_log(Command& app, Client& client) {
  auto attempt = std::make_shared<std::string>();
  auto rank = std::make_shared<std::int64_t>(0);
  Command* command = app.add_subcommand("log", "Print the output of an attempt's worker");
  command->add_option("ATTEMPT", *attempt, "id or unique prefix; `show SWEEP` lists them")
      ->required();
  command->add_option("--rank", *rank, "the rank whose log to print")->capture_default_str();
  command->footer("Example: sweepctl log 3f9c2a7b --rank 1");
  command->callback([&client, attempt, rank] {
    client.action = [&client, attempt, rank] { return log(client, *attempt, *rank); };
  });
}

}  // namespace sweepd
