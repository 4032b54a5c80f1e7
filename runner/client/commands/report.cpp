#include <fmt/format.h>

#include <chrono>
#include <string>
#include <thread>

#include "runner/base/clock.h"
#include "runner/base/say.h"
#include "runner/base/text.h"
#include "runner/client/document/document.h"
#include "runner/client/document/measured_on.h"
#include "runner/client/document/page.h"
#include "runner/client/document/plots.h"
#include "runner/client/document/stories.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

// A sweep as a document: its tables and plots, its machines, and its file.
// Reads all of it; also works on a database file. `table` chooses one table, and then there are
// no plots.
Result<Document> report_document(Client& client, const std::string& sweep, const std::string& table,
                                 WhichResults which) {
  auto found = tables_of_sweep(client, sweep, which, table);
  if (!found) return found.error();
  const SweepRow& about = found->sweep;
  Document document;
  document.title = about.name;
  document.introduction =
      fmt::format("{}{}{}: {}, submitted {}.", trim(about.description),
                  about.description.empty() ? "" : "\n\n", counted(about.trials, "trial"),
                  counts_in_words(about.counts), local_time(about.submitted.ns));
  for (std::size_t i = 0; i < found->tables.size(); ++i) {
    DocumentTable& each = found->tables[i];
    const std::string title =
        each.table.title.empty() ? fmt::format("Table {}", i + 1) : each.table.title;
    each.table.title.clear();  // the heading has it
    document.chapters.push_back({title, {{"", std::move(each)}}});
  }
  if (found->has_plots && table.empty()) {
    const auto plots = plots_of_sweep(client, about.id, which);
    if (!plots) return plots.error();
    DocumentPlots drawn;
    DocumentChapter others{"Plots", {}};
    for (const Plot& plot : *plots) {
      DocumentBlock block = drawn.add(about.name, plot);
      if (document.lead.empty()) {
        document.lead = block.picture;
      } else {
        others.blocks.push_back(std::move(block));
      }
    }
    if (!others.blocks.empty()) document.chapters.push_back(std::move(others));
    document.pictures = drawn.take();
  }
  auto where = measured_on(client, {about.id}, which);
  if (!where) return where.error();
  const auto shown = client.call<rpc::Show>({.what = about.id, .limit = 1});
  if (!shown) return shown.error();
  DocumentChapter last{"How this was measured", {}};
  last.blocks.push_back(std::move(*where));
  if (shown->source) {
    last.blocks.push_back({"`sweepctl run FILE` with this file measures it again:"});
    last.blocks.push_back({as_code(*shown->source)});
  }
  document.chapters.push_back(std::move(last));
  move_notes_to_end(document);
  return document;
}

struct ReportOptions {
  std::string sweep;
  std::string table;
  std::vector<std::string> with;
  std::string format = "md";
  std::string notes = "few";
  std::string file = "-";
  bool watch = false, newest = false;
};

WhichResults which_of(const ReportOptions& options) {
  return options.newest ? WhichResults::kNewest : WhichResults::kOwn;
}

constexpr auto kBetweenLooks = std::chrono::seconds(2);
constexpr Duration kNextDaemon = seconds(60);

Result<void> write_page(const ReportOptions& options, const Document& document) {
  return replace_output(options.file, to_page(document));
}

