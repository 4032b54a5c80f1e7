#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "runner/base/say.h"
#include "runner/base/units.h"
#include "runner/client/render/output.h"
#include "runner/client/render/places_view.h"
#include "runner/client/session/client.h"
#include "runner/client/watch/progress_view.h"
#include "runner/report/plot/memory_plot.h"
#include "runner/wire/messages/results.h"

namespace sweepd {

namespace {

// `sweepctl show ATTEMPT --kernels`: its options and its output.

struct KernelOptions {
  bool wanted = false;
  std::string by = "name";
  std::string layout = "nsys";
  std::string phase;
  int rank = 0;
  std::int64_t top = 0;
};

void add_kernel_options(Command& command, KernelOptions& options) {
  Option* kernels = command.add_flag(
      "--kernels", options.wanted,
      "for a profile pass, or a sweep with one profile: list the kernels of its step");
  const auto with_kernels = [&](Option* option) { option->needs(kernels)->capture_default_str(); };
  with_kernels(
      command
          .add_option("--by", options.by,
                      "with --kernels: one row per kernel name, launch shape, range or class")
          ->one_of({"name", "launch", "range", "class"}));
  with_kernels(command.add_option("--phase", options.phase,
                                  "with --kernels: only this phase [default: the whole step]"));
  with_kernels(command.add_option("--top", options.top,
                                  "with --kernels: only this many rows, the largest; 0 is all"));
  with_kernels(
      command.add_option("--rank", options.rank, "with --kernels: the kernels of this rank"));
  with_kernels(command
                   .add_option("--layout", options.layout,
                               "with --kernels: columns like those of `nsys stats`, or the "
                               "operator table of torch.profiler")
                   ->one_of({"nsys", "pytorch"}));
}

Exit show_kernels(Client& client, const std::string& attempt, const KernelOptions& options,
                  const std::string& format) {
  const auto reply = client.call<rpc::Kernels>({.attempt = attempt,
                                                .by = options.by,
                                                .layout = options.layout,
                                                .phase = options.phase,
                                                .rank = options.rank,
                                                .top = options.top});
  if (!reply) return report_error(reply.error());
  if (const auto printed = print_tables(reply->tables, format); !printed) {
    return report_error(printed.error());
  }
  if (format == "text" && reply->trace) {
    say("\ntrace (ui.perfetto.dev, chrome://tracing): {}\n", *reply->trace);
  }
  return Exit::kOk;
}

// `show --memory`: the plot of the timeline, then the tables.
// `what` is an attempt of a memory pass, or a trial, or another attempt of a trial that has one.
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

struct ShowOptions {
  std::string what;
  bool steps = false;
  bool source = false;
  bool memory = false;
  std::int64_t limit = 200;
  std::string format = "text";
  KernelOptions kernels;
};

Table attempts_table(const std::vector<AttemptRow>& attempts) {
  Table table;
  table.title = "Attempts";
  table.columns = {{"attempt", "", Align::kLeft}, {"trial", "", Align::kLeft},
                   {"pass", "", Align::kLeft},    {"repeat", "", Align::kRight},
                   {"state", "", Align::kLeft},   {"verdict", "", Align::kLeft},
                   {"took", "", Align::kRight},   {"parameters", "", Align::kLeft},
                   {"why", "", Align::kLeft}};
  std::vector<std::string> keys;
  for (const AttemptRow& attempt : attempts) keys.push_back(attempt.trial_key);
  const std::size_t digits = telling_digits(keys);
  for (const AttemptRow& attempt : attempts) {
    Cell took;
    if (attempt.started && attempt.ended) {
      const Duration d = *attempt.ended - *attempt.started;
      took = {to_human(d), d.seconds()};
    }
    table.rows.push_back({{std::string(short_id(attempt.id)), {}},
                          {attempt.trial_key.substr(0, digits), {}},
                          {std::string(name_of(attempt.pass)), {}},
                          {std::to_string(attempt.repeat), {}},
                          {attempt.state, {}},
                          {attempt.verdict, {}},
                          took,
                          {attempt.label, {}},
                          {why_of(attempt), {}}});
  }
  return table;
}

void print_notification(const Notification& notification) {
  std::string state = "runs when the sweep has ended";
  if (notification.begun && !notification.ended) state = "is running";
  if (notification.ended) {
    state = (notification.problem.empty() ? "ended well" : "failed: " + notification.problem) +
            " (" + local_time(notification.ended->ns) + ", notify.log in the state folder)";
  }
  say("command `{}` {}\n", printable(notification.command), state);
}

void print_sweep_head(const SweepRow& sweep, const std::optional<Notification>& notification) {
  say("sweep {} `{}` of {}, submitted {}{}\n", sweep.id, sweep.name, sweep.workload,
      local_time(sweep.submitted.ns), sweep.cancelled ? ", cancelled" : "");
  if (sweep.paused && sweep.counts.queued > 0) {
    say("paused since {}; to continue: sweepctl resume {}\n", local_time(sweep.paused->ns),
        short_id(sweep.id));
  }
  if (!sweep.description.empty()) say("{}\n", hanging(sweep.description));
  if (notification) print_notification(*notification);
  say("{}, {} of {} done\n\n", counted(sweep.trials, "trial"), with_thousands(sweep.counts.done()),
      counted(sweep.counts.total, "attempt"));
}

Exit show(Client& client, const ShowOptions& options) {
  if (options.memory) return show_memory(client, options.what, options.format);
  if (options.kernels.wanted) {
    return show_kernels(client, options.what, options.kernels, options.format);
  }
  const auto shown = client.call<rpc::Show>({options.what, options.limit, options.steps});
  if (!shown) return report_error(shown.error());
  if (options.source && shown->source) {
    print_data(stdout, *shown->source);
    return Exit::kOk;
  }
  std::vector<Table> tables;
  if (shown->attempts) tables.push_back(attempts_table(*shown->attempts));
  if (shown->tables) tables.insert(tables.end(), shown->tables->begin(), shown->tables->end());
  if (shown->sweep && options.format == "text") {
    print_sweep_head(*shown->sweep, shown->notification);
  }
  const auto printed = print_tables(tables, options.format);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_show(Command& app, Client& client) {
  auto options = std::make_shared<ShowOptions>();
  Command* command = app.add_subcommand("show", "Show a sweep, a trial or an attempt in detail");
  command->add_option(
      "WHAT", options->what,
      "a sweep's name, or the id of a sweep, trial or attempt [default: the latest sweep]");
  command->add_flag("--steps", options->steps,
                    "for an attempt: list every sample, including warm-up");
  command->add_flag("--memory", options->memory,
                    "for a memory pass: draw live memory over one step and list its blocks");
  command->add_flag("--source", options->source, "for a sweep: print the file as it was submitted");
  command
      ->add_option("--limit", options->limit, "for a sweep: at most this many attempts; 0 is all")
      ->capture_default_str();
  add_kernel_options(*command, options->kernels);
  add_format_option(*command, options->format);
  command->footer("Example: sweepctl show lm-end-to-end; sweepctl show 3f9c2a7b --memory");
  command->callback([&client, options] {
    client.action = [&client, options] { return show(client, *options); };
  });
}

}  // namespace sweepd
