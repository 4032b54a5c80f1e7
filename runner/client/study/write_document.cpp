#include "runner/client/study/write_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "runner/base/printable.h"
#include "runner/base/text.h"
#include "runner/client/document/plots.h"
#include "runner/client/document/sweep_results.h"
#include "runner/client/study/claims.h"
#include "runner/client/study/prose.h"
#include "runner/client/study/trimming.h"
#include "runner/model/attempt/verdict.h"
#include "runner/wire/messages/results.h"

namespace sweepd {
namespace {

constexpr std::size_t kMostFindings = 3;

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

class DocumentWriter {
 public:
  DocumentWriter(Client& client, const StudySource& source, const std::vector<StudyJob>& jobs,
                 WhichResults which, StudyForm form)
      : client_(client),
        source_(source),
        jobs_(jobs),
        which_(which),
        short_(form == StudyForm::kShort) {}

  Result<StudyDocument> write() {
    const Study& study = source_.study;
    document_.title = study.title.empty() ? study.name : study.title;
    std::vector<std::string> about;
    for (const std::string* text : {&study.description, &study.scale_description}) {
      if (!text->empty()) about.push_back(std::string(trim(*text)));
    }
    for (const StudyChapter& chapter : study.chapters) {
      std::vector<DocumentBlock> blocks;
      for (const StudyPart& part : chapter.parts) {
        if (short_ && !part.in_short) continue;
        if (auto added = add_part(part, blocks); !added) return added.error();
      }
      if (!blocks.empty()) document_.chapters.push_back({chapter.title, std::move(blocks)});
    }
    if (!findings_.empty()) about.push_back("Findings:\n\n- " + join(findings_, "\n- "));
    document_.introduction = join(about, "\n\n");
    document_.pictures = plots_.take();
    return StudyDocument{std::move(document_), std::move(missing_)};
  }

 private:
  // A missing figure is marked at its place, so that readers notice it.
  std::string miss(int line, int column, const std::string& what) {
    missing_.push_back(fmt::format("{}:{}:{}: {}", source_.file, line, column, what));
    return "**[" + what + "]**";
  }

  const StudyJob* job_of(const StudyPart& part) const {
    const auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                  [&](const StudyJob& each) { return each.is_of(part); });
    return job == jobs_.end() ? nullptr : &*job;
  }

  std::string id_of_sweep(const std::string& name) const {
    for (const StudyJob& job : jobs_) {
      for (const auto& [sweep, id] : job.sweeps) {
        if (sweep == name) return id;
      }
    }
    return "";
  }

  Result<FoundFigure> find(const StudyFigure& figure) {
    const std::string id = id_of_sweep(figure.sweep);
    if (id.empty()) return Error{ErrorCode::kNotFound, "the sweep was not submitted yet"};
    auto found = find_figure(figure, ask(query_of(figure, id)));
    if (found) return found;
    const std::string& why = found.error().message;
    const std::int64_t open =
        why == kNothingMeasured || why == kNotMeasuredYet ? open_attempts(id) : 0;
    if (open == 0) return found;
    return Error{ErrorCode::kNotFound, fmt::format("{} ({} attempt{} pending)", kNotMeasuredYet,
                                                   open, open == 1 ? "" : "s")};
  }

  std::int64_t open_attempts(const std::string& sweep) {
    const auto shown = client_.call<rpc::Show>({.what = sweep, .limit = 1});
    return shown && shown->sweep ? shown->sweep->counts.queued + shown->sweep->counts.running : 0;
  }

  Result<Table> ask(Result<QuerySpec> query) {
    if (!query) return query.error();
    query->newest = which_ == WhichResults::kNewest;
    auto reply = client_.call<rpc::Query>(*query);
    if (!reply && reply.error().code == ErrorCode::kUnavailable) lost_ = reply.error();
    if (!reply) return reply.error();
    return std::move(reply->table);
  }

  std::string figure(const StudyFigure& figure) {
    const auto found = find(figure);
    if (found) return found->text;
    return miss(figure.line, figure.column, no_figure(figure, found.error().message));
  }

