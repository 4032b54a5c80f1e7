#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "runner/base/files.h"
#include "runner/base/say.h"
#include "runner/base/units.h"
#include "runner/client/commands/reference_file.h"
#include "runner/client/document/page.h"
#include "runner/client/document/stories.h"
#include "runner/client/render/output.h"
#include "runner/client/session/client.h"
#include "runner/client/study/study_plan.h"
#include "runner/client/study/write_document.h"
#include "runner/client/watch/exit_message.h"
#include "runner/client/watch/watching.h"
#include "runner/report/cell/report.h"
#include "runner/report/plot/plot.h"
#include "runner/wire/messages/queue.h"

namespace sweepd {
namespace {

namespace fs = std::filesystem;

struct StudyOptions {
  std::string file, scale;
  std::string output = "writeup";
  bool dry_run = false, now = false, retry = false, newest = false;
  bool check = false, brief = false;
};

// Reads the study at each of its scales, which no other command does at once: names of values, and
// parts that one scale alone has, may be wrong in any of them.
Exit check_study(Client& client, const StudyOptions& options) {
  std::vector<std::string> scales{options.scale};
  std::set<std::string> mistakes;
  std::set<std::pair<int, int>> claims;  // their places
  Exit ended = Exit::kOk;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const auto source = read_study(client, options.file, scales[i]);
    if (!source) {
      if (mistakes.insert(source.error().message).second) ended = report_error(source.error());
      continue;
    }
    if (i == 0 && options.scale.empty()) scales = source->study.scales;
    for (const StudyChapter& chapter : source->study.chapters) {
      for (const StudyPart& part : chapter.parts) {
        for (const StudyPassage& passage : part.text) {
          if (passage.claim) claims.emplace(passage.claim->line, passage.claim->column);
        }
      }
    }
  }
  if (ended == Exit::kOk) {
    say("{}: no mistake at {}; {}\n", options.file,
        counted(static_cast<std::int64_t>(scales.size()), "scale"),
        counted(static_cast<std::int64_t>(claims.size()), "claim"));
  }
  return ended;
}

Exit dry_run(Client& client, const StudySource& source, const std::vector<StudyJob>& jobs) {
  const auto plans = plan_jobs(client, source, jobs);
  if (!plans) return report_error(plans.error());
  say("{}", to_text(study_plan(source.study, *plans), terminal_width()));
  return Exit::kOk;
}

Result<void> retry_all(Client& client, const std::vector<StudyJob>& jobs) {
  for (const StudyJob& job : jobs) {
    for (const auto& [name, id] : job.sweeps) {
      const auto retried = client.call<rpc::Retry>({id, {}});
      // Of a sweep that is done there is nothing to run again.
      const bool fine = retried || retried.error().code == ErrorCode::kFailedPrecondition;
      if (!fine) return retried.error();
    }
  }
  return {};
}

// Submits what is missing and waits for everything.
Exit measure(Client& client, const StudyOptions& options, const StudySource& source,
             std::vector<StudyJob>& jobs) {
  const ExitMessage at_interrupt("queued attempts still run; the same command waits for them");
  const Submits submits = options.now ? Submits::kNo : Submits::kYes;
  const auto found =
      find_sweeps(client, source, submits, fs::path(options.output) / "study.json", jobs);
  if (!found) return report_error(found.error());
  if (options.now) return Exit::kOk;
  if (options.retry) {
    if (const auto retried = retry_all(client, jobs); !retried)
      return report_error(retried.error());
  }
  std::vector<std::string> ids;
  for (const StudyJob& job : jobs) {
    for (const auto& [name, id] : job.sweeps) ids.push_back(id);
  }
  return ids.empty() ? Exit::kOk : watch_together(client, source.study.name, ids);
}

Exit write(Client& client, const StudyOptions& options, const StudySource& source,
           const std::vector<StudyJob>& jobs) {
  for (const std::string& file : source.study.references) {
    const auto added = add_reference_file(client, source.path_of(file), "");
    if (!added) return report_error(added.error());
  }
  const WhichResults which = options.newest ? WhichResults::kNewest : WhichResults::kOwn;
  const StudyForm form = options.brief ? StudyForm::kShort : StudyForm::kLong;
  auto document = write_document(client, source, jobs, which, form);
  if (!document) return report_error(document.error());
  auto last = how_measured(client, source, jobs, which, form);
  if (!last) return report_error(last.error());
  Document& page = document->document;
  page.chapters.push_back(std::move(*last));
  const std::string stem = options.brief ? "short" : "writeup";
  Document text = page;
  keep_few_notes(text, "in " + stem + ".html");
  move_notes_to_end(page);
  if (const auto done = add_stories(client, page); !done) return report_error(done.error());
  const fs::path folder = options.output;
  std::error_code ignored;  // writing the first file says what is wrong
  if (!page.pictures.empty()) fs::create_directories(folder / "plots", ignored);
  for (const DocumentPicture& picture : page.pictures) {
    if (const auto written = replace_file(folder / picture.file, svg_file(picture.svg)); !written)
      return report_error(written.error());
  }
  for (const auto& [name, content] : {std::pair(folder / (stem + ".md"), to_markdown(text)),
                                      std::pair(folder / (stem + ".html"), to_page(page))}) {
    if (const auto written = replace_file(name, content); !written)
      return report_error(written.error());
    say("{}\n", name.string());
  }
  for (const std::string& missing : document->missing) say(stderr, "{}\n", missing);
  if (document->missing.empty()) return Exit::kOk;
  return report_error(
      {ErrorCode::kInternal,
       fmt::format("the document lacks {}, marked in bold there",
                   counted(static_cast<std::int64_t>(document->missing.size()), "thing"))});
}

Exit study(Client& client, const StudyOptions& options) {
  if (options.check) return check_study(client, options);
  const auto source = read_study(client, options.file, options.scale);
  if (!source) return report_error(source.error());
  std::vector<StudyJob> jobs = jobs_of(source->study);
  if (options.dry_run) return dry_run(client, *source, jobs);
  std::error_code error;
  fs::create_directories(options.output, error);
  if (error) {
    return report_error({ErrorCode::kIo, fmt::format("cannot make the folder `{}`: {}",
                                                     options.output, error.message())});
  }
  const Exit ended = measure(client, options, *source, jobs);
  if (ended != Exit::kOk && ended != Exit::kNotAllDone) return ended;
  const Exit written = write(client, options, *source, jobs);
  return written == Exit::kOk ? ended : written;
}

}  // namespace

