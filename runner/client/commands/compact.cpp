#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/upkeep.h"

namespace sweepd {
namespace {

// "30d": the configuration says it in days.
std::string age_text(Duration age) {
  constexpr std::int64_t kDay = seconds(86400).ns;
  return age.ns % kDay == 0 ? fmt::format("{}d", age.ns / kDay) : to_human(age);
}

Exit compact(Client& client, const std::string& older, bool dry_run) {
  rpc::Compact::Request request;
  request.dry_run = dry_run;
  if (!older.empty()) {
    const auto age = parse_duration(older);
    if (!age) return report_error({ErrorCode::kInvalidArgument, "--older: " + age.error().message});
    request.older_ns = age->ns;
  }
  const auto reply = client.call<rpc::Compact>(request);
  if (!reply) return report_error(reply.error());
  const std::string folders = counted(reply->folders, "folder");
  const std::string before = to_human(Bytes{reply->before_bytes});
  if (reply->folders == 0) {
    say("nothing to compact of attempts that were done more than {} ago\n",
        age_text(Duration{reply->older_ns}));
  } else if (dry_run) {
    say("would compact {}, which take {}\n", folders, before);
  } else {
    say("compacted {}: they took {}, and take {}\n", folders, before,
        to_human(Bytes{reply->after_bytes}));
  }
  if (reply->stopped) {
    say(stderr,
        "sweepctl: stopped, because an attempt began; the other folders wait until it has "
        "ended\n");
    return Exit::kFailure;
  }
  if (reply->folders_left == 0) return Exit::kOk;
  return report_error(
      {ErrorCode::kIo, fmt::format("{} of attempts could not be compacted: {}",
                                   counted(reply->folders_left, "folder"), reply->why_left)});
}

}  // namespace

void add_compact(Command& app, Client& client) {
  auto older = std::make_shared<std::string>();
  auto dry_run = std::make_shared<bool>(false);
  Command* command =
      app.add_subcommand("compact", "Compress the folders of old attempts that are done");
  command->add_option("--older", *older,
                      "of attempts that ended longer ago, such as 30d; 0s is all [default: "
                      "compact.older of the configuration, 30d without one]");
  command->add_flag("--dry-run", *dry_run, "only count the folders to compress");
  command->footer(
      "Nothing is lost: `log`, `bundle` and `recover` read compressed files too. The daemon does "
      "the "
      "same\nonce a day when nothing runs (docs/RELIABILITY.md).\n"
      "Example: sweepctl compact --older 7d --dry-run");
  command->callback([&client, older, dry_run] {
    client.action = [&client, older, dry_run] { return compact(client, *older, *dry_run); };
  });
}

}  // namespace sweepd