  std::string words(const std::vector<StudyPiece>& pieces) {
    std::string text;
    for (const StudyPiece& piece : pieces) {
      text += piece.markdown;
      if (piece.figure) text += figure(*piece.figure);
    }
    return text;
  }

  // The attempt behind a figure.
  Result<std::string> attempt_of(const StudyFigure& figure) {
    const auto found = find(figure);
    if (!found) return found.error();
    auto query = query_of(figure, id_of_sweep(figure.sweep));
    query->with = {"attempt"};
    const auto table = ask(query);
    if (!table) return table.error();
    return table->rows.front().back().text;
  }

  // Why an attempt was skipped, or "".
  std::string skip_reason(const std::string& attempt) {
    const auto shown = client_.call<rpc::Show>({.what = attempt, .limit = 1});
    if (!shown || !shown->attempt || shown->attempt->outcome() != Outcome::kSkipped) return "";
    return without_remedy(shown->attempt->detail);
  }

  std::vector<std::string> why_skipped(const std::vector<DocumentTable>& tables) {
    std::vector<std::string> reasons;
    for (const DocumentTable& table : tables) {
      for (const std::string& attempt : attempts_behind(table)) {
        std::string reason = skip_reason(attempt);
        if (!reason.empty() && !contains(reasons, reason)) reasons.push_back(std::move(reason));
      }
    }
    return reasons;
  }

  std::string timeline(const StudyFigure& figure) {
    const auto none = [&](const std::string& why) {
      return miss(figure.line, figure.column,
                  fmt::format("no timeline `{}`: {}", figure.name, why));
    };
    const auto attempt = attempt_of(figure);
    if (!attempt) return none(attempt.error().message);
    const auto memory = client_.call<rpc::Memory>({*attempt});
    if (!memory) return none(memory.error().message);
    if (memory->pictures.empty()) return none("the attempt has none");
    return plots_.add_timeline(figure.name, memory->pictures.front());
  }

  // What bounds the step of an attempt, as a list.
  std::string explanation(const StudyFigure& figure) {
    const auto attempt = attempt_of(figure);
    const auto reply = attempt ? client_.call<rpc::Explain>({*attempt})
                               : Result<rpc::Explain::Reply>(attempt.error());
    if (!reply) {
      return miss(figure.line, figure.column,
                  fmt::format("no explanation `{}`: {}", figure.name, reply.error().message));
    }
    std::string text = figure.name;
    if (reply->attempt.verdict == name_of(Verdict::kSuspect)) text += " (the profile is suspect)";
    text += ":\n";
    for (const auto& sentence : reply->sentences) text += "\n- " + printable(sentence.text);
    if (reply->sentences.empty()) text += "\n- Nothing stands out.";
    return text;
  }

  std::string claim(const StudyClaim& claim) {
    std::map<std::string, ClaimFigure> figures;
    for (const StudyFigure& each : claim.figures) {
      const std::string id = id_of_sweep(each.sweep);
      ClaimFigure& one = figures.try_emplace(each.name, ClaimFigure{find(each), {}}).first->second;
      if (one.found) {
        one.spread = spread_of(each, ask(spread_query_of(each, id)));
      } else if (one.found.error().code == ErrorCode::kInvalidArgument) {
        miss(each.line, each.column, no_figure(each, one.found.error().message));
      }
    }
    const ToldClaim told = judge(claim, figures);
    if (told.told == Told::kHolds) {
      const bool first = !claim.finding.empty() && findings_.size() < kMostFindings;
      if (first) findings_.emplace_back(trim(words(claim.finding)));
      return words(claim.holds);
    }
    if (told.told == Told::kFails) return words(claim.fails);
    std::string text;
    for (const StudyPiece& piece : claim.unknown) {
      text += piece.markdown;
      if (piece.why) text += told.why;
      if (!piece.figure) continue;
      // The missing part is explained by the reason, and is no gap in the document.
      const auto found = find(*piece.figure);
      text += found ? found->text : "—";
    }
    return text;
  }

