#include <fmt/format.h>

#include "runner/base/text.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/machine.h"

namespace sweepd {

namespace fs = std::filesystem;
namespace {

struct MergeOptions {
  std::string other;
  bool dry_run = false;
  std::string format = "text";
};

Cell thousands(std::int64_t value) {
  return {with_thousands(value), static_cast<double>(value)};
}

Table summary(const MergeReceipt& reply, const fs::path& database, bool dry_run) {
  Table table;
  table.title = fmt::format("{} {}{}", dry_run ? "Would merge" : "Merged", database.string(),
                            reply.hosts.empty() ? "" : ", results of " + join(reply.hosts, ", "));
  table.columns = {{"", "", Align::kLeft},
                   {dry_run ? "would come" : "brought", "", Align::kRight},
                   {"there already", "", Align::kRight}};
  const auto add = [&table](const char* what, const MergeCount& rows) {
    table.rows.push_back({{what, {}}, thousands(rows.brought), thousands(rows.present)});
  };
  add("sweeps", reply.sweeps);
  add("trials", reply.trials);
  add("attempts", reply.attempts);
  table.rows.push_back({{"samples", {}}, thousands(reply.samples), {}});
  if (reply.open > 0) {
    table.notes.push_back(
        fmt::format("{} attempts are still queued or running there and were left out; merge again "
                    "when they have ended",
                    reply.open));
  }
  if (reply.folders) {
    table.notes.push_back(fmt::format("{} attempt folders (logs, traces) copied", *reply.folders));
    if (const auto left_out = reply.files_left_out.value_or(0); left_out > 0) {
      table.notes.push_back(
          fmt::format("{} left out: links, FIFOs and the like are not copied from another machine",
                      counted(left_out, "file")));
    }
  } else if (!dry_run && reply.attempts.brought != 0) {
    table.notes.push_back(
        "logs and traces were not copied; to copy them too, name the state folder that holds the "
        "database and its `runs`");
  }
  return table;
}

Exit merge(Client& client, const MergeOptions& options) {
  const fs::path database = database_file(options.other);
  std::error_code ignored;
  const bool is_folder = fs::is_directory(options.other, ignored);
  rpc::Merge::Request request{database, "", options.dry_run};
  const fs::path runs = StateFolder(database.parent_path()).runs();
  if (is_folder && fs::is_directory(runs, ignored)) request.runs = runs;
  const auto reply = client.call<rpc::Merge>(request);
  if (!reply) return report_error(reply.error());
  const auto printed = print_table(summary(*reply, database, options.dry_run), options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_merge(Command& app, Client& client) {
  auto options = std::make_shared<MergeOptions>();
  Command* command =
      app.add_subcommand("merge", "Merge another machine's results into this database");
  command
      ->add_option("OTHER", options->other,
                   "its database file, or its state folder to copy logs and traces too")
      ->required();
  command->add_flag("--dry-run", options->dry_run, "only count the results to merge");
  add_format_option(*command, options->format);
  command->footer(
      "Results keep their host. Merging twice duplicates nothing.\n"
      "Example: sweepctl merge /mnt/h200/results.db --dry-run; then compare the machines:\n"
      "         sweepctl query lm_step --where batch=1 --rows model,context,precision --columns "
      "host");
  command->callback([&client, options] {
    client.action = [&client, options] { return merge(client, *options); };
  });
}

}  // namespace sweepd