// Writes the page whenever an attempt has ended, until all have. A daemon that has ended may have
// been stopped, so none is started here.
Exit follow(Client& client, const ReportOptions& options) {
  std::string sweep = options.sweep;
  for (std::int64_t ended = -1;; std::this_thread::sleep_for(kBetweenLooks)) {
    const auto shown = client.call<rpc::Show>({.what = sweep, .limit = 1});
    client.no_start = true;
    if (!shown && shown.error().code == ErrorCode::kUnavailable && ended >= 0) {
      const auto next = client.wait_for_daemon(kNextDaemon);
      if (next) continue;
      return report_error(
          {ErrorCode::kUnavailable,
           fmt::format("the daemon has ended, and no other one started within {} s; queued "
                       "attempts wait, and the same command continues",
                       kNextDaemon.ns / seconds(1).ns)});
    }
    if (!shown) return report_error(shown.error());
    if (!shown->sweep) {
      return report_error({ErrorCode::kInvalidArgument,
                           fmt::format("`{}` is no sweep; --watch follows one", options.sweep)});
    }
    sweep = shown->sweep->id;  // the latest may soon be another
    const AttemptCounts& counts = shown->sweep->counts;
    if (counts.ended == ended) continue;
    ended = counts.ended;
    auto document = report_document(client, sweep, options.table, which_of(options));
    if (!document) return report_error(document.error());
    document->changes = counts.ended < counts.total;
    // A browser that loads the page again would close a story that somebody reads.
    if (!document->changes) {
      if (const auto done = add_stories(client, *document); !done) {
        return report_error(done.error());
      }
    }
    if (const auto written = write_page(options, *document); !written) {
      return report_error(written.error());
    }
    if (!document->changes) {
      return counts.done() == counts.total ? Exit::kOk : Exit::kNotAllDone;
    }
  }
}

Exit report_as_page(Client& client, const ReportOptions& options) {
  const auto wrong = [](std::string message) {
    return report_error({ErrorCode::kInvalidArgument, std::move(message)});
  };
  if (!options.with.empty()) {
    return wrong(
        "--with is for other formats: a page shows all of it where the mouse rests on a figure");
  }
  if (options.watch && options.file == "-") {
    return wrong("--watch writes a page again and again, so it needs a file: -o FILE.html");
  }
  if (options.watch) return follow(client, options);
  auto document = report_document(client, options.sweep, options.table, which_of(options));
  if (!document) return report_error(document.error());
  if (const auto done = add_stories(client, *document); !done) {
    return report_error(done.error());
  }
  const auto written = write_page(options, *document);
  return written ? Exit::kOk : report_error(written.error());
}

Exit report(Client& client, const ReportOptions& options) {
  if (options.format == "html" || options.file.ends_with(".html")) {
    return report_as_page(client, options);
  }
  if (options.watch) {
    return report_error({ErrorCode::kInvalidArgument, "--watch writes a page: add -o FILE.html"});
  }
  const auto reply =
      client.call<rpc::Report>({options.sweep, options.table, options.with, options.newest});
  if (!reply) return report_error(reply.error());
  if (reply->plots && !reply->plots->empty() && options.table.empty()) {
    std::string titles;
    for (const std::string& title : *reply->plots) {
      titles += fmt::format("{}`{}`", titles.empty() ? "" : ", ", title);
    }
    say(stderr, "note: `sweepctl plot {}` draws {}\n", reply->sweep.name, titles);
  }
  std::vector<Table> tables;
  for (const Table& table : reply->tables) {
    tables.push_back(with_chosen_notes(table, options.notes, options.format));
  }
  const auto printed = print_tables(tables, options.format, options.file);
  return printed ? Exit::kOk : report_error(printed.error());
}

}  // namespace

void add_report(Command& app, Client& client) {
  auto options = std::make_shared<ReportOptions>();
  Command* command = app.add_subcommand("report", "Print the tables that a sweep file declares");
  command->add_option(
      "SWEEP", options->sweep,
      "name (its latest sweep), id or unique prefix of an id [default: the latest sweep]");
  command->add_option(
      "--table", options->table,
      "print only this table: its number from 1, its title, or the beginning of its title");
  add_newest_option(*command, options->newest);
  add_with_option(*command, options->with);
  add_format_option(*command, options->format);
  add_notes_option(*command, options->notes);
  command
      ->add_option("-o,--output", options->file,
                   "the file to write; one that ends in .html is a page of tables and plots")
      ->capture_default_str();
  command->add_flag("--watch", options->watch,
                    "write the page again as results arrive, until the sweep has ended; a browser "
                    "that shows it loads it again by itself");
  command->footer(
      "Examples: sweepctl report lm-end-to-end > tables.md\n"
      "          sweepctl report lm-end-to-end --table 'Step time' --format csv\n"
      "          sweepctl report lm-end-to-end -o report.html");
  command->callback([&client, options] {
    client.action = [&client, options] { return report(client, *options); };
  });
}

}  // namespace sweepd