  Result<void> add_part(const StudyPart& part, std::vector<DocumentBlock>& blocks) {
    std::vector<std::string> passages;
    for (const StudyPassage& passage : part.text) {
      const std::string text = passage.claim ? claim(*passage.claim) : words(passage.prose);
      if (!trim(text).empty()) passages.emplace_back(trim(text));
    }
    if (lost_) return *lost_;
    if (!passages.empty()) {
      blocks.push_back({std::string(trim(fill_paragraphs(join(passages, "\n"))))});
    }
    const bool no_results = part.file.empty() || (short_ && part.short_tables.empty());
    if (no_results) return {};
    const StudyJob* job = job_of(part);
    if (job == nullptr || job->sweeps.empty()) {
      blocks.push_back({miss(part.line, part.column,
                             fmt::format("the sweeps of {} were not submitted yet", part.file))});
      return {};
    }
    std::vector<DocumentTable> skipped;
    for (const auto& [name, id] : job->sweeps) {
      if (auto added = add_tables(part, name, id, blocks, skipped); !added) return added;
    }
    if (!skipped.empty()) {
      std::vector<std::string> titles;
      for (const DocumentTable& each : skipped) titles.push_back(each.table.title);
      blocks.push_back({skipped_in_words(titles, why_skipped(skipped))});
    }
    if (!short_) {
      for (const StudyFigure& each : part.timelines) blocks.push_back({timeline(each)});
      for (const StudyFigure& each : part.explain) blocks.push_back({explanation(each)});
    }
    if (lost_) return *lost_;
    return {};
  }

  bool wants(const StudyPart& part, const std::string& title) const {
    if (short_) return contains(part.short_tables, title);
    return part.all_tables || contains(part.tables, title);
  }

  Result<void> add_tables(const StudyPart& part, const std::string& name, const std::string& id,
                          std::vector<DocumentBlock>& blocks, std::vector<DocumentTable>& skipped) {
    constexpr std::size_t kShortRows = 8;
    auto found = tables_of_sweep(client_, id, which_);
    if (!found && found.error().code == ErrorCode::kUnavailable) return found.error();
    if (!found) {
      blocks.push_back(
          {miss(part.line, part.column,
                fmt::format("no tables of sweep `{}`: {}", name, found.error().message))});
      return {};
    }
    for (DocumentTable& each : found->tables) {
      if (!wants(part, each.table.title)) continue;
      if (is_skipped(each)) {
        skipped.push_back(std::move(each));
        continue;
      }
      if (short_) cut_rows(each, kShortRows);
      blocks.push_back({"", std::move(each)});
    }
    if (short_ || !found->has_plots || (!part.all_plots && part.plots.empty())) return {};
    return add_plots(part, name, id, blocks);
  }

  Result<void> add_plots(const StudyPart& part, const std::string& name, const std::string& id,
                         std::vector<DocumentBlock>& blocks) {
    const auto plots = plots_of_sweep(client_, id, which_);
    if (!plots && plots.error().code == ErrorCode::kUnavailable) return plots.error();
    if (!plots) {
      blocks.push_back(
          {miss(part.line, part.column,
                fmt::format("no plots of sweep `{}`: {}", name, plots.error().message))});
      return {};
    }
    for (const Plot& plot : *plots) {
      if (!part.all_plots && !contains(part.plots, plot.title)) continue;
      blocks.push_back(plots_.add(name, plot));
    }
    return {};
  }

  Client& client_;
  const StudySource& source_;
  const std::vector<StudyJob>& jobs_;
  WhichResults which_;
  const bool short_;
  Document document_;
  std::vector<std::string> missing_, findings_;
  DocumentPlots plots_;
  std::optional<Error> lost_;  // the daemon
};

}  // namespace

Result<StudyDocument> write_document(Client& client, const StudySource& source,
                                     const std::vector<StudyJob>& jobs, WhichResults which,
                                     StudyForm form) {
  return DocumentWriter(client, source, jobs, which, form).write();
}

}  // namespace sweepd