void add_study(Command& app, Client& client) {
  auto options = std::make_shared<StudyOptions>();
  Command* command = app.add_subcommand(
      "study", "Measure all sweeps of a study and write it up, as markdown and as one HTML page");
  command->add_option("FILE", options->file, "a study's file (schemas/study.md)")->required();
  command->add_option("--scale", options->scale, "which of its scales [default: the first]");
  command
      ->add_option("-o,--output", options->output,
                   "folder of writeup.md, its pictures, and writeup.html")
      ->capture_default_str();
  command->add_flag("--dry-run", options->dry_run,
                    "show the attempts to run and their time; queue nothing");
  command->add_flag("--now", options->now,
                    "queue nothing, do not wait: write the document from present results");
  command->add_flag("--retry", options->retry, "first rerun attempts that are not done");
  add_newest_option(*command, options->newest);
  command->add_flag("--short", options->brief,
                    "write the short form, short.md and short.html: one table a question");
  command->add_flag("--check", options->check,
                    "only check the file, at each of its scales: a claim needs a condition, and a "
                    "text where it holds, where it fails and where the figures do not tell");
  command->footer(
      "Ctrl-C, a kill or a reboot ends the wait, not the sweeps. The same command continues from\n"
      "study.json in the folder.\n"
      "Exit 1: a figure or a table is missing; stderr names each with its place. Exit 4: some\n"
      "attempts are not done, as tables that show OOM mean it to be.\n"
      "Example: sweepctl study experiments/study.yaml --scale cpu-small -o writeup");
  command->callback([&client, options] {
    client.action = [&client, options] { return study(client, *options); };
  });
}

}  // namespace sweepd
