#include <fmt/format.h>

#include "runner/base/say.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/model/vocabulary/outcome.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

namespace {

std::string state_of(const SweepRow& sweep) {
  const AttemptCounts& counts = sweep.counts;
  if (sweep.cancelled) return "cancelled";
  if (sweep.paused && counts.queued != 0) return counts.running != 0 ? "paused, running" : "paused";
  if (counts.running != 0) return "running";
  if (counts.queued != 0) return "queued";
  return counts.done() == counts.total ? "done" : "ended";
}

std::string problems_of(const AttemptCounts& counts) {
  std::string text;
  for (const auto& [outcome, n] : counts.problems()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", n, outcome);
  }
  return text;
}

Cell number(std::int64_t value) {
  return {std::to_string(value), static_cast<double>(value)};
}

Exit list(Client& client, std::int64_t limit, const std::string& format) {
  const auto reply = client.call<rpc::List>({limit});
  if (!reply) return report_error(reply.error());
  Table table;
  table.title = "Sweeps";
  table.columns = {{"id", "", Align::kLeft},        {"name", "", Align::kLeft},
                   {"workload", "", Align::kLeft},  {"submitted", "", Align::kLeft},
                   {"trials", "", Align::kRight},   {"done", "", Align::kRight},
                   {"attempts", "", Align::kRight}, {"state", "", Align::kLeft},
                   {"not done", "", Align::kLeft}};
  for (const SweepRow& sweep : reply->sweeps) {
    table.rows.push_back({{std::string(short_id(sweep.id)), {}},
                          {sweep.name, {}},
                          {sweep.workload, {}},
                          {local_time(sweep.submitted.ns), {}},
                          number(sweep.trials),
                          number(sweep.counts.done()),
                          number(sweep.counts.total),
                          {state_of(sweep), {}},
                          {problems_of(sweep.counts), {}}});
  }
  if (table.rows.empty() && format == "text") {
    say("no sweeps yet; submit one: sweepctl submit FILE\n");
    return Exit::kOk;
  }
  const auto printed = print_table(table, format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_list(Command& app, Client& client) {
  auto limit = std::make_shared<std::int64_t>(50);
  auto format = std::make_shared<std::string>("text");
  Command* command = app.add_subcommand("list", "List the sweeps, newest first");
  command->add_option("--limit", *limit, "at most this many; 0 is all")->capture_default_str();
  add_format_option(*command, *format);
  command->footer("Example: sweepctl list --limit 10");
  command->callback([&client, limit, format] {
    client.action = [&client, limit, format] { return list(client, *limit, *format); };
  });
}

}  // namespace sweepd
